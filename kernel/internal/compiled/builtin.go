package compiled

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// Builtin implements cell.Host.
func (r *Runner) Builtin(values []any, line bool) {
	var text strings.Builder
	for i, v := range values {
		if line && i > 0 {
			text.WriteByte(' ')
		}
		text.WriteString(builtinText(v))
	}
	if line {
		text.WriteByte('\n')
	}
	fmt.Fprint(r.stdio.err, text.String())
}

// builtinText is the text that the builtin function print writes for a value.
func builtinText(v any) string {
	switch value := reflect.ValueOf(v); value.Kind() {
	case reflect.Invalid:
		return "(0x0,0x0)"
	case reflect.Pointer, reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return fmt.Sprintf("%#x", value.Pointer())
	case reflect.Slice:
		return fmt.Sprintf("[%d/%d]%#x", value.Len(), value.Cap(), value.Pointer())
	case reflect.Struct, reflect.Array: // of an interface, which alone may hold one
		return fmt.Sprintf("(%T)", v)
	default:
		return basicText(value)
	}
}

// basicText is the text that the run time prints for a value of a basic type.
func basicText(v reflect.Value) string {
	switch v.Kind() {
	case reflect.String:
		return v.String()
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return strconv.FormatUint(v.Uint(), 10)
	case reflect.Float32, reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', -1, v.Type().Bits())
	case reflect.Complex64, reflect.Complex128:
		return strconv.FormatComplex(v.Complex(), 'g', -1, v.Type().Bits())
	}
	return ""
}
