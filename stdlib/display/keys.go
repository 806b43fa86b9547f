package display

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
)

// maxSorted is the largest number of keys to sort by their text.
const maxSorted = 10000

// firstKeys returns the first keys of a map, at most the given number, in their natural order if
// they have one, and otherwise by their text. It reports whether they are in order: for very many
// keys without an order it returns any of them.
func firstKeys(m reflect.Value, most int) (keys []reflect.Value, sorted bool) {
	compare := order(m.Type().Key().Kind())
	if compare == nil && m.Len() <= maxSorted {
		all := m.MapKeys()
		texts := make(map[any]string, len(all))
		text := func(k reflect.Value) string {
			if !k.CanInterface() {
				return fmt.Sprint(k)
			}
			s, has := texts[k.Interface()]
			if !has {
				s = brief(valueOf(k.Interface()), maxLine)
				texts[k.Interface()] = s
			}
			return s
		}
		slices.SortStableFunc(all, func(a, b reflect.Value) int { return cmp.Compare(text(a), text(b)) })
		return all[:min(len(all), most)], true
	}
	if compare == nil {
		for it := m.MapRange(); it.Next() && len(keys) < most; {
			keys = append(keys, it.Key())
		}
		return keys, false
	}
	place := reflect.New(m.Type().Key()).Elem() // shared by all keys, since most are not kept
	for it := m.MapRange(); it.Next(); {
		if m.CanInterface() {
			place.SetIterKey(it)
		} else {
			place = it.Key()
		}
		if len(keys) == most && compare(place, keys[most-1]) >= 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(keys, place, compare)
		if len(keys) == most {
			keys = keys[:most-1]
		}
		keys = slices.Insert(keys, at, it.Key())
	}
	return keys, true
}

// order returns the comparison of keys of a kind, or nil.
func order(k reflect.Kind) func(a, b reflect.Value) int {
	switch k {
	case reflect.String:
		return func(a, b reflect.Value) int { return cmp.Compare(a.String(), b.String()) }
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return func(a, b reflect.Value) int { return cmp.Compare(a.Int(), b.Int()) }
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return func(a, b reflect.Value) int { return cmp.Compare(a.Uint(), b.Uint()) }
	case reflect.Float32, reflect.Float64:
		return func(a, b reflect.Value) int { return cmp.Compare(a.Float(), b.Float()) }
	}
	return nil
}
