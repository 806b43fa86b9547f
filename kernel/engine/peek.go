package engine

import (
	"context"
	"errors"
	"fmt"
	"go/types"
	"strconv"
	"strings"
	"time"
)

// peekPatience bounds how long inspection waits for a value.
var peekPatience = 300 * time.Millisecond

// asideNumber is what the numbers of cells begin with that only look at
// variables: sessions have fewer cells than that.
const asideNumber = 1 << 40

// maxGlance bounds, in bytes, how much of a value inspection shows.
const maxGlance = 200

// valueOf returns the value of a variable of the session in a few words; empty
// while a cell runs, and where the value could not be shown without running
// code of the user's or reading what a goroutine may be changing.
func (e *Engine) valueOf(v *types.Var) string {
	name, t := v.Name(), v.Type()
	u := t.Underlying()
	switch u := u.(type) {
	case *types.Basic:
		if !e.plain(t) {
			return ""
		}
		if u.Info()&types.IsString != 0 {
			text, ok := e.peek(fmt.Sprintf("%s[:min(len(%s), %d)]", name, name, maxGlance))
			if !ok {
				return ""
			}
			if len(text) == maxGlance {
				return strconv.Quote(strings.ToValidUTF8(text, "")) + "..."
			}
			return strconv.Quote(text)
		}
	case *types.Array, *types.Struct:
		if !e.plain(t) {
			return ""
		}
	case *types.Slice:
		length, ok := e.peek(fmt.Sprintf("len(%s)", name))
		if !ok {
			return ""
		}
		const few = 10
		if n, err := strconv.Atoi(length); err == nil && n <= few && e.plain(u.Elem()) {
			if text, ok := e.peek(fmt.Sprintf("%s[:min(len(%s), %d)]", name, name, few)); ok {
				return cutText(text)
			}
		}
		return "length " + length
	case *types.Map, *types.Chan:
		if length, ok := e.peek(fmt.Sprintf("len(%s)", name)); ok {
			return "length " + length
		}
		return ""
	case *types.Pointer, *types.Signature, *types.Interface:
		if isNil, ok := e.peek(name + " == nil"); ok && isNil == "true" {
			return "nil"
		}
		return ""
	default:
		return ""
	}
	text, _ := e.peek(name)
	return cutText(text)
}

func cutText(text string) string {
	if len(text) > maxGlance {
		return strings.ToValidUTF8(text[:maxGlance], "") + "..."
	}
	return text
}

// plain reports whether values of a type are numbers, strings and what is made
// of a few of them, and have no methods of the user's.
func (e *Engine) plain(t types.Type) bool {
	if named, ok := types.Unalias(t).(*types.Named); ok && isSession(named.Obj()) && types.NewMethodSet(types.NewPointer(t)).Len() > 0 {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() != types.UnsafePointer
	case *types.Array:
		return u.Len() <= 100 && e.plain(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if _, basic := f.Type().Underlying().(*types.Basic); !basic || !e.plain(f.Type()) || !isSession(f) {
				return false
			}
		}
		return true
	}
	return false
}

// peek returns the text of an expression of variables, unless something runs.
// What processes and goroutines write meanwhile goes where it would otherwise.
func (e *Engine) peek(source string) (text string, ok bool) {
	e.mu.Lock()
	out, compiled := e.last, e.compiled
	e.mu.Unlock()
	// A look at a value is not worth to be compiled.
	if out == nil || compiled || e.running.Load() > 0 || !e.declaring.TryLock() {
		return "", false
	}
	type answer struct {
		bundle *Bundle
		err    error
	}
	answers := make(chan answer, 1)
	number := asideNumber + int(e.peeks.Add(1))
	l, program, err := e.interpret(newSource(Cell{Number: number, Source: source, Aside: true}))
	if err != nil {
		e.declaring.Unlock()
		return "", false
	}
	go func() {
		bundle, err := e.executor.Run(context.Background(), program, out)
		e.mu.Lock()
		l.commit(0)
		e.checker.forget(l.k.source)
		var death *DeathError
		if errors.As(err, &death) {
			_ = e.buried(death) // the next cell will say what is lost
		}
		e.mu.Unlock()
		e.declaring.Unlock() // whoever gets the answer may look at the next value
		answers <- answer{bundle, err}
	}()
	select {
	case a := <-answers:
		if a.err != nil || a.bundle == nil {
			return "", false
		}
		text, ok = a.bundle.Data["text/plain"].(string)
		return text, ok
	case <-time.After(peekPatience):
		return "", false
	}
}

// forget drops a source that no declaration is in.
func (c *checker) forget(src *source) {
	for file, s := range c.sources {
		if s == src {
			delete(c.sources, file)
			c.fset.RemoveFile(file)
		}
	}
}
