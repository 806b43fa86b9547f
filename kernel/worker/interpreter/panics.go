package interpreter

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
)

// goError is a run-time error in the words of compiled Go, for one that the
// interpreter words in terms of its own workings.
type goError string

func (e goError) Error() string { return "runtime error: " + string(e) }

// RuntimeError makes it a runtime.Error.
func (goError) RuntimeError() {}

var _ runtime.Error = goError("")

const nilDereference = goError("invalid memory address or nil pointer dereference")

// translated returns the value that compiled Go would have panicked with.
func translated(v any) any {
	if r, ok := v.(reflect.Value); ok {
		if !r.IsValid() || !r.CanInterface() {
			return nilDereference
		}
		v = r.Interface()
	}
	if _, ok := v.(*reflect.ValueError); ok {
		return nilDereference
	}
	text, ok := v.(string)
	if !ok {
		return v
	}
	switch {
	case strings.HasPrefix(text, "reflect: slice index out of range"),
		strings.HasPrefix(text, "reflect: array index out of range"),
		strings.HasPrefix(text, "reflect: string index out of range"):
		return goError("index out of range")
	case strings.HasPrefix(text, "reflect.Value.Slice"), strings.HasPrefix(text, "reflect.Value.Slice3"):
		return goError("slice bounds out of range")
	case strings.HasPrefix(text, "reflect: call of reflect.Value."), text == "reflect: call of nil function",
		text == "reflect: Call using zero Value argument", text == "reflect: Method on nil interface value",
		strings.HasPrefix(text, "reflect.Value.Call: call of nil function"), strings.HasPrefix(text, "reflect: Value.Call: call of nil function"):
		return nilDereference
	case strings.HasPrefix(text, "reflect.MakeSlice: negative len"), strings.HasPrefix(text, "reflect.MakeSlice: len"):
		return goError("makeslice: len out of range")
	case strings.HasPrefix(text, "reflect.MakeSlice: negative cap"):
		return goError("makeslice: cap out of range")
	}
	return v
}

// panicText words the value of a panic as the Go run time prints it.
func panicText(v any) string {
	v = translated(v)
	if c, ok := carried(v); ok {
		return c.panicText()
	}
	switch v := v.(type) {
	case nil:
		return "panic called with nil argument (use GODEBUG=panicnil=1 to disable)"
	case error:
		return v.Error()
	case fmt.Stringer:
		return v.String()
	case string:
		return v
	case bool, int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64, uintptr:
		return fmt.Sprint(v)
	case float32:
		return fmt.Sprintf("%e", v)
	case float64:
		return fmt.Sprintf("%e", v)
	}
	return fmt.Sprintf("(%T) %+v", v, v)
}
