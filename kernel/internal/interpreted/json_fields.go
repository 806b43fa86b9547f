package interpreted

import (
	"go/token"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A jsonField is a field of a struct that encoding/json reads and writes, its
// own or one of a struct that is embedded in it.
type jsonField struct {
	name   string
	tagged bool
	index  []int
	// path is the name behind those of the embedded fields that hold it.
	path string
	d    *description // of its type; nil for compiled ones

	omitEmpty, omitZero, quoted bool
}

// tag is the field's tag where it stands alone.
func (f *jsonField) tag() reflect.StructTag {
	options := f.name
	if f.quoted {
		options += ",string"
	}
	return reflect.StructTag("json:" + strconv.Quote(options))
}

// within returns the field of a value. It has none where an embedded pointer is
// nil.
func (f *jsonField) within(v reflect.Value) (reflect.Value, bool) {
	for i, n := range f.index {
		if i > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return v, false
			}
			v = v.Elem()
		}
		v = v.Field(n)
	}
	return v, true
}

// A jsonStruct is a struct whose fields are looked for, and the way to it.
type jsonStruct struct {
	typ   reflect.Type
	d     *description
	index []int
	path  string
}

// jsonFields returns the fields of a struct in the order in which they are
// encoded. Of those with one name, that which is nearest to the top is meant, or
// the only one there that is named by its tag; otherwise none is.
func jsonFields(t reflect.Type, d *description) []*jsonField {
	chosen := map[string]*jsonField{}
	seen := map[any]bool{}
	for level := []jsonStruct{{t, d, nil, ""}}; len(level) > 0; {
		var next []jsonStruct
		here := map[string][]*jsonField{}
		entered := map[any]bool{}
		for _, s := range level {
			if seen[s.key()] {
				continue
			}
			entered[s.key()] = true
			for i := range s.typ.NumField() {
				f, inner := s.field(i)
				if inner != nil {
					next = append(next, *inner)
				}
				if f != nil {
					here[f.name] = append(here[f.name], f)
				}
			}
		}
		for key := range entered {
			seen[key] = true
		}
		for name, fields := range here {
			if _, hidden := chosen[name]; !hidden {
				chosen[name] = dominant(fields)
			}
		}
		level = next
	}
	var all []*jsonField
	for _, f := range chosen {
		if f != nil {
			all = append(all, f)
		}
	}
	slices.SortFunc(all, func(a, b *jsonField) int { return slices.Compare(a.index, b.index) })
	return all
}

// dominant returns which of the fields of one depth a name means.
func dominant(fields []*jsonField) *jsonField {
	if len(fields) == 1 {
		return fields[0]
	}
	var tagged []*jsonField
	for _, f := range fields {
		if f.tagged {
			tagged = append(tagged, f)
		}
	}
	if len(tagged) == 1 {
		return tagged[0]
	}
	return nil
}

// key tells types apart: those of the session by their description, because at
// run time several may be one.
func (s jsonStruct) key() any {
	if s.d != nil {
		return s.d
	}
	return s.typ
}

// field returns the i'th field, or the struct that is embedded there.
func (s jsonStruct) field(i int) (*jsonField, *jsonStruct) {
	f := s.typ.Field(i)
	name, embedded := f.Name, f.Anonymous
	var d *description
	if s.d != nil {
		name, embedded = s.d.fields[i], s.d.embedded[i]
		d = s.d.types.get(s.d.elems[i])
	}
	if f.Tag.Get("json") == "-" {
		return nil, nil
	}
	given, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	if !jsonName(given) {
		given = ""
	}
	index := append(slices.Clone(s.index), i)
	if embedded && given == "" {
		inner, innerD := f.Type, d
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
			if d != nil {
				innerD = d.types.get(d.elems[0])
			}
		}
		if inner.Kind() == reflect.Struct {
			return nil, &jsonStruct{inner, innerD, index, s.path + name + "."}
		}
	}
	if !token.IsExported(name) {
		return nil, nil
	}
	field := &jsonField{name: given, tagged: given != "", index: index, d: d}
	if given == "" {
		field.name = name
	}
	field.path = s.path + field.name
	for option := range strings.SplitSeq(options, ",") {
		switch option {
		case "omitempty":
			field.omitEmpty = true
		case "omitzero":
			field.omitZero = true
		case "string":
			switch f.Type.Kind() {
			case reflect.Slice, reflect.Map, reflect.Struct, reflect.Array, reflect.Interface, reflect.Func, reflect.Chan:
			default:
				field.quoted = true
			}
		}
	}
	return field, nil
}

// jsonName reports whether a tag names a field.
func jsonName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}
