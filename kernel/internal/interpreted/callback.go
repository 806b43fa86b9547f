package interpreted

import (
	"reflect"
	"runtime"
)

// heed ends the calling goroutine if its cell was interrupted. Compiled code goes on while an
// interrupt is under way, and so would what calls a function of the session a million times: the
// function does nothing then, and does not keep its caller from calling it again.
func (in *Interpreter) heed() {
	if !in.control.stopping.Load() {
		return
	}
	// A goroutine that compiled code has started is left to it: others may wait for what it does.
	if t := in.task(); t != nil && in.control.stopped(t) {
		runtime.Goexit()
	}
}

// heeds returns a function that is given to compiled code as one that heeds interrupts, before it
// does anything, and after, so that its caller does not go on with what an interrupt has cut short.
// Its type has no name.
func (in *Interpreter) heeds(f any) any {
	v := reflect.ValueOf(f)
	if v.Kind() != reflect.Func || v.IsNil() {
		return f
	}
	// These are called often, and take a tenth of the time of what is made of a type at run time.
	switch f := f.(type) {
	case func():
		return func() { in.heed(); f(); in.heed() }
	case func(int):
		return func(n int) { in.heed(); f(n); in.heed() }
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
	return reflect.MakeFunc(t, func(args []reflect.Value) []reflect.Value {
		in.heed()
		results := call(args)
		in.heed()
		return results
	}).Interface()
}

func heedful[A, R any](in *Interpreter, f func(A) R) func(A) R {
	return func(a A) R {
		in.heed()
		r := f(a)
		in.heed()
		return r
	}
}

func heedful2[A, B, R any](in *Interpreter, f func(A, B) R) func(A, B) R {
	return func(a A, b B) R {
		in.heed()
		r := f(a, b)
		in.heed()
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
