package carry

import (
	"reflect"
	"slices"

	"github.com/hierml/notebook/kernel/internal/compiled/cell"
)

// typeTable maps types of older units to those of the newest compiled code.
type typeTable struct{ newer map[reflect.Type]reflect.Type }

func newTypeTable() *typeTable { return &typeTable{map[reflect.Type]reflect.Type{}} }

// current returns the current version of a type. It differs if the type, or one of its parts, was
// compiled again, or if reflection made it and there is an identical compiled one.
func (t *typeTable) current(from reflect.Type) reflect.Type {
	if to, ok := t.newer[from]; ok {
		return to
	}
	to := t.renewed(from)
	switch {
	case to.Name() == "" && isComposite(to):
		to = compiledLike(to)
	case to == from && isInstance(from):
		to = instanceLike(from)
	}
	t.newer[from] = to
	return to
}

func (t *typeTable) renewed(from reflect.Type) reflect.Type {
	// Keys belong to a session, and there may have been an earlier one.
	if to, ok := cell.Newest(from); ok && newForms().same(from, to) {
		return to
	}
	if from.Name() != "" {
		return from
	}
	switch from.Kind() {
	case reflect.Pointer:
		if e := t.current(from.Elem()); e != from.Elem() {
			return reflect.PointerTo(e)
		}
	case reflect.Slice:
		if e := t.current(from.Elem()); e != from.Elem() {
			return reflect.SliceOf(e)
		}
	case reflect.Array:
		if e := t.current(from.Elem()); e != from.Elem() {
			return reflect.ArrayOf(from.Len(), e)
		}
	case reflect.Chan:
		if e := t.current(from.Elem()); e != from.Elem() {
			return reflect.ChanOf(from.ChanDir(), e)
		}
	case reflect.Map:
		if k, e := t.current(from.Key()), t.current(from.Elem()); k != from.Key() || e != from.Elem() {
			return reflect.MapOf(k, e)
		}
	case reflect.Func:
		in, a := t.currentAll(from.NumIn(), from.In)
		out, b := t.currentAll(from.NumOut(), from.Out)
		if a || b {
			return reflect.FuncOf(in, out, from.IsVariadic())
		}
	case reflect.Struct:
		types, other := t.currentAll(from.NumField(), func(i int) reflect.Type { return from.Field(i).Type })
		if other {
			return structOf(from, types)
		}
	}
	return from
}

// currentAll returns the current versions of n types, and whether one differs.
func (t *typeTable) currentAll(n int, of func(int) reflect.Type) (all []reflect.Type, other bool) {
	for i := range n {
		all = append(all, t.current(of(i)))
		other = other || all[i] != of(i)
	}
	return all, other
}

// structOf returns a struct type with other types of fields. Reflection cannot make all types with
// embedded fields; for these it returns the given one if no unit has it.
func structOf(like reflect.Type, types []reflect.Type) reflect.Type {
	fields := make([]reflect.StructField, like.NumField())
	embeds := false
	for i := range fields {
		fields[i] = like.Field(i)
		fields[i].Type = types[i]
		embeds = embeds || fields[i].Anonymous
	}
	if !embeds {
		return reflect.StructOf(fields)
	}
	for _, to := range listed(like.String()) {
		if to.Kind() == reflect.Struct && to.NumField() == len(fields) && newForms().same(like, to) && !slices.ContainsFunc(fields, func(f reflect.StructField) bool {
			own := to.FieldByIndex(f.Index)
			return own.Name != f.Name || own.Type != f.Type || own.Tag != f.Tag
		}) {
			return to
		}
	}
	return like
}
