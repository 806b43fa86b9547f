package nb

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hierml/notebook/stdlib/display"
)

// A function is the function called with the values of the controls.
type function struct {
	reflect.Value
	typ display.Type // nil if reflection tells all of its type
}

func functionOf(f any) (function, error) {
	v, typ := typed(f)
	if v.Kind() != reflect.Func || v.IsNil() {
		return function{}, fmt.Errorf("%s is not a function", typeOf(f))
	}
	if v.Type().IsVariadic() {
		return function{}, errors.New("the function is variadic; its parameters must be fixed")
	}
	return function{v, typ}, nil
}

// in returns a parameter.
func (f function) in(p int) parameter {
	t := parameter{t: f.Type().In(p)}
	if f.typ != nil {
		_, t.typ = typed(f.typ.Part(p, reflect.Zero(t.t).Interface()))
	}
	return t
}

// result returns a result of a call with its type.
func (f function) result(i int, v reflect.Value) any {
	if f.typ == nil || v.Kind() == reflect.Interface {
		return v.Interface()
	}
	return f.typ.Part(f.Type().NumIn()+i, v.Interface())
}

// A parameter is the type of a parameter.
type parameter struct {
	t   reflect.Type
	typ display.Type // nil if reflection tells all of it
}

func (p parameter) String() string {
	if p.typ != nil {
		return shortName(p.typ.Name())
	}
	return shortName(p.t.String())
}

// convert returns a value as one of the parameter's type.
func (p parameter) convert(x any) (reflect.Value, error) {
	kind := p.t.Kind()
	v, typ := typed(x)
	if kind == reflect.Interface {
		v = reflect.ValueOf(x)
		if x, ok := x.(display.Typed); ok && !v.Type().AssignableTo(p.t) {
			v, _ = x.Implementing(p.t)
		}
	}
	switch {
	case x == nil && (kind == reflect.Interface || kind == reflect.Pointer || kind == reflect.Map || kind == reflect.Slice || kind == reflect.Func):
		return reflect.Zero(p.t), nil
	case !v.IsValid() || kind == reflect.Interface && p.typ != nil && !p.typ.Takes(x):
	case v.Type().AssignableTo(p.t):
		return v, nil
	case (v.Kind() == kind || isNumber(v.Kind()) && isFloat(kind)) && v.CanConvert(p.t):
		return v.Convert(p.t), nil
	case typ != nil && typ == p.typ:
		return v, fmt.Errorf("%s is declared in a cell, and the interpreter cannot pass its values; make the parameter a string with the name of the choice, or use %%engine compiled", p)
	}
	return v, fmt.Errorf("%s is not %s", typeOf(x), withArticle(p.String()))
}

// typed returns a value and its type, which is nil if reflection tells all of it.
func typed(x any) (reflect.Value, display.Type) {
	if t, ok := x.(display.Typed); ok {
		v, typ := t.Typed()
		return reflect.ValueOf(v), typ
	}
	return reflect.ValueOf(x), nil
}

// typeOf is how a program would write the type of a value.
func typeOf(x any) string {
	if _, typ := typed(x); typ != nil {
		return shortName(typ.Name())
	}
	return shortName(fmt.Sprintf("%T", x))
}

var ownPackage = regexp.MustCompile(`\bmain\.`)

// shortName returns the name of a type without the package that cells are in.
func shortName(name string) string {
	return strings.ReplaceAll(ownPackage.ReplaceAllString(name, ""), "interface {}", "any")
}

// withArticle returns the name of a type with "a" or "an".
func withArticle(name string) string {
	if strings.ContainsRune("aeioAEIO", rune(name[0])) {
		return "an " + name
	}
	return "a " + name
}

// elementsOf returns the elements of a slice or a map with their names in a list.
func elementsOf(from any) (names []string, elements []any, err error) {
	v, typ := typed(from)
	part := func(i int, e reflect.Value) any {
		if typ == nil || e.Kind() == reflect.Interface {
			return e.Interface()
		}
		return typ.Part(i, e.Interface())
	}
	if v.Kind() == reflect.Slice {
		for j := range v.Len() {
			elements = append(elements, part(0, v.Index(j)))
		}
		return namesOf(elements), elements, nil
	}
	if v.Type().Key().Kind() != reflect.String {
		return nil, nil, fmt.Errorf("%s has no names for its values; use a map[string]…", typeOf(from))
	}
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	for _, key := range keys {
		names = append(names, key.String())
		elements = append(elements, part(1, v.MapIndex(key)))
	}
	return names, elements, nil
}

// namesOf returns the names of the elements of a slice in a list: their own, otherwise their types,
// with indices if a type occurs twice.
func namesOf(elements []any) []string {
	names := make([]string, len(elements))
	types := map[string]int{}
	for j, x := range elements {
		if names[j] = nameOf(x); names[j] == "" {
			types[typeOf(x)]++
		}
	}
	for j, x := range elements {
		name := typeOf(x)
		switch {
		case names[j] != "":
		case types[name] == 1:
			names[j] = name
		case typeName.MatchString(name):
			names[j] = fmt.Sprintf("%s %d", name, j)
		default:
			names[j] = strconv.Itoa(j)
		}
	}
	return names
}

// typeName matches the names of types that are declared, and of pointers to them.
var typeName = regexp.MustCompile(`^[*\w.]+$`)

const longestName = 60 // of an element, in letters

// nameOf returns the name of a value: its text, or its field Name, or "" if it has neither.
func nameOf(x any) string {
	v, typ := typed(x)
	if !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return "nil"
	}
	text := ""
	_, says := display.As[fmt.Stringer](x)
	switch {
	case says || isNumber(v.Kind()) || v.Kind() == reflect.Bool || v.Kind() == reflect.String:
		text = fmt.Sprint(x)
	default:
		text = nameField(v, typ)
	}
	text = strings.Join(strings.Fields(text), " ")
	if letters := []rune(text); len(letters) > longestName {
		text = string(letters[:longestName-1]) + "…"
	}
	return text
}

// nameField returns the field Name of a struct, or of what a pointer points to.
func nameField(v reflect.Value, typ display.Type) string {
	if v.Kind() == reflect.Pointer && v.Elem().Kind() == reflect.Struct {
		if v = v.Elem(); typ != nil {
			_, typ = typed(typ.Part(0, v.Interface()))
		}
	}
	if v.Kind() != reflect.Struct {
		return ""
	}
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		if typ != nil {
			name = typ.Field(i)
		}
		if name == "Name" && v.Field(i).Kind() == reflect.String {
			return v.Field(i).String()
		}
	}
	return ""
}

// are says that there are so many of something.
func are(n int, of string) string {
	if n == 1 {
		return "is 1 " + of
	}
	return "are " + counted(n, of)
}

// counted says how many there are of something.
func counted(n int, of string) string {
	if n == 1 {
		return "1 " + of
	}
	return fmt.Sprintf("%d %ss", n, of)
}
