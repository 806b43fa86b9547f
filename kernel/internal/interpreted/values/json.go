package values

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// encoding/json looks at the values of session types as they are at run time: structs with the
// names of their fields, but types without methods and without names. What that does not suffice
// for is refused, here where it turns up in an interface.

// MarshalJSON encodes the value, for those who found it in an interface.
func (c Carrier) MarshalJSON() ([]byte, error) {
	c.Description.checkJSON()
	// Whoever asks escapes what is to be escaped.
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(c.Value); err != nil {
		panic(fmt.Sprintf("hierml: json of a type of the session needs compiled cells: %s in an interface: %v", c.Description.Name, err))
	}
	return text.Bytes(), nil
}

// checkJSON panics if the form of the type's values is not all that encoding/json looks at.
func (d *Description) checkJSON() {
	if !d.formOnly(map[*Description]bool{}) {
		panic(fmt.Sprintf("hierml: json of a type of the session needs compiled cells: %s in an interface", d.Name))
	}
}

// formOnly reports whether the form of a type's values is all that encoding/json looks at. The
// description is nil for compiled types.
func (d *Description) formOnly(seen map[*Description]bool) bool {
	if d == nil || seen[d] {
		return true
	}
	seen[d] = true
	if d.encodes() || len(d.embedded) > 0 || d.kind == "interface" && len(d.fields) > 0 || d.kind == "func" || d.kind == "chan" {
		return false
	}
	for _, id := range d.elems {
		if !d.types.get(id).formOnly(seen) {
			return false
		}
	}
	return true
}

// encodes reports whether values of the type, or pointers to them, encode or decode themselves.
func (d *Description) encodes() bool {
	return slices.ContainsFunc([]string{"MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText", "IsZero"}, func(name string) bool {
		p := d.types.get(d.pointer)
		return d.method(name) != nil || p != nil && p.method(name) != nil
	})
}

// UnmarshalJSON is json.Unmarshal.
func UnmarshalJSON(data []byte, target any) error {
	return decodeJSON(target, func(v any) error { return json.Unmarshal(data, v) })
}

// DecoderDecode is the method Decode of a json.Decoder.
func DecoderDecode(d *json.Decoder, target any) error { return decodeJSON(target, d.Decode) }

// decodeJSON decodes into what target points to. Errors have the names of the session's types.
func decodeJSON(target any, decode func(any) error) error {
	c, ok := Carried(target)
	if !ok {
		return decode(target)
	}
	c.Description.checkJSON()
	err := decode(c.Value)
	var invalid *json.InvalidUnmarshalError
	if errors.As(err, &invalid) && c.Description.kind == "pointer" {
		return fmt.Errorf("json: Unmarshal(nil %s)", c.Description.Name)
	} else if errors.As(err, &invalid) {
		return fmt.Errorf("json: Unmarshal(non-pointer %s)", c.Description.Name)
	}
	var mistaken *json.UnmarshalTypeError
	if errors.As(err, &mistaken) {
		return c.Description.mistaken(mistaken, reflect.TypeOf(c.Value))
	}
	return err
}

// A jsonTypeError says which value did not fit where, with the names that the types have in the
// session.
type jsonTypeError struct {
	*json.UnmarshalTypeError
	typ string
}

func (e *jsonTypeError) Error() string {
	if e.Struct != "" || e.Field != "" {
		return "json: cannot unmarshal " + e.Value + " into Go struct field " + e.Struct + "." + e.Field + " of type " + e.typ
	}
	return "json: cannot unmarshal " + e.Value + " into Go value of type " + e.typ
}

// Unwrap returns the error as encoding/json has it.
func (e *jsonTypeError) Unwrap() error { return e.UnmarshalTypeError }

// mistaken names the types of an error of decoding into a value that d describes: it goes from
// field to field to the place of the error.
func (d *Description) mistaken(e *json.UnmarshalTypeError, t reflect.Type) error {
	named := *e
	for field := range strings.SplitSeq(e.Field, ".") {
		for d != nil && e.Field != "" && d.kind != "struct" && len(d.elems) > 0 {
			d, t = d.part(len(d.elems)-1), t.Elem()
		}
		if d == nil || d.kind != "struct" || e.Field == "" {
			named.Struct = e.Struct
			break
		}
		named.Struct = ""
		if d.named {
			named.Struct = strings.TrimPrefix(d.Name, "main.")
		}
		i := slices.IndexFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			return name == field || name == "" && f.Name == field
		})
		if i < 0 {
			return e
		}
		d, t = d.part(i), t.Field(i).Type
	}
	for d != nil && t != e.Type && len(d.elems) > 0 && d.kind != "struct" {
		if t.Kind() == reflect.Map && t.Key() == e.Type {
			d, t = d.part(0), t.Key()
			break
		}
		d, t = d.part(len(d.elems)-1), t.Elem()
	}
	if d == nil || t != e.Type {
		return &jsonTypeError{&named, e.Type.String()}
	}
	return &jsonTypeError{&named, d.Name}
}

// part describes the i'th part of a type.
func (d *Description) part(i int) *Description { return d.types.get(d.elems[i]) }
