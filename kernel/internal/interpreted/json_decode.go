package interpreted

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// unmarshalJSON is json.Unmarshal for values of session types.
func unmarshalJSON(data []byte, target any) error {
	c, ok := carried(target)
	if !ok || c.d.kind != "pointer" {
		return json.Unmarshal(data, target)
	}
	p := reflect.ValueOf(c.value)
	if p.IsNil() {
		return fmt.Errorf("json: Unmarshal(nil %s)", c.d.name)
	}
	// Nothing is decoded of text that is not JSON.
	if err := json.Unmarshal(data, new(json.RawMessage)); err != nil {
		return err
	}
	var dec jsonDecoder
	err := dec.pointer(data, p, c.d, "", "")
	return errors.Join(err, dec.mistaken)
}

// A jsonDecoder decodes into values of session types. What has a form that
// encoding/json knows is left to it.
type jsonDecoder struct {
	// mistaken is the first complaint about a value of another type than that
	// of its place, after which decoding goes on.
	mistaken error
}

// A jsonTypeError says which value did not fit where, with the names that the
// types have in the session.
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

// mismatch notes that text of a kind does not fit.
func (dec *jsonDecoder) mismatch(kind string, v reflect.Value, d *description, in, path string) {
	dec.note(&jsonTypeError{&json.UnmarshalTypeError{Value: kind, Type: v.Type(), Struct: in, Field: path}, d.typeName(v)})
}

func (dec *jsonDecoder) note(err error) {
	if dec.mistaken == nil {
		dec.mistaken = err
	}
}

// pointer decodes into what p points to. In is the struct in whose field it is,
// path the way there.
func (dec *jsonDecoder) pointer(data []byte, p reflect.Value, d *description, in, path string) error {
	if ok, err := decodeItself(data, p, d); ok {
		return err
	}
	return dec.value(data, p.Elem(), d.types.get(d.elems[0]), in, path)
}

// value decodes into v, which has an address, and whose type d describes; nil
// stands for a type that needs no description.
func (dec *jsonDecoder) value(data []byte, v reflect.Value, d *description, in, path string) error {
	data = bytes.TrimSpace(data)
	if d == nil {
		return dec.compiled(data, v, d, in, path)
	}
	null := string(data) == "null"
	if d.kind == "pointer" {
		if null {
			v.SetZero()
			return nil
		}
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		return dec.pointer(data, v, d, in, path)
	}
	if p := d.addressed(v); p != nil {
		if ok, err := decodeItself(data, v.Addr(), p); ok {
			return err
		}
	} else if ok, err := decodeItself(data, v, d); ok {
		return err
	}
	if null {
		switch d.kind {
		case "slice", "map", "interface":
			v.SetZero()
		}
		return nil
	}
	switch d.kind {
	case "struct":
		return dec.structure(data, v, d, in, path)
	case "slice", "array":
		return dec.list(data, v, d, in, path)
	case "map":
		return dec.mapping(data, v, d, in, path)
	}
	return dec.compiled(data, v, d, in, path)
}

// compiled decodes into a value that encoding/json knows how to decode into.
func (dec *jsonDecoder) compiled(data []byte, v reflect.Value, d *description, in, path string) error {
	err := json.Unmarshal(data, v.Addr().Interface())
	var mistaken *json.UnmarshalTypeError
	if !errors.As(err, &mistaken) {
		return err
	}
	name, where := mistaken.Type.String(), *mistaken
	if mistaken.Field == "" {
		name, where.Struct = d.typeName(v), in
	}
	where.Field = strings.Trim(path+"."+mistaken.Field, ".")
	dec.note(&jsonTypeError{&where, name})
	return nil
}

// decodeItself calls the method by which a value decodes itself, if it has one
// for the text.
func decodeItself(data []byte, v reflect.Value, d *description) (ok bool, err error) {
	name, argument := "UnmarshalJSON", data
	if d.text(name) != "func(interface{}, []uint8) error" {
		name = "UnmarshalText"
		if d.text(name) != "func(interface{}, []uint8) error" || len(data) == 0 || data[0] != '"' {
			return false, nil
		}
		var text string
		if err := json.Unmarshal(data, &text); err != nil {
			return true, err
		}
		argument = []byte(text)
	}
	value := v.Interface()
	out := reflect.ValueOf(d.method(name)).Call([]reflect.Value{reflect.ValueOf(&value).Elem(), reflect.ValueOf(argument)})
	err, _ = out[0].Interface().(error)
	return true, err
}

func (dec *jsonDecoder) structure(data []byte, v reflect.Value, d *description, in, path string) error {
	if data[0] != '{' {
		dec.mismatch(jsonKind(data), v, d, in, path)
		return nil
	}
	fields := jsonFields(v.Type(), d)
	name := ""
	if d.named {
		name = strings.TrimPrefix(d.name, "main.")
	}
	return eachMember(data, func(key string, text []byte) error {
		f := fieldNamed(fields, key)
		if f == nil {
			return nil
		}
		place, err := f.made(v)
		if err != nil {
			return err
		}
		way := strings.Trim(path+"."+f.path, ".")
		if f.quoted {
			var inner string
			if string(text) != "null" {
				if err := json.Unmarshal(text, &inner); err != nil {
					return fmt.Errorf("json: invalid use of ,string struct tag, trying to unmarshal unquoted value into %s", f.d.typeName(place))
				}
				text = []byte(inner)
			}
		}
		return dec.value(text, place, f.d, name, way)
	})
}

// made is within for a value that is to be written: embedded pointers that are
// nil get something to point to.
func (f *jsonField) made(v reflect.Value) (reflect.Value, error) {
	for i, n := range f.index {
		if i > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				if !v.CanSet() {
					return v, fmt.Errorf("json: cannot set embedded pointer to unexported struct: %v", v.Type().Elem())
				}
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.Field(n)
	}
	return v, nil
}

// fieldNamed returns the field for a key: the one of that name, or else one whose
// name differs in case alone.
func fieldNamed(fields []*jsonField, key string) *jsonField {
	var alike *jsonField
	for _, f := range fields {
		if f.name == key {
			return f
		}
		if alike == nil && strings.EqualFold(f.name, key) {
			alike = f
		}
	}
	return alike
}

// eachMember calls f for the members of an object, in their order.
func eachMember(data []byte, f func(key string, value []byte) error) error {
	d := json.NewDecoder(bytes.NewReader(data))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
		if err := f(fmt.Sprint(key), value); err != nil {
			return err
		}
	}
	return nil
}

func (dec *jsonDecoder) list(data []byte, v reflect.Value, d *description, in, path string) error {
	elem := d.types.get(d.elems[0])
	if data[0] == '"' && v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 {
		return dec.compiled(data, v, d, in, path)
	}
	if data[0] != '[' {
		dec.mismatch(jsonKind(data), v, d, in, path)
		return nil
	}
	var texts []json.RawMessage
	if err := json.Unmarshal(data, &texts); err != nil {
		return err
	}
	if v.Kind() == reflect.Slice {
		// Elements that are there are decoded into, as encoding/json does.
		if v.Cap() < len(texts) {
			grown := reflect.MakeSlice(v.Type(), v.Len(), len(texts))
			reflect.Copy(grown, v)
			v.Set(grown)
		}
		was := v.Len()
		v.SetLen(len(texts))
		for i := was; i < len(texts); i++ {
			v.Index(i).SetZero()
		}
		if len(texts) == 0 {
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		}
	}
	for i := range v.Len() {
		if i >= len(texts) {
			v.Index(i).SetZero()
			continue
		}
		if err := dec.value(texts[i], v.Index(i), elem, in, path); err != nil {
			return err
		}
	}
	return nil
}

func (dec *jsonDecoder) mapping(data []byte, v reflect.Value, d *description, in, path string) error {
	if data[0] != '{' {
		dec.mismatch(jsonKind(data), v, d, in, path)
		return nil
	}
	if v.IsNil() {
		v.Set(reflect.MakeMap(v.Type()))
	}
	key, elem := d.types.get(d.elems[0]), d.types.get(d.elems[1])
	return eachMember(data, func(name string, text []byte) error {
		k := reflect.New(v.Type().Key()).Elem()
		if ok, err := dec.key(name, k, key, in, path); !ok || err != nil {
			return err
		}
		value := reflect.New(v.Type().Elem()).Elem()
		if err := dec.value(text, value, elem, in, path); err != nil {
			return err
		}
		v.SetMapIndex(k, value)
		return nil
	})
}

// key makes a map's key of an object's. It reports whether there is one.
func (dec *jsonDecoder) key(name string, k reflect.Value, d *description, in, path string) (bool, error) {
	quoted := []byte(strconv.Quote(name))
	if encoded, err := json.Marshal(name); err == nil {
		quoted = encoded
	}
	if p := d.addressed(k); p != nil && p.text("UnmarshalText") != "" {
		_, err := decodeItself(quoted, k.Addr(), p)
		return err == nil, err
	}
	if u, ok := k.Addr().Interface().(encoding.TextUnmarshaler); ok && d == nil {
		err := u.UnmarshalText([]byte(name))
		return err == nil, err
	}
	switch k.Kind() {
	case reflect.String:
		k.SetString(name)
		return true, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n, err := strconv.ParseInt(name, 10, 64)
		if err == nil && !k.OverflowInt(n) {
			k.SetInt(n)
			return true, nil
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		n, err := strconv.ParseUint(name, 10, 64)
		if err == nil && !k.OverflowUint(n) {
			k.SetUint(n)
			return true, nil
		}
	}
	dec.mismatch("number "+name, k, d, in, path)
	return false, nil
}

// jsonKind is what encoding/json calls a value in its complaints.
func jsonKind(data []byte) string {
	switch data[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "bool"
	}
	return "number"
}
