package interpreter

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
)

// sortOrdered is slices.Sort for every ordered element type. Named types are
// sorted as the basic types that they are at run time.
func sortOrdered(v any) {
	s := reflect.ValueOf(v)
	switch s.Type().Elem().Kind() {
	case reflect.Int:
		sortAs[int](s)
	case reflect.Int8:
		sortAs[int8](s)
	case reflect.Int16:
		sortAs[int16](s)
	case reflect.Int32:
		sortAs[int32](s)
	case reflect.Int64:
		sortAs[int64](s)
	case reflect.Uint:
		sortAs[uint](s)
	case reflect.Uint8:
		sortAs[uint8](s)
	case reflect.Uint16:
		sortAs[uint16](s)
	case reflect.Uint32:
		sortAs[uint32](s)
	case reflect.Uint64:
		sortAs[uint64](s)
	case reflect.Uintptr:
		sortAs[uintptr](s)
	case reflect.Float32:
		sortAs[float32](s)
	case reflect.Float64:
		sortAs[float64](s)
	case reflect.String:
		sortAs[string](s)
	default:
		panic(fmt.Sprintf("hierml: cannot sort a %T", v))
	}
}

func sortAs[E cmp.Ordered](v reflect.Value) {
	if s, ok := v.Interface().([]E); ok {
		slices.Sort(s)
		return
	}
	if t := reflect.TypeFor[[]E](); v.CanConvert(t) {
		slices.Sort(v.Convert(t).Interface().([]E))
		return
	}
	// A slice of a named compiled type, such as []time.Duration.
	s := make([]E, v.Len())
	t := reflect.TypeFor[E]()
	for i := range s {
		s[i] = v.Index(i).Convert(t).Interface().(E)
	}
	slices.Sort(s)
	elem := v.Type().Elem()
	for i := range s {
		v.Index(i).Set(reflect.ValueOf(s[i]).Convert(elem))
	}
}
