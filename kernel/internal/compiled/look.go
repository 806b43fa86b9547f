package compiled

import (
	"context"
	"fmt"
	"reflect"
	"strconv"

	"github.com/hierml/notebook/kernel/internal/compiled/cell"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib/magic"
)

// Variable returns a variable of a unit as an addressable value.
func Variable(unit, name string) (reflect.Value, error) {
	code, ok := cell.Lookup(unit)
	if !ok {
		return reflect.Value{}, fmt.Errorf("compiled: there is no unit %s", unit)
	}
	v := reflect.ValueOf(code.Variables[name])
	if slot := reflect.ValueOf(code.Moved[name]); slot.Kind() == reflect.Pointer {
		v = slot.Elem() // it points to the variable of another unit
	}
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return reflect.Value{}, fmt.Errorf("compiled: the unit %s has no variable %s", unit, name)
	}
	return v.Elem(), nil
}

// Pointer returns a pointer to a variable of a unit, or nil if there is none.
func (r *Runner) Pointer(unit, name string) any {
	v, err := Variable(unit, name)
	if err != nil {
		return nil
	}
	return v.Addr().Interface()
}

// End ends the calling goroutine, whose cell is being interrupted. It returns if interpreted code
// is running, which ends by itself.
func End() {
	if done := cell.Done(); done != nil {
		<-done
		cell.Check()
	}
}

// Look returns a text for each of the looks at variables. Its errors are those of Run.
func (r *Runner) Look(ctx context.Context, number int, looks []program.Look) ([]string, error) {
	r.note(number, "")
	texts := make([]string, len(looks))
	var failed error
	err := r.Do(ctx, number, func() {
		for i, l := range looks {
			if texts[i], failed = r.seen(l); failed != nil {
				return
			}
		}
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		return nil, err
	}
	return texts, nil
}

// seen returns the answer to a look.
func (r *Runner) seen(l program.Look) (string, error) {
	v, err := Variable(l.Unit, l.Variable)
	if err != nil {
		return "", err
	}
	if l.Field != "" {
		if v.Kind() != reflect.Struct || !v.FieldByName(l.Field).IsValid() {
			return "", fmt.Errorf("compiled: the variable %s has no field %s", l.Variable, l.Field)
		}
		field := v.FieldByName(l.Field)
		v = reflect.NewAt(field.Type(), field.Addr().UnsafePointer()).Elem() // also if it is private
	}
	if l.Plain {
		if v, err = plain(v); err != nil {
			return "", err
		}
	}
	switch v.Kind() {
	case reflect.String, reflect.Slice:
		if l.Most > 0 && l.Aspect == program.LookValue {
			v = v.Slice(0, min(v.Len(), l.Most))
		}
	}
	switch l.Aspect {
	case program.LookLength:
		switch v.Kind() {
		case reflect.String, reflect.Slice, reflect.Array, reflect.Map, reflect.Chan:
			return strconv.Itoa(v.Len()), nil
		}
	case program.LookNil:
		switch v.Kind() {
		case reflect.Pointer, reflect.Func, reflect.Interface, reflect.Map, reflect.Slice, reflect.Chan, reflect.UnsafePointer:
			return strconv.FormatBool(v.IsNil()), nil
		}
	case program.LookBrief:
		return magic.Brief(v.Interface()), nil
	case program.LookValue:
		bundle := r.display([]any{v.Interface()})
		if bundle == nil {
			return "", nil
		}
		text, _ := bundle.Data["text/plain"].(string)
		return text, nil
	}
	return "", fmt.Errorf("compiled: a %s has no %s", v.Type(), l.Aspect)
}

// basicTypes are the predeclared types, by kind.
var basicTypes = func() map[reflect.Kind]reflect.Type {
	types := map[reflect.Kind]reflect.Type{}
	for _, v := range []any{false, 0, int8(0), int16(0), int32(0), int64(0), uint(0), uint8(0), uint16(0), uint32(0), uint64(0), uintptr(0),
		float32(0), float64(0), complex64(0), complex128(0), ""} {
		types[reflect.TypeOf(v).Kind()] = reflect.TypeOf(v)
	}
	return types
}()

// plain returns a value as one of its basic type, without the methods of its own type.
func plain(v reflect.Value) (reflect.Value, error) {
	t := basicTypes[v.Kind()]
	if t == nil {
		return v, fmt.Errorf("compiled: a %s is not a basic value", v.Type())
	}
	return v.Convert(t), nil
}
