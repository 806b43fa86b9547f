package carry

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"github.com/hierml/notebook/kernel/internal/compiled/cell"
)

// typeTable knows what types of the interpreter and of older units are in the newest compiled code.
type typeTable struct {
	in      Interpreter
	session map[int]reflect.Type
	newer   map[reflect.Type]reflect.Type
}

func newTypeTable(in Interpreter) *typeTable {
	return &typeTable{in, map[int]reflect.Type{}, map[reflect.Type]reflect.Type{}}
}

// ofSession returns the compiled type for a type of the interpreter by its number. The values that
// it has there are of type from.
func (t *typeTable) ofSession(number int, from reflect.Type) (to reflect.Type, why string) {
	if to, ok := t.session[number]; ok {
		return to, ""
	}
	kind, name, declared, elems := t.in.Type(number)
	if to, ok := cell.TypeOf(strconv.Itoa(number)); ok {
		t.session[number] = to
		return to, ""
	}
	if to := t.named(name, from); to != nil {
		t.session[number] = to
		return to, ""
	}
	unknown := fmt.Sprintf("a value of type %s, which is not known in compiled code", name)
	parts := make([]reflect.Type, len(elems))
	if declared || kind == "struct" || kind == "basic" || kind == "func" || kind == "interface" || kind == "chan" {
		return nil, unknown
	}
	for i, n := range elems {
		source := from.Elem()
		if kind == "map" && i == 0 {
			source = from.Key()
		}
		if parts[i], why = t.partOf(n, source); why != "" {
			return nil, why
		}
	}
	switch {
	case kind == "pointer" && len(parts) == 1:
		to = reflect.PointerTo(parts[0])
	case kind == "slice" && len(parts) == 1:
		to = reflect.SliceOf(parts[0])
	case kind == "array" && len(parts) == 1:
		to = reflect.ArrayOf(from.Len(), parts[0])
	case kind == "map" && len(parts) == 2:
		to = reflect.MapOf(parts[0], parts[1])
	default:
		return nil, unknown
	}
	t.session[number] = to
	return to, ""
}

// partOf is ofSession for a part of a type, whose number is 0 if it is the compiled one.
func (t *typeTable) partOf(number int, from reflect.Type) (reflect.Type, string) {
	if number == 0 {
		return t.current(from), ""
	}
	return t.ofSession(number, from)
}

// named returns the one type of the units that prints as a name and has the form of a type.
func (t *typeTable) named(name string, from reflect.Type) (found reflect.Type) {
	for _, to := range cell.TypesNamed(name) {
		if !newForms().same(from, to) {
			continue
		}
		if found != nil && found != to {
			return nil
		}
		found = to
	}
	return found
}

// current returns what a type is by now: another one if it, or a type that it is made of, was
// compiled anew, or if it was made by reflection and there is a compiled one like it.
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
	// Keys are those of a session, and there may have been another before.
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

// currentAll returns what n types are by now, and whether one is another.
func (t *typeTable) currentAll(n int, of func(int) reflect.Type) (all []reflect.Type, other bool) {
	for i := range n {
		all = append(all, t.current(of(i)))
		other = other || all[i] != of(i)
	}
	return all, other
}

// structOf returns the type of structures that is like one but for the types of its fields. Reflection
// cannot make all with embedded fields; of these it returns the given one if no unit has it.
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
