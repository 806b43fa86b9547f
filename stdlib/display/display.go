// Package display turns a value into what a notebook shows of it: the same
// thing in several MIME types, of which the front end takes the richest it
// can draw, and always as text.
//
// A type decides how it is shown by having any of the methods
//
//	HTML() string    Markdown() string    LaTeX() string
//	SVG() string     PNG() []byte         JPEG() []byte
//	MimeBundle() map[string]any
//
// each of which may also return an error. Plots, images, gonum's matrices
// and taxonomies are drawn without. A struct whose methods are those of its
// pointer is shown as the pointer is. What is shown is bounded in size, and a
// method that panics is reported in the text instead of ending the cell.
package display

import (
	"fmt"
	"image"
	"reflect"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
)

// The MIME types this package makes.
const (
	Text     = "text/plain"
	HTML     = "text/html"
	Markdown = "text/markdown"
	LaTeX    = "text/latex"
	SVG      = "image/svg+xml"
	PNG      = "image/png"
	JPEG     = "image/jpeg"
)

// A Bundle is one value in several representations, by MIME type: text as a
// string, binary data as []byte, and anything else as a value for
// encoding/json. Metadata, under the same keys, says how to show them.
type Bundle struct {
	Data     map[string]any
	Metadata map[string]any
}

// Text returns the representation as plain text.
func (b *Bundle) Text() string {
	s, _ := b.Data[Text].(string)
	return s
}

// Of returns what a notebook shows of the values of an expression, of which a
// function call may have several: nothing, that is nil, for nil and for a nil
// error beside other values; the value itself where one is left; else the text
// of all of them in a line.
func Of(values ...any) *Bundle {
	var shown []any
	for _, v := range values {
		if v != nil {
			shown = append(shown, v)
		}
	}
	switch len(shown) {
	case 0:
		return nil
	case 1:
		return of(shown[0])
	}
	texts := make([]string, len(shown))
	for i, v := range shown {
		texts[i] = text(withMethods(v))
	}
	return &Bundle{Data: map[string]any{Text: bounded(strings.Join(texts, " "))}}
}

func of(v any) *Bundle {
	v = withMethods(v)
	b := &Bundle{Data: map[string]any{}, Metadata: map[string]any{}}
	var faults []string
	try := func(what string, f func() error) {
		defer func() {
			if r := recover(); r != nil {
				faults = append(faults, fmt.Sprintf("%s of %T panicked: %v", what, v, r))
			}
		}()
		if err := f(); err != nil {
			faults = append(faults, fmt.Sprintf("%s of %T: %v", what, v, err))
		}
	}
	if !isNilPointer(v) {
		silent := false
		try("MimeBundle", func() error {
			has, err := b.whole(v)
			silent = has && err == nil && len(b.Data) == 0
			return err
		})
		if silent {
			return nil
		}
		for _, m := range methods {
			try(m.name, func() error { return b.method(m, v) })
		}
		try("drawing", func() error { return b.known(v) })
	}
	if _, has := b.Data[Text]; !has {
		b.Data[Text] = named(v, text(v))
	}
	if len(faults) > 0 {
		b.Data[Text] = b.Text() + "\n" + bounded(strings.Join(faults, "\n"))
	}
	b.bound()
	if len(b.Metadata) == 0 {
		b.Metadata = nil
	}
	return b
}

// withMethods returns a pointer to a copy of a struct that cannot show itself,
// where the pointer can, and other values as they are. A struct whose pointer
// fails to say what it is, as some do that nothing was put into, stays as it is.
func withMethods(v any) any {
	r := reflect.ValueOf(v)
	if r.Kind() != reflect.Struct || showsItself(r.Type()) || !showsItself(reflect.PointerTo(r.Type())) {
		return v
	}
	p := reflect.New(r.Type())
	p.Elem().Set(r)
	if !saysWhatItIs(p.Interface()) {
		return v
	}
	return p.Interface()
}

// saysWhatItIs tells whether the value has a text that can be made, if it has one.
func saysWhatItIs(v any) (can bool) {
	defer func() {
		if recover() != nil {
			can = false
		}
	}()
	if s, ok := v.(fmt.Stringer); ok {
		_ = s.String()
	}
	return true
}

// showsItself tells whether values of the type have a text or a picture of their own.
func showsItself(t reflect.Type) bool {
	return slices.ContainsFunc(ways, t.Implements) || t == reflect.TypeFor[*plot.Plot]()
}

// ways are the methods by which a value shows itself.
var ways = []reflect.Type{
	reflect.TypeFor[error](), reflect.TypeFor[fmt.Stringer](), reflect.TypeFor[fmt.Formatter](),
	reflect.TypeFor[interface{ MimeBundle() map[string]any }](), reflect.TypeFor[interface {
		MimeBundle() (map[string]any, error)
	}](),
	reflect.TypeFor[interface{ HTML() string }](), reflect.TypeFor[interface{ HTML() (string, error) }](),
	reflect.TypeFor[interface{ Markdown() string }](), reflect.TypeFor[interface{ Markdown() (string, error) }](),
	reflect.TypeFor[interface{ LaTeX() string }](), reflect.TypeFor[interface{ LaTeX() (string, error) }](),
	reflect.TypeFor[interface{ SVG() string }](), reflect.TypeFor[interface{ SVG() (string, error) }](),
	reflect.TypeFor[interface{ PNG() []byte }](), reflect.TypeFor[interface{ PNG() ([]byte, error) }](),
	reflect.TypeFor[interface{ JPEG() []byte }](), reflect.TypeFor[interface{ JPEG() ([]byte, error) }](),
	reflect.TypeFor[image.Image](), reflect.TypeFor[mat.Matrix](),
}

func isNilPointer(v any) bool {
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Func, reflect.Chan, reflect.Interface:
		return r.IsNil()
	}
	return false
}

// A method is a way for a value to show itself.
type method struct {
	name, mime string
	call       func(v any) (data any, has bool, err error)
}

var methods = []method{
	{"HTML", HTML, func(v any) (any, bool, error) {
		return result(v, func(x interface{ HTML() string }) (string, error) { return x.HTML(), nil },
			func(x interface{ HTML() (string, error) }) (string, error) { return x.HTML() })
	}},
	{"Markdown", Markdown, func(v any) (any, bool, error) {
		return result(v, func(x interface{ Markdown() string }) (string, error) { return x.Markdown(), nil },
			func(x interface{ Markdown() (string, error) }) (string, error) { return x.Markdown() })
	}},
	{"LaTeX", LaTeX, func(v any) (any, bool, error) {
		return result(v, func(x interface{ LaTeX() string }) (string, error) { return x.LaTeX(), nil },
			func(x interface{ LaTeX() (string, error) }) (string, error) { return x.LaTeX() })
	}},
	{"SVG", SVG, func(v any) (any, bool, error) {
		return result(v, func(x interface{ SVG() string }) (string, error) { return x.SVG(), nil },
			func(x interface{ SVG() (string, error) }) (string, error) { return x.SVG() })
	}},
	{"PNG", PNG, func(v any) (any, bool, error) {
		return result(v, func(x interface{ PNG() []byte }) ([]byte, error) { return x.PNG(), nil },
			func(x interface{ PNG() ([]byte, error) }) ([]byte, error) { return x.PNG() })
	}},
	{"JPEG", JPEG, func(v any) (any, bool, error) {
		return result(v, func(x interface{ JPEG() []byte }) ([]byte, error) { return x.JPEG(), nil },
			func(x interface{ JPEG() ([]byte, error) }) ([]byte, error) { return x.JPEG() })
	}},
}

// result calls the method in whichever of its two forms the value has.
func result[P, F any, T string | []byte](v any, plain func(P) (T, error), failing func(F) (T, error)) (any, bool, error) {
	switch x := v.(type) {
	case P:
		data, err := plain(x)
		return data, true, err
	case F:
		data, err := failing(x)
		return data, true, err
	}
	return nil, false, nil
}

func (b *Bundle) method(m method, v any) error {
	if _, has := b.Data[m.mime]; has {
		return nil
	}
	data, has, err := m.call(v)
	if has && err == nil && reflect.ValueOf(data).Len() > 0 {
		b.Data[m.mime] = data
	}
	return err
}

// whole takes over the bundle that the value makes by itself.
func (b *Bundle) whole(v any) (has bool, err error) {
	var data map[string]any
	switch x := v.(type) {
	case interface{ MimeBundle() map[string]any }:
		data = x.MimeBundle()
	case interface {
		MimeBundle() (map[string]any, error)
	}:
		data, err = x.MimeBundle()
	default:
		return false, nil
	}
	for mime, d := range data {
		b.Data[mime] = d
	}
	return true, err
}
