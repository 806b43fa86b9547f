package engine

import (
	"context"
	"errors"
	"go/types"
	"strconv"
	"strings"
	"time"

	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/state"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// peekPatience bounds how long inspection waits for a value.
var peekPatience = 300 * time.Millisecond

// asideNumber is the lowest number of the hidden cells that only read variables. Sessions have
// fewer cells than that.
const asideNumber = 1 << 40

// maxGlance bounds, in bytes, how much of a value inspection shows.
const maxGlance = 200

// valueOf returns the value of a session variable in a few words. It is empty while a cell runs. It
// is also empty if showing the value would call user code or read memory that a goroutine may be
// writing.
func (e *Engine) valueOf(v *types.Var) string {
	name, t := v.Name(), v.Type()
	u := t.Underlying()
	switch u := u.(type) {
	case *types.Basic:
		if !e.plain(t) {
			return ""
		}
		if u.Info()&types.IsString != 0 {
			text, ok := e.peek(look{name: name, aspect: program.LookValue, most: maxGlance})
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
		length, ok := e.peek(look{name: name, aspect: program.LookLength})
		if !ok {
			return ""
		}
		const few = 10
		if n, err := strconv.Atoi(length); err == nil && n <= few && e.plain(u.Elem()) {
			if text, ok := e.peek(look{name: name, aspect: program.LookValue, most: few}); ok {
				return cutText(text)
			}
		}
		return "length " + length
	case *types.Map, *types.Chan:
		if length, ok := e.peek(look{name: name, aspect: program.LookLength}); ok {
			return "length " + length
		}
		return ""
	case *types.Pointer, *types.Signature, *types.Interface:
		if isNil, ok := e.peek(look{name: name, aspect: program.LookNil}); ok && isNil == "true" {
			return "nil"
		}
		return ""
	default:
		return ""
	}
	text, _ := e.peek(look{name: name, aspect: program.LookValue})
	return cutText(text)
}

func cutText(text string) string {
	if len(text) > maxGlance {
		return strings.ToValidUTF8(text[:maxGlance], "") + "..."
	}
	return text
}

// plain reports whether values of a type are numbers, strings or small composites of them, without
// user methods.
func (e *Engine) plain(t types.Type) bool {
	if named, ok := types.Unalias(t).(*types.Named); ok && state.IsSession(named.Obj()) && types.NewMethodSet(types.NewPointer(t)).Len() > 0 {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() != types.UnsafePointer
	case *types.Array:
		return u.Len() <= 100 && e.plain(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if _, basic := f.Type().Underlying().(*types.Basic); !basic || !e.plain(f.Type()) || !state.IsSession(f) {
				return false
			}
		}
		return true
	}
	return false
}

// peek returns the text of a variable unless a cell is running. The output of processes and
// goroutines is not affected.
func (e *Engine) peek(at look) (text string, ok bool) {
	e.mu.Lock()
	out := e.last
	e.mu.Unlock()
	if out == nil || e.running.Load() > 0 || !e.declaring.TryLock() {
		return "", false
	}
	number := asideNumber + int(e.peeks.Add(1))
	ask, ok := e.asking(at, number, out)
	if !ok {
		e.declaring.Unlock()
		return "", false
	}
	answers := make(chan string, 1)
	go func() {
		text, err := ask()
		e.declaring.Unlock() // the caller may read the next value
		if err == nil {
			answers <- text
		}
		close(answers)
	}()
	select {
	case text, ok := <-answers:
		return text, ok
	case <-time.After(peekPatience):
		return "", false
	}
}

// asking returns a function that asks the executor for a variable. The caller holds e.declaring.
func (e *Engine) asking(at look, number int, out program.Output) (ask func() (string, error), ok bool) {
	e.mu.Lock()
	compiled := e.compiled
	question, there := program.Look{}, false
	if compiled {
		question, there = e.compiledLook(at)
	}
	e.mu.Unlock()
	if compiled {
		return func() (string, error) {
			texts, err := e.lookAt(context.Background(), number, []program.Look{question}, out)
			if err != nil {
				return "", err
			}
			return texts[0], nil
		}, there
	}
	src := syntax.NewSource(program.Cell{Number: number, Source: at.expression(), Aside: true})
	w, err := e.write(context.Background(), syntax.NewLexed(src), false)
	if err != nil {
		return nil, false
	}
	return func() (string, error) {
		bundle, err := e.executor.Run(context.Background(), w.p, out)
		e.mu.Lock()
		w.l.Commit(0)
		e.checker.Forget(w.l.K.Source)
		e.noteDeath(err) // the next cell reports what is lost
		e.mu.Unlock()
		if err != nil {
			return "", err
		}
		if bundle != nil {
			if text, ok := bundle.Data["text/plain"].(string); ok {
				return text, nil
			}
		}
		return "", errors.New("the variable shows no text")
	}, true
}
