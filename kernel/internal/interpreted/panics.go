package interpreted

import (
	"fmt"
	"github.com/hierml/notebook/kernel/internal/interpreted/values"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// iterated panics because the iterator of a range over a function did not keep to what it may do:
// it called the body in a state in which it must not, or, in state 4, recovered the body's panic.
func iterated(state int) {
	panic(map[int]values.GoError{
		1: "range function continued iteration after function for loop body returned false",
		2: "range function continued iteration after loop body panic",
		3: "range function continued iteration after whole loop exit",
		4: "range function recovered a loop body panic and did not resume panicking",
	}[state])
}

// caught returns the value that compiled Go would have panicked with, for one that was recovered on
// a goroutine, and what the panic passed.
func (in *Interpreter) caught(value any, goroutine uint64) (any, trace) {
	passed := in.frames.take(goroutine)
	return translated(value, passed.fault), passed
}

// conversion matches the panic of reflect for a slice that is too short.
var conversion = regexp.MustCompile(`^reflect: cannot convert slice with length (\d+) to (?:pointer to )?array with length (\d+)$`)

// translated returns the value that compiled Go would have panicked with, given the operation that
// did.
func translated(v any, f fault) any {
	if r, ok := v.(reflect.Value); ok {
		if !r.IsValid() || !r.CanInterface() {
			return values.NilDereference
		}
		v = r.Interface()
	}
	if f.compiled {
		return v
	}
	if _, ok := v.(*reflect.ValueError); ok {
		return values.NilDereference
	}
	if err, ok := v.(runtime.Error); ok && f.operation == "_make" && strings.HasSuffix(err.Error(), "allocation size out of range") {
		return f.or("makeslice: len out of range")
	}
	if err, ok := v.(runtime.Error); ok && f.keyType != "" {
		for _, words := range []string{"hash of unhashable type: ", "runtime error: hash of unhashable type ", "runtime error: comparing uncomparable type "} {
			switch {
			case !strings.HasPrefix(err.Error(), words):
			case f.assigned: // yaegi has looked for the entry first, which fails in other words where there is none
				return values.GoError("hash of unhashable type " + f.keyType)
			default:
				return values.PlainError(words + f.keyType)
			}
		}
	}
	text, ok := v.(string)
	if !ok {
		return v
	}
	switch {
	case strings.HasPrefix(text, "reflect: slice index out of range"),
		strings.HasPrefix(text, "reflect: array index out of range"),
		strings.HasPrefix(text, "reflect: string index out of range"):
		return f.or("index out of range")
	case strings.HasPrefix(text, "reflect.Value.Slice"), strings.HasPrefix(text, "reflect.Value.Slice3"):
		return f.or("slice bounds out of range")
	case strings.HasPrefix(text, "reflect: call of reflect.Value."), text == "reflect: call of nil function",
		text == "reflect: Call using zero Value argument", text == "reflect: Method on nil interface value",
		strings.HasPrefix(text, "reflect.Value.Call: call of nil function"), strings.HasPrefix(text, "reflect: Value.Call: call of nil function"):
		return values.NilDereference
	case strings.HasPrefix(text, "reflect.MakeSlice: negative len"):
		return f.or("makeslice: len out of range")
	case strings.HasPrefix(text, "reflect.MakeSlice: len > cap"), strings.HasPrefix(text, "reflect.MakeSlice: negative cap"):
		return f.or("makeslice: cap out of range")
	case strings.HasPrefix(text, "reflect.Value.Grow: slice overflow"):
		return values.GoError("growslice: len out of range")
	case strings.HasPrefix(text, "reflect.MakeChan: negative buffer size"):
		return values.PlainError("makechan: size out of range")
	}
	if m := conversion.FindStringSubmatch(text); m != nil {
		return values.GoError(fmt.Sprintf("cannot convert slice with length %s to array or pointer to array with length %s", m[1], m[2]))
	}
	return v
}

// or returns the error of the operation, or what is known without its operands.
func (f fault) or(words string) values.GoError {
	if f.words != "" {
		return values.GoError(f.words)
	}
	return values.GoError(words)
}

// panicValue is the value that panic(v) panics with.
func panicValue(v any) any {
	if v == nil {
		return new(runtime.PanicNilError)
	}
	return v
}

// count returns the count of a shift.
func count(n int64) uint64 {
	if n < 0 {
		panic(values.GoError("negative shift amount"))
	}
	return uint64(n)
}

// message words a panic as the Go run time prints it, after those that it took the place of.
func (t trace) message(value any) string {
	return strings.Join(append(slices.Clone(t.before), t.text(value)), "\n\tpanic: ")
}

func (t trace) text(value any) string {
	if t.again {
		return panicText(value) + " [recovered, repanicked]"
	}
	return panicText(value)
}

// same reports whether two values are one.
func same(a, b any) bool {
	return a != nil && b != nil && reflect.TypeOf(a) == reflect.TypeOf(b) && reflect.ValueOf(a).Comparable() && a == b
}

// panicText words the value of a panic, as caught returns it.
func panicText(v any) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprintf("(%s), whose method panicked: %v", values.TypeName(v), translated(r, fault{}))
		}
		text = strings.ReplaceAll(text, "\n", "\n\t")
	}()
	if c, ok := values.Carried(v); ok {
		return c.PanicText()
	}
	switch v := v.(type) {
	case error:
		return v.Error()
	case fmt.Stringer:
		return v.String()
	case string:
		return v
	case bool, int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64, uintptr, float32, float64, complex64, complex128:
		return fmt.Sprint(v)
	}
	return fmt.Sprintf("(%T) %+v", v, v)
}
