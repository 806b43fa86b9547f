package interpreted

import (
	"fmt"
	"github.com/hierml/notebook/kernel/internal/interpreted/values"
	"io"
	"reflect"
	"strconv"
	"strings"
	"unsafe"
)

// print and println are those of Go, which know no methods and look at no contents.

func (in *Interpreter) print(values ...any) {
	var out strings.Builder
	for _, v := range values {
		out.WriteString(operandText(v))
	}
	io.WriteString(in.stderr(), out.String())
}

func (in *Interpreter) println(values ...any) {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = operandText(v)
	}
	io.WriteString(in.stderr(), strings.Join(list, " ")+"\n")
}

// words is an operand of interface type, of which the addresses of type and value are printed.
type words struct{ v any }

func operandText(v any) string {
	if w, ok := v.(words); ok {
		parts := *(*[2]uintptr)(unsafe.Pointer(&w.v))
		return fmt.Sprintf("(%#x,%#x)", parts[0], parts[1])
	}
	if c, ok := values.Carried(v); ok {
		v = c.Value
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Bool:
		return strconv.FormatBool(r.Bool())
	case reflect.Float32, reflect.Float64:
		return strconv.FormatFloat(r.Float(), 'g', -1, r.Type().Bits())
	case reflect.Complex64, reflect.Complex128:
		return strconv.FormatComplex(r.Complex(), 'g', -1, r.Type().Bits())
	case reflect.String:
		return r.String()
	case reflect.Slice:
		return fmt.Sprintf("[%d/%d]%#x", r.Len(), r.Cap(), r.Pointer())
	case reflect.Pointer, reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return fmt.Sprintf("%#x", r.Pointer())
	default:
		if r.CanUint() {
			return strconv.FormatUint(r.Uint(), 10)
		}
		return strconv.FormatInt(r.Int(), 10)
	}
}
