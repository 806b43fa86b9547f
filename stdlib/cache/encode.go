package cache

import (
	"encoding"
	"encoding/binary"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"go/token"
	"math"
	"reflect"
	"strings"
)

// Values are encoded here, and not by gob. gob omits zeros, so that a pointer to 0 and an empty
// slice come back as nil and -0 as 0. It drops unexported fields without an error, refuses a nil
// within a slice of pointers, and a cyclic value ends the process.

// A coder encodes values of a type that encodes itself.
type coder struct {
	name          string
	writes, reads reflect.Type
	encode        func(any) ([]byte, error)
	decode        func(any, []byte) error
}

var coders = []coder{
	{
		"binary", reflect.TypeFor[encoding.BinaryMarshaler](), reflect.TypeFor[encoding.BinaryUnmarshaler](),
		func(v any) ([]byte, error) { return v.(encoding.BinaryMarshaler).MarshalBinary() },
		func(v any, data []byte) error { return v.(encoding.BinaryUnmarshaler).UnmarshalBinary(data) },
	},
	{
		"gob", reflect.TypeFor[gob.GobEncoder](), reflect.TypeFor[gob.GobDecoder](),
		func(v any) ([]byte, error) { return v.(gob.GobEncoder).GobEncode() },
		func(v any, data []byte) error { return v.(gob.GobDecoder).GobDecode(data) },
	},
	{
		"json", reflect.TypeFor[json.Marshaler](), reflect.TypeFor[json.Unmarshaler](),
		func(v any) ([]byte, error) { return v.(json.Marshaler).MarshalJSON() },
		func(v any, data []byte) error { return v.(json.Unmarshaler).UnmarshalJSON(data) },
	},
}

// coderOf returns the coder of a type, through pointers to it; nil if there is none.
func coderOf(t reflect.Type) *coder {
	if t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface {
		return nil
	}
	for i, c := range coders {
		if p := reflect.PointerTo(t); p.Implements(c.writes) && p.Implements(c.reads) {
			return &coders[i]
		}
	}
	return nil
}

// describe returns a description of a type that determines the encoding of its values: types with
// the same description can exchange values. The error names a part that cannot be stored.
func describe(t reflect.Type) (string, error) {
	var b strings.Builder
	if err := describeInto(&b, t, map[reflect.Type]int{}, t.String()); err != nil {
		return "", err
	}
	return b.String(), nil
}

// describeInto writes the description of a type. where names the value around it in errors.
func describeInto(b *strings.Builder, t reflect.Type, seen map[reflect.Type]int, where string) error {
	if n, ok := seen[t]; ok {
		fmt.Fprintf(b, "^%d", n)
		return nil
	}
	if c := coderOf(t); c != nil {
		fmt.Fprintf(b, "%s %s.%s", c.name, t.PkgPath(), t.Name())
		return nil
	}
	switch {
	case t.Kind() == reflect.Struct:
		// Other types have names only in compiled cells, and do not count.
		n := 0
		for of := range seen {
			if of.Kind() == reflect.Struct {
				n++
			}
		}
		seen[t] = n
	case t.PkgPath() != "":
		seen[t] = -1
		defer delete(seen, t)
	}
	part := func(t reflect.Type) error { return describeInto(b, t, seen, where) }
	switch t.Kind() {
	case reflect.Pointer:
		b.WriteString("*")
		return part(t.Elem())
	case reflect.Slice:
		b.WriteString("[]")
		return part(t.Elem())
	case reflect.Array:
		fmt.Fprintf(b, "[%d]", t.Len())
		return part(t.Elem())
	case reflect.Map:
		b.WriteString("map[")
		if err := part(t.Key()); err != nil {
			return err
		}
		b.WriteString("]")
		return part(t.Elem())
	case reflect.Struct:
		if t.Name() != "" {
			where = t.String()
		}
		b.WriteString("struct{")
		for f := range t.Fields() {
			if name := hiddenName(f); name != "" {
				return fmt.Errorf("cache: the field %s of %s is not exported and cannot be stored. Begin its name with a capital letter", name, where)
			}
			fmt.Fprintf(b, "%s ", f.Name)
			if err := describeInto(b, f.Type, seen, where+"."+f.Name); err != nil {
				return err
			}
			b.WriteString(";")
		}
		b.WriteString("}")
		return nil
	case reflect.Interface, reflect.Func, reflect.Chan, reflect.UnsafePointer, reflect.Uintptr:
		return fmt.Errorf("cache: values of type %s, as in %s, cannot be stored", t, where)
	}
	b.WriteString(t.Kind().String())
	return nil
}

// hiddenName returns the name of an unexported field, and nothing for others. In interpreted cells
// it is an exported field with another name, and with a tag.
func hiddenName(f reflect.StructField) string {
	if !f.IsExported() {
		return f.Name
	}
	if name, ok := strings.CutPrefix(f.Name, "X"); ok && f.Tag == `json:"-"` && name != "" && !token.IsExported(name) {
		return name
	}
	return ""
}

// maxDepth bounds the nesting of pointers, slices and similar values. A deeper value is cyclic.
const maxDepth = 10000

// encode returns the bytes of a value.
func encode(v reflect.Value) ([]byte, error) { return appendValue(nil, v, 0) }

func appendValue(b []byte, v reflect.Value, depth int) (_ []byte, err error) {
	if depth > maxDepth {
		return nil, errors.New("cache: a value that is cyclic, or nested too deep, cannot be stored")
	}
	t := v.Type()
	if c := coderOf(t); c != nil {
		if !v.CanAddr() { // an element of a map
			p := reflect.New(t)
			p.Elem().Set(v)
			v = p.Elem()
		}
		data, err := c.encode(v.Addr().Interface())
		if err != nil {
			return nil, fmt.Errorf("cache: a value of type %s cannot be stored: %w", t, err)
		}
		return append(binary.AppendUvarint(b, uint64(len(data))), data...), nil
	}
	switch t.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return append(b, 1), nil
		}
		return append(b, 0), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return binary.AppendVarint(b, v.Int()), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return binary.AppendUvarint(b, v.Uint()), nil
	case reflect.Float32, reflect.Float64:
		return binary.LittleEndian.AppendUint64(b, math.Float64bits(v.Float())), nil
	case reflect.Complex64, reflect.Complex128:
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(real(v.Complex())))
		return binary.LittleEndian.AppendUint64(b, math.Float64bits(imag(v.Complex()))), nil
	case reflect.String:
		return append(binary.AppendUvarint(b, uint64(v.Len())), v.String()...), nil
	case reflect.Pointer:
		if v.IsNil() {
			return append(b, 0), nil
		}
		return appendValue(append(b, 1), v.Elem(), depth+1)
	case reflect.Slice:
		if v.IsNil() {
			return append(b, 0), nil
		}
		b = binary.AppendUvarint(b, uint64(v.Len())+1)
		fallthrough
	case reflect.Array:
		if t.Elem() == reflect.TypeFor[byte]() && t.Kind() == reflect.Slice {
			return append(b, v.Bytes()...), nil
		}
		for i := range v.Len() {
			if b, err = appendValue(b, v.Index(i), depth+1); err != nil {
				return nil, err
			}
		}
		return b, nil
	case reflect.Map:
		if v.IsNil() {
			return append(b, 0), nil
		}
		b = binary.AppendUvarint(b, uint64(v.Len())+1)
		for key, value := range v.Seq2() {
			if b, err = appendValue(b, key, depth+1); err != nil {
				return nil, err
			}
			if b, err = appendValue(b, value, depth+1); err != nil {
				return nil, err
			}
		}
		return b, nil
	case reflect.Struct:
		for i := range v.NumField() {
			if b, err = appendValue(b, v.Field(i), depth+1); err != nil {
				return nil, err
			}
		}
		return b, nil
	}
	return nil, fmt.Errorf("cache: values of type %s cannot be stored", t)
}

// errDamaged is the error for bytes that are not the encoding of a value.
var errDamaged = errors.New("cache: the file is damaged")

// decode sets a variable to the value encoded in data, and checks that nothing follows. It trusts
// nothing in the data.
func decode(data []byte, v reflect.Value) (err error) {
	defer func() {
		// Types that decode themselves may be less careful.
		if r := recover(); r != nil {
			err = fmt.Errorf("cache: decoding has panicked: %v", r)
		}
	}()
	d := &decoder{data}
	if err := d.value(v, 0); err != nil {
		return err
	}
	if len(d.data) > 0 {
		return errDamaged
	}
	return nil
}

type decoder struct{ data []byte }

func (d *decoder) take(n uint64) ([]byte, error) {
	if n > uint64(len(d.data)) {
		return nil, errDamaged
	}
	part := d.data[:n:n]
	d.data = d.data[n:]
	return part, nil
}

func (d *decoder) uint() (uint64, error) {
	x, n := binary.Uvarint(d.data)
	if n <= 0 {
		return 0, errDamaged
	}
	d.data = d.data[n:]
	return x, nil
}

func (d *decoder) float() (float64, error) {
	part, err := d.take(8)
	if err != nil {
		return 0, err
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(part)), nil
}

// bytes reads a length and that many bytes.
func (d *decoder) bytes() ([]byte, error) {
	n, err := d.uint()
	if err != nil {
		return nil, err
	}
	return d.take(n)
}

func (d *decoder) value(v reflect.Value, depth int) error {
	t := v.Type()
	if depth > maxDepth {
		return errDamaged
	}
	if c := coderOf(t); c != nil {
		data, err := d.bytes()
		if err != nil {
			return err
		}
		return c.decode(v.Addr().Interface(), data)
	}
	switch t.Kind() {
	case reflect.Bool:
		part, err := d.take(1)
		if err != nil || part[0] > 1 {
			return errDamaged
		}
		v.SetBool(part[0] == 1)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		x, n := binary.Varint(d.data)
		if n <= 0 || v.OverflowInt(x) {
			return errDamaged
		}
		d.data = d.data[n:]
		v.SetInt(x)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		x, err := d.uint()
		if err != nil || v.OverflowUint(x) {
			return errDamaged
		}
		v.SetUint(x)
	case reflect.Float32, reflect.Float64:
		x, err := d.float()
		if err != nil {
			return err
		}
		v.SetFloat(x)
	case reflect.Complex64, reflect.Complex128:
		re, err := d.float()
		if err != nil {
			return err
		}
		im, err := d.float()
		if err != nil {
			return err
		}
		v.SetComplex(complex(re, im))
	case reflect.String:
		data, err := d.bytes()
		if err != nil {
			return err
		}
		v.SetString(string(data))
	case reflect.Pointer:
		part, err := d.take(1)
		if err != nil || part[0] > 1 {
			return errDamaged
		}
		if part[0] == 0 {
			return nil
		}
		v.Set(reflect.New(t.Elem()))
		return d.value(v.Elem(), depth+1)
	case reflect.Slice:
		return d.slice(v, depth)
	case reflect.Array:
		for i := range v.Len() {
			if err := d.value(v.Index(i), depth+1); err != nil {
				return err
			}
		}
	case reflect.Map:
		return d.mapping(v, depth)
	case reflect.Struct:
		for i := range v.NumField() {
			if err := d.value(v.Field(i), depth+1); err != nil {
				return err
			}
		}
	default:
		return errDamaged
	}
	return nil
}

// slice decodes a slice. It grows with the data: a length alone allocates nothing.
func (d *decoder) slice(v reflect.Value, depth int) error {
	n, err := d.uint()
	if err != nil || n == 0 {
		return err
	}
	n--
	t := v.Type()
	if t.Elem() == reflect.TypeFor[byte]() {
		data, err := d.take(n)
		if err != nil {
			return err
		}
		v.Set(reflect.MakeSlice(t, int(n), int(n)))
		copy(v.Bytes(), data)
		return nil
	}
	if n > uint64(len(d.data))+maxEmpty {
		return errDamaged
	}
	v.Set(reflect.MakeSlice(t, 0, 0))
	for i := range int(n) {
		v.Grow(1)
		v.SetLen(i + 1)
		if err := d.value(v.Index(i), depth+1); err != nil {
			return err
		}
	}
	return nil
}

// maxEmpty bounds the elements of a slice that take no bytes in the file.
const maxEmpty = 1 << 20

func (d *decoder) mapping(v reflect.Value, depth int) error {
	n, err := d.uint()
	if err != nil || n == 0 {
		return err
	}
	n--
	if n > uint64(len(d.data))+1 {
		return errDamaged
	}
	t := v.Type()
	v.Set(reflect.MakeMap(t))
	for range n {
		key, value := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
		if err := d.value(key, depth+1); err != nil {
			return err
		}
		if err := d.value(value, depth+1); err != nil {
			return err
		}
		v.SetMapIndex(key, value)
	}
	return nil
}
