package display

import (
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"time"
)

// described describes values that have no text: functions, channels, and readers, without reading
// from them.
func described(v value) (string, bool) {
	switch v.Kind() {
	case reflect.Func:
		if !v.IsNil() {
			return v.typeName(), true
		}
		return "", false
	case reflect.Chan:
		if v.IsNil() {
			return "", false
		}
		switch {
		case v.Cap() == 0:
			return v.typeName() + ", without buffer", true
		case v.typ != nil || v.CanInterface():
			return fmt.Sprintf("%s, %d of at most %d values waiting", v.typeName(), v.Len(), v.Cap()), true
		}
	}
	if t, ok := v.any().(time.Time); ok {
		return t.Round(0).String(), true
	}
	if r, ok := v.any().(io.Reader); ok && v.typed == nil && !v.speaks() && !isNilPointer(r) {
		return reader(r), true
	}
	return "", false
}

// reader describes a reader and how much it holds, without reading.
func reader(r io.Reader) string {
	if f, ok := r.(*os.File); ok {
		s := fmt.Sprintf("file %q", f.Name())
		info, err := f.Stat()
		switch {
		case errors.Is(err, os.ErrClosed):
			return s + ", closed"
		case err != nil:
			return s + ": " + err.Error()
		case !info.Mode().IsRegular():
			return s + ", " + info.Mode().Type().String()
		}
		s += fmt.Sprintf(", %d bytes", info.Size())
		if at, err := f.Seek(0, io.SeekCurrent); err == nil && at > 0 {
			s += fmt.Sprintf(", %d of them read", at)
		}
		return s
	}
	s := fmt.Sprintf("reader %T", r)
	switch r := r.(type) {
	case interface{ Len() int }:
		s += fmt.Sprintf(", %d bytes left", r.Len())
	case *io.LimitedReader:
		s += fmt.Sprintf(", at most %d bytes left", r.N)
	case interface{ Buffered() int }:
		s += fmt.Sprintf(", %d bytes in its buffer", r.Buffered())
	}
	return s
}

const maxWrapped = 30 // shown errors of a chain

// wrapped returns the errors that an error wraps, one per line, to show below it.
func wrapped(err error) string {
	var b strings.Builder
	left := maxWrapped
	var walk func(err error, depth int)
	walk = func(err error, depth int) {
		var inner []error
		switch e := err.(type) {
		case interface{ Unwrap() error }:
			inner = []error{e.Unwrap()}
		case interface{ Unwrap() []error }:
			inner = e.Unwrap()
		}
		for _, e := range inner {
			if e == nil {
				continue
			}
			if left--; left < 0 {
				return
			}
			name := valueOf(e).typeName()
			fmt.Fprintf(&b, "\n%swraps %s: %s", strings.Repeat("  ", depth), strings.TrimPrefix(name, "main."), oneLine(e.Error(), 2*maxLine))
			walk(e, depth+1)
		}
	}
	walk(err, 1)
	if left < 0 {
		b.WriteString("\n  … and more")
	}
	return b.String()
}
