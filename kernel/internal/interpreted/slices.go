package interpreted

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"unsafe"
)

// An ordered is a slice with elements of an ordered type. What functions of package slices do with
// it runs compiled. Elements of named types are the basic ones that they are at run time.
type ordered interface {
	sort()
	sortFunc(in *Interpreter, cmp any, stable bool) bool
	isSorted() bool
	max() int
	min() int
	index(v reflect.Value) int
	search(v reflect.Value) (int, bool)
}

// orderedOf returns nil for a slice whose elements are not ordered.
func orderedOf(slice any) ordered {
	s := reflect.ValueOf(slice)
	switch s.Type().Elem().Kind() {
	case reflect.Int:
		return elements[int](s)
	case reflect.Int8:
		return elements[int8](s)
	case reflect.Int16:
		return elements[int16](s)
	case reflect.Int32:
		return elements[int32](s)
	case reflect.Int64:
		return elements[int64](s)
	case reflect.Uint:
		return elements[uint](s)
	case reflect.Uint8:
		return elements[uint8](s)
	case reflect.Uint16:
		return elements[uint16](s)
	case reflect.Uint32:
		return elements[uint32](s)
	case reflect.Uint64:
		return elements[uint64](s)
	case reflect.Uintptr:
		return elements[uintptr](s)
	case reflect.Float32:
		return elements[float32](s)
	case reflect.Float64:
		return elements[float64](s)
	case reflect.String:
		return elements[string](s)
	}
	return nil
}

func mustOrdered(slice any) ordered {
	s := orderedOf(slice)
	if s == nil {
		panic(fmt.Sprintf("hierml: the elements of a %T have no order", slice))
	}
	return s
}

// elements returns the elements of a slice as those of the basic type E, which is that of their
// kind.
func elements[E cmp.Ordered](s reflect.Value) ordered {
	return orderedSlice[E](unsafe.Slice((*E)(s.UnsafePointer()), s.Len()))
}

type orderedSlice[E cmp.Ordered] []E

func (s orderedSlice[E]) sort() { slices.Sort(s) }

// sortFunc reports whether the function compares values of the basic type.
func (s orderedSlice[E]) sortFunc(in *Interpreter, cmp any, stable bool) bool {
	f, ok := cmp.(func(a, b E) int)
	switch {
	case !ok:
	case stable:
		slices.SortStableFunc(s, interruptibleFunc2(in, f))
	default:
		slices.SortFunc(s, interruptibleFunc2(in, f))
	}
	return ok
}

func (s orderedSlice[E]) isSorted() bool { return slices.IsSorted(s) }

func (s orderedSlice[E]) max() int { return s.same(slices.Max(s)) }

func (s orderedSlice[E]) min() int { return s.same(slices.Min(s)) }

// same returns the index of a value that is an element. Zeros of different sign are not the same,
// and NaN is the same as itself.
func (s orderedSlice[E]) same(v E) int {
	negative := func(v E) bool {
		f := reflect.ValueOf(v)
		return f.CanFloat() && math.Signbit(f.Float())
	}
	var zero E
	return slices.IndexFunc(s, func(w E) bool {
		return w == v && (v != zero || negative(v) == negative(w)) || v != v && w != w
	})
}

func (s orderedSlice[E]) index(v reflect.Value) int {
	return slices.Index(s, v.Convert(reflect.TypeFor[E]()).Interface().(E))
}

func (s orderedSlice[E]) search(v reflect.Value) (int, bool) {
	return slices.BinarySearch(s, v.Convert(reflect.TypeFor[E]()).Interface().(E))
}

// sliceFunctions are the bridge's functions for package slices.
func (in *Interpreter) sliceFunctions() map[string]any {
	return map[string]any{
		"SortOrdered": func(s any) { mustOrdered(s).sort() },
		"IsSorted":    func(s any) bool { return mustOrdered(s).isSorted() },
		"IndexOfMax":  func(s any) int { return mustOrdered(s).max() },
		"IndexOfMin":  func(s any) int { return mustOrdered(s).min() },
		"Search":      func(s, v any) (int, bool) { return mustOrdered(s).search(reflect.ValueOf(v)) },
		"IndexOf": func(s, v any) int {
			if o := orderedOf(s); o != nil {
				return o.index(reflect.ValueOf(v))
			}
			return -2
		},
		"SortWith": func(s, cmp any, stable bool) bool {
			o := orderedOf(s)
			return o != nil && o.sortFunc(in, cmp, stable)
		},
	}
}
