package interpreted

import (
	"reflect"
	"runtime"
	"time"

	"github.com/traefik/yaegi/interp"
)

// stopIfCancelled ends the calling goroutine if its cell was interrupted. Compiled code goes on
// during an interrupt, and could call a function of the session a million more times. The function
// then does nothing, so that its caller goes on without it.
func (in *Interpreter) stopIfCancelled() {
	if t := in.interruptedTask(); t != nil && !t.mayReturn() {
		runtime.Goexit()
	}
}

// mayReturn reports whether compiled code may still return results to the cell: for as long as
// deferred calls, starting with the first function that an interrupt reaches.
func (t *task) mayReturn() bool {
	if !t.keeps.Load() {
		return false
	}
	t.until.CompareAndSwap(0, time.Now().Add(forDeferred).UnixNano())
	return time.Now().UnixNano() < t.until.Load()
}

// interruptedTask returns the task of the calling goroutine if it was interrupted. It ignores
// goroutines that compiled code has started: others may wait for them.
func (in *Interpreter) interruptedTask() *task {
	if !in.control.stopping.Load() && !in.lingering.Load() {
		return nil
	}
	if t := in.task(); t != nil && in.control.stopped(t) {
		return t
	}
	return nil
}

// tell is stopIfCancelled for a function that returns an error: once per task it returns one, so
// that its caller can return its results.
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

// linger records whether goroutines of interrupted cells are left. They were in compiled code
// during the interrupt, and end when they leave it. in.mu is held.
func (in *Interpreter) linger() {
	for _, t := range in.tasks {
		if t.ctx.Err() != nil {
			in.lingering.Store(true)
			return
		}
	}
	in.lingering.Store(false)
}

// interruptibleFunc wraps a function for compiled code, so that it checks for interrupts before and
// after each call, and its caller does not go on with incomplete results. The result has an unnamed
// type. A function that returns an error reports the interrupt with it.
func (in *Interpreter) interruptibleFunc(f any) any {
	v := reflect.ValueOf(f)
	if v.Kind() != reflect.Func || v.IsNil() {
		return f
	}
	// These types are called often, and take a tenth of the time of a function made at run time.
	switch f := f.(type) {
	case func():
		return func() { in.stopIfCancelled(); f(); in.stopIfCancelled() }
	case func(int):
		return func(n int) { in.stopIfCancelled(); f(n); in.stopIfCancelled() }
	case func(int) bool:
		return interruptibleFunc1(in, f)
	case func(rune) bool:
		return interruptibleFunc1(in, f)
	case func(rune) rune:
		return interruptibleFunc1(in, f)
	case func(string) string:
		return interruptibleFunc1(in, f)
	case func(float64) float64:
		return interruptibleFunc1(in, f)
	case func([]float64) float64:
		return interruptibleFunc1(in, f)
	case func(int, int) bool:
		return interruptibleFunc2(in, f)
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

func interruptibleFunc1[A, R any](in *Interpreter, f func(A) R) func(A) R {
	return func(a A) R {
		in.stopIfCancelled()
		r := f(a)
		in.stopIfCancelled()
		return r
	}
}

func interruptibleFunc2[A, B, R any](in *Interpreter, f func(A, B) R) func(A, B) R {
	return func(a A, b B) R {
		in.stopIfCancelled()
		r := f(a, b)
		in.stopIfCancelled()
		return r
	}
}

// unnamed returns the underlying function type of a named one.
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

// elsewhereCalling are the compiled functions that call their arguments, or functions in fields of
// these, in their own goroutines, and wait for these.
var elsewhereCalling = map[string][]string{
	"gonum.org/v1/gonum/optimize/optimize":   {"Minimize"},
	"gonum.org/v1/gonum/integrate/quad/quad": {"Fixed"},
	"gonum.org/v1/gonum/diff/fd/fd":          {"CrossLaplacian", "Gradient", "Hessian", "Jacobian", "Laplacian"},
}

// elsewhere are replacements for these functions, which end with the cell: the originals are
// abandoned, and their goroutines end at the next call of an argument.
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

// ending replaces a function, or the functions in the fields of a struct, by functions that end
// their goroutine when the task is interrupted. Other values stay.
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
				f.Set(t.ending(v.Field(i))) // f would be the new function at the time of the call
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
