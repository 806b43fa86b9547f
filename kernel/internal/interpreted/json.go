package interpreted

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
)

// encoding/json finds neither methods nor embedded structs in the values of
// session types. It is given a likeness of them instead: values of compiled
// types that it encodes as the compiled program's would be.

// marshalJSON is json.Marshal.
func marshalJSON(v any) ([]byte, error) {
	like, err := likeness(v)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(like)
	return text, ownError(err)
}

// marshalIndentJSON is json.MarshalIndent.
func marshalIndentJSON(v any, prefix, indent string) ([]byte, error) {
	like, err := likeness(v)
	if err != nil {
		return nil, err
	}
	text, err := json.MarshalIndent(like, prefix, indent)
	return text, ownError(err)
}

// encodeJSON is the method Encode of a json.Encoder.
func encodeJSON(e *json.Encoder, v any) error {
	like, err := likeness(v)
	if err != nil {
		return err
	}
	return ownError(e.Encode(like))
}

// ownError takes away what encoding/json says of the carrier whose encoding
// failed: the carrier's error is whole.
func ownError(err error) error {
	var failed *json.MarshalerError
	if errors.As(err, &failed) && failed.Type == reflect.TypeFor[carrier]() {
		return failed.Err
	}
	return err
}

// MarshalJSON encodes the value as its type would be encoded in a compiled
// program.
func (c carrier) MarshalJSON() ([]byte, error) {
	like, err := likeness(c)
	if err != nil {
		return nil, err
	}
	// Whoever asks escapes what is to be escaped.
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(like); err != nil {
		return nil, ownError(err)
	}
	return text.Bytes(), nil
}

// deepestJSON is how deep values may be nested. What is deeper holds itself.
const deepestJSON = 1000

// A likenessError is what a value has instead of a likeness.
type likenessError struct{ err error }

// likeness returns a value that encoding/json encodes as v.
func likeness(v any) (like any, err error) {
	c, ok := carried(v)
	if !ok {
		return v, nil
	}
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		failed, ok := r.(likenessError)
		if !ok {
			panic(r)
		}
		err = failed.err
	}()
	return likenessOf(reflect.ValueOf(c.value), c.d, 0), nil
}

// likenessOf is likeness for a value whose type d describes; nil stands for a
// type that needs no description.
func likenessOf(v reflect.Value, d *description, depth int) any {
	switch {
	case !v.IsValid():
		return nil
	case depth > deepestJSON:
		panic(likenessError{fmt.Errorf("json: unsupported value: encountered a cycle via %s", d.typeName(v))})
	case d == nil:
		return v.Interface()
	}
	if like, ok := encoded(v, d); ok {
		return like
	}
	if p := d.addressed(v); p != nil {
		if like, ok := encoded(v.Addr(), p); ok {
			return like
		}
	}
	switch d.kind {
	case "pointer":
		if v.IsNil() {
			return nil
		}
		return likenessOf(v.Elem(), d.types.get(d.elems[0]), depth+1)
	case "struct":
		return structLikeness(v, d, depth)
	case "slice", "array":
		elem := d.types.get(d.elems[0])
		switch {
		case d.kind == "slice" && v.IsNil():
			return nil
		case d.kind == "slice" && v.Type().Elem().Kind() == reflect.Uint8 && elem.method("MarshalJSON") == nil && elem.method("MarshalText") == nil:
			return v.Bytes()
		}
		list := make([]any, v.Len())
		for i := range list {
			list[i] = likenessOf(v.Index(i), elem, depth+1)
		}
		return list
	case "map":
		if v.IsNil() {
			return nil
		}
		m := make(map[string]any, v.Len())
		key, elem := d.types.get(d.elems[0]), d.types.get(d.elems[1])
		for entries := v.MapRange(); entries.Next(); {
			m[keyText(entries.Key(), key)] = likenessOf(entries.Value(), elem, depth+1)
		}
		return m
	case "interface":
		if v.IsNil() {
			return nil
		}
		inner := v.Elem().Interface()
		if c, ok := carried(inner); ok {
			return likenessOf(reflect.ValueOf(c.value), c.d, depth+1)
		}
		return inner
	case "basic":
		return basicValue(v)
	}
	panic(likenessError{fmt.Errorf("json: unsupported type: %s", d.name)})
}

// addressed describes the pointers to the values of a type, if the value has an
// address and its pointer other methods than it.
func (d *description) addressed(v reflect.Value) *description {
	if d == nil || !v.CanAddr() {
		return nil
	}
	d.types.mu.RLock()
	defer d.types.mu.RUnlock()
	return d.types.known[d.pointer]
}

func (d *description) typeName(v reflect.Value) string {
	if d == nil {
		return v.Type().String()
	}
	return d.name
}

// basicValue is a value of a named basic type as one of the basic type.
func basicValue(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Bool:
		return v.Bool()
	case reflect.String:
		return v.String()
	case reflect.Float32:
		return float32(v.Float())
	case reflect.Float64:
		return v.Float()
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return v.Int()
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return v.Uint()
	}
	return v.Interface() // which encoding/json has no form for, and says so
}

// encoded is the likeness of a value that encodes itself.
func encoded(v reflect.Value, d *description) (like any, ok bool) {
	for _, name := range []string{"MarshalJSON", "MarshalText"} {
		if d.text(name) != "func(interface{}) ([]uint8, error)" {
			continue
		}
		if v.Kind() == reflect.Pointer && v.IsNil() {
			return nil, true
		}
		text, err := callMarshaler(v, d, name)
		if err == nil && name == "MarshalText" {
			return string(text), true
		}
		if err == nil {
			err = json.Compact(&bytes.Buffer{}, text)
		}
		if err != nil {
			panic(likenessError{fmt.Errorf("json: error calling %s for type %s: %w", name, d.name, err)})
		}
		return json.RawMessage(text), true
	}
	return nil, false
}

func callMarshaler(v reflect.Value, d *description, name string) ([]byte, error) {
	value := v.Interface()
	out := reflect.ValueOf(d.method(name)).Call([]reflect.Value{reflect.ValueOf(&value).Elem()})
	text, _ := out[0].Interface().([]byte)
	err, _ := out[1].Interface().(error)
	return text, err
}

// keyText is the key of an object for that of a map.
func keyText(v reflect.Value, d *description) string {
	if v.Kind() == reflect.String {
		return v.String()
	}
	if d != nil && d.text("MarshalText") != "" {
		text, err := callMarshaler(v, d, "MarshalText")
		if err != nil {
			panic(likenessError{fmt.Errorf("json: error calling MarshalText for type %s: %w", d.name, err)})
		}
		return string(text)
	}
	if m, ok := v.Interface().(encoding.TextMarshaler); ok && d == nil {
		text, err := m.MarshalText()
		if err != nil {
			panic(likenessError{fmt.Errorf("json: error calling MarshalText for type %s: %w", v.Type(), err)})
		}
		return string(text)
	}
	switch n := basicValue(v).(type) {
	case int64:
		return strconv.FormatInt(n, 10)
	case uint64:
		return strconv.FormatUint(n, 10)
	}
	panic(likenessError{fmt.Errorf("json: unsupported type: map[%s]", d.typeName(v))})
}

// structLikeness is a struct of the fields that are encoded.
func structLikeness(v reflect.Value, d *description, depth int) any {
	var fields []reflect.StructField
	var values []any
	for i, f := range jsonFields(v.Type(), d) {
		value, ok := f.within(v)
		if !ok || f.omitEmpty && isEmpty(value) || f.omitZero && isZero(value, f.d) {
			continue
		}
		like := likenessOf(value, f.d, depth+1)
		field := reflect.StructField{Name: "F" + strconv.Itoa(i), Tag: f.tag(), Type: reflect.TypeFor[any]()}
		if f.quoted && like != nil {
			field.Type = reflect.TypeOf(like)
		}
		fields, values = append(fields, field), append(values, like)
	}
	s := reflect.New(reflect.StructOf(fields)).Elem()
	for i, value := range values {
		if value != nil {
			s.Field(i).Set(reflect.ValueOf(value))
		}
	}
	return s.Interface()
}

// isEmpty is what the option omitempty asks.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

// isZero is what the option omitzero asks.
func isZero(v reflect.Value, d *description) bool {
	if d != nil {
		if d.text("IsZero") == "func(interface{}) bool" {
			zero, _ := carrier{d, v.Interface()}.call("IsZero")
			return zero == true
		}
		if p := d.addressed(v); p != nil && p.text("IsZero") == "func(interface{}) bool" {
			zero, _ := carrier{p, v.Addr().Interface()}.call("IsZero")
			return zero == true
		}
		return v.IsZero()
	}
	if z, ok := v.Interface().(interface{ IsZero() bool }); ok {
		return (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) && v.IsNil() || z.IsZero()
	}
	return v.IsZero()
}
