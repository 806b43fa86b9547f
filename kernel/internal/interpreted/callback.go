package interpreted

import (
	"reflect"
	"runtime"
	"time"

	"github.com/traefik/yaegi/interp"
)

// stopIfCancelled ends the calling goroutine if its cell was interrupted. Compiled code goes on
// while an interrupt is under way, and so would what calls a function of the session a million
// times: the function does nothing then, and does not keep its caller from calling it again.
func (in *Interpreter) stopIfCancelled() {
	if t := in.interruptedTask(); t != nil && !t.mayReturn() {
		runtime.Goexit()
	}
}

// mayReturn reports whether compiled code may go on to return results that the cell keeps: for as
// long as deferred calls, from the first function that an interrupt reaches.
func (t *task) mayReturn() bool {
	if !t.keeps.Load() {
		return false
	}
	t.until.CompareAndSwap(0, time.Now().Add(forDeferred).UnixNano())
	return time.Now().UnixNano() < t.until.Load()
}

// interruptedTask returns the task of the calling goroutine if it was interrupted. A goroutine that
// compiled code has started is left to it: others may wait for what it does.
func (in *Interpreter) interruptedTask() *task {
	if !in.control.stopping.Load() && !in.lingering.Load() {
		return nil
	}
	if t := in.task(); t != nil && in.control.stopped(t) {
		return t
	}
	return nil
}

// tell is heed for a function that returns an error: once in a task it returns one, so that its
// caller can return what it has.
func (in *Interpreter) tell() error {
	t := in.interruptedTask()
	if t == nil {
		return nil
	}
	if t.told.Swap(true) && !t.mayReturn() {
		runtime.Goexit()
	}
	return t.ctx.Err()
}

// linger notes whether goroutines of interrupted cells are left. They were in compiled code while
// the interrupt was under way, and heed it when they leave that. It is called with in.mu held.
func (in *Interpreter) linger() {
	for _, t := range in.tasks {
		if t.ctx.Err() != nil {
			in.lingering.Store(true)
			return
		}
	}
	in.lingering.Store(false)
}

// heeds returns a function that is given to compiled code as one that heeds interrupts, before it
// does anything, and after, so that its caller does not go on with what an interrupt has cut short.
// Its type has no name. One that returns an error tells of the interrupt by that.
func (in *Interpreter) heeds(f any) any {
	v := reflect.ValueOf(f)
	if v.Kind() != reflect.Func || v.IsNil() {
		return f
	}
	// These are called often, and take a tenth of the time of what is made of a type at run time.
	switch f := f.(type) {
	case func():
		return func() { in.stopIfCancelled(); f(); in.stopIfCancelled() }
	case func(int):
		return func(n int) { in.stopIfCancelled(); f(n); in.stopIfCancelled() }
	case func(int) bool:
		return heedful(in, f)
	case func(rune) bool:
		return heedful(in, f)
	case func(rune) rune:
		return heedful(in, f)
	case func(string) string:
		return heedful(in, f)
	case func(float64) float64:
		return heedful(in, f)
	case func([]float64) float64:
		return heedful(in, f)
	case func(int, int) bool:
		return heedful2(in, f)
	}
	t := v.Type()
	if t.Name() != "" {
		t = unnamed(t)
	}
	call := v.Call
	if t.IsVariadic() {
		call = v.CallSlice
	}
	last := t.NumOut() - 1
	if last < 0 || t.Out(last) != reflect.TypeFor[error]() {
		return reflect.MakeFunc(t, func(args []reflect.Value) []reflect.Value {
			in.stopIfCancelled()
			results := call(args)
			in.stopIfCancelled()
			return results
		}).Interface()
	}
	return reflect.MakeFunc(t, func(args []reflect.Value) []reflect.Value {
		err := in.tell()
		if err == nil {
			results := call(args)
			if err = in.tell(); err == nil {
				return results
			}
		}
		results := make([]reflect.Value, last+1)
		for i := range last {
			results[i] = reflect.Zero(t.Out(i))
		}
		results[last] = reflect.ValueOf(&err).Elem()
		return results
	}).Interface()
}

func heedful[A, R any](in *Interpreter, f func(A) R) func(A) R {
	return func(a A) R {
		in.stopIfCancelled()
		r := f(a)
		in.stopIfCancelled()
		return r
	}
}

func heedful2[A, B, R any](in *Interpreter, f func(A, B) R) func(A, B) R {
	return func(a A, b B) R {
		in.stopIfCancelled()
		r := f(a, b)
		in.stopIfCancelled()
		return r
	}
}

// unnamed returns the type of functions that a named one is made of.
func unnamed(t reflect.Type) reflect.Type {
	params, results := make([]reflect.Type, t.NumIn()), make([]reflect.Type, t.NumOut())
	for i := range params {
		params[i] = t.In(i)
	}
	for i := range results {
		results[i] = t.Out(i)
	}
	return reflect.FuncOf(params, results, t.IsVariadic())
}

// elsewhereCalling are the compiled functions that call what they are given, or the functions in
// the fields of it, in goroutines of their own, for which they wait.
var elsewhereCalling = map[string][]string{
	"gonum.org/v1/gonum/optimize/optimize":   {"Minimize"},
	"gonum.org/v1/gonum/integrate/quad/quad": {"Fixed"},
	"gonum.org/v1/gonum/diff/fd/fd":          {"CrossLaplacian", "Gradient", "Hessian", "Jacobian", "Laplacian"},
}

// elsewhere are stand-ins for these functions, which end with the cell: they are left behind, and
// their goroutines end at the next call of what they were given.
func (in *Interpreter) elsewhere() interp.Exports {
	exports := interp.Exports{}
	for key, names := range elsewhereCalling {
		exports[key] = map[string]reflect.Value{}
		for _, name := range names {
			f := in.config.Symbols[key][name]
			if !f.IsValid() {
				continue
			}
			apart := in.leaving("", f)
			exports[key][name] = reflect.MakeFunc(f.Type(), func(args []reflect.Value) []reflect.Value {
				if t := in.task(); t != nil {
					for i, arg := range args {
						args[i] = t.ending(arg)
					}
				}
				return apart.Call(args)
			})
		}
	}
	return exports
}

// ending returns a function, or a struct with functions in its fields, with functions in their
// place that end their goroutine when the task is interrupted. Other values stay.
func (t *task) ending(v reflect.Value) reflect.Value {
	switch v.Kind() {
	case reflect.Func:
		if v.IsNil() || v.Type().IsVariadic() {
			return v
		}
		return reflect.MakeFunc(v.Type(), func(args []reflect.Value) []reflect.Value {
			t.leave()
			results := v.Call(args)
			t.leave()
			return results
		})
	case reflect.Struct:
		with := reflect.New(v.Type()).Elem()
		with.Set(v)
		for i := range v.NumField() {
			if f := with.Field(i); f.Kind() == reflect.Func && f.CanSet() {
				f.Set(t.ending(v.Field(i))) // f itself would be the new function when it is called
			}
		}
		return with
	}
	return v
}

// leave ends the calling goroutine if the task was interrupted.
func (t *task) leave() {
	if t.ctx.Err() != nil {
		runtime.Goexit()
	}
}
