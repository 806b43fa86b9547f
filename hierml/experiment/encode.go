package experiment

import (
	"crypto/sha256"
	"encoding"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/files"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// described is a value as JSON can have it, in one form for values that are the same: fields of
// structs that are zero are left out, values of the types of this library have their names, so that
// what came from JSON goes back as it came, and of what JSON cannot have there is a hash. What a
// function does cannot be described. Keys of cells are made of it: it describes fields that are not
// exported, too, as two losses may differ in those alone.
func described(value any) any {
	return (&describer{seen: make(map[uintptr]bool)}).of(reflect.ValueOf(value))
}

// canonical is described as text.
func canonical(value any) string {
	text, err := json.Marshal(described(value))
	if err != nil { // described leaves nothing that JSON cannot have
		return strconv.Quote(err.Error())
	}
	return string(text)
}

type describer struct {
	seen  map[uintptr]bool
	blind bool // something was a function
}

// longest is the length of a list up to which it is described, and not hashed.
const longest = 64

func (d *describer) of(v reflect.Value) any {
	if !v.IsValid() {
		return nil
	}
	if v.CanInterface() {
		switch value := v.Interface().(type) {
		case Named:
			return d.describeNamed(value.Type, value.Fields)
		case json.Number:
			if u, err := strconv.ParseUint(string(value), 10, 64); err == nil {
				return u
			}
			if f, err := value.Float64(); err == nil {
				return d.float(f)
			}
			return string(value)
		case time.Duration:
			return value.String()
		case *taxonomy.Taxonomy:
			return "taxonomy " + digest(func(h *digester) { h.taxonomy(value) })
		case *dataset.Dataset:
			return "data " + digest(func(h *digester) { h.dataset(value) })
		case *dataset.Table:
			return "table " + digest(func(h *digester) { h.table(value) })
		case *dataset.Corpus:
			return "texts " + digest(func(h *digester) { h.corpus(value) })
		}
		if m, ok := v.Interface().(encoding.TextMarshaler); ok && v.Kind() != reflect.Pointer && v.Kind() != reflect.Interface {
			if text, err := m.MarshalText(); err == nil {
				return string(text)
			}
		}
	}
	switch v.Kind() {
	case reflect.Bool:
		return v.Bool()
	case reflect.String:
		return v.String()
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return v.Int()
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return v.Uint()
	case reflect.Float32, reflect.Float64:
		return d.float(v.Float())
	case reflect.Complex64, reflect.Complex128:
		return fmt.Sprint(v.Complex())
	case reflect.Interface:
		if v.IsNil() {
			return nil
		}
		return d.dynamic(v.Elem())
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		if d.seen[v.Pointer()] {
			return "again " + v.Type().String()
		}
		d.seen[v.Pointer()] = true
		defer delete(d.seen, v.Pointer())
		return d.of(v.Elem())
	case reflect.Struct:
		return d.fields(v)
	case reflect.Slice, reflect.Array:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = d.of(v.Index(i))
		}
		if len(list) > longest {
			text, err := json.Marshal(list)
			return fmt.Sprintf("%d values %x %v", len(list), sha256.Sum256(text), err)
		}
		return list
	case reflect.Map:
		object := make(map[string]any, v.Len())
		for _, key := range v.MapKeys() {
			object[fmt.Sprint(d.of(key))] = d.of(v.MapIndex(key))
		}
		return object
	}
	if v.IsNil() {
		return nil
	}
	d.blind = true
	return "a " + v.Type().String()
}

// float is f as a number, or as text where JSON has none. Whole numbers are as integers are.
func (d *describer) float(f float64) any {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return fmt.Sprint(f)
	case f == math.Trunc(f) && math.Abs(f) < 1<<53:
		return int64(f)
	}
	return f
}

// dynamic describes a value by its type and fields.
func (d *describer) dynamic(v reflect.Value) any {
	told := d.of(v)
	elem := v
	for elem.Kind() == reflect.Pointer && !elem.IsNil() {
		elem = elem.Elem()
	}
	fields, ok := told.(map[string]any)
	if !ok || elem.Kind() != reflect.Struct || v.Type() == reflect.TypeFor[Named]() {
		return told
	}
	return d.object(elem.Type().String(), fields)
}

func (d *describer) object(name string, fields map[string]any) any {
	if len(fields) == 0 {
		return name
	}
	return map[string]any{name: fields}
}

// describeNamed describes fields as they are described where they are set, if they may be.
func (d *describer) describeNamed(name string, values map[string]any) any {
	fields := make(map[string]any, len(values))
	for key, value := range values {
		if told := d.given(value, fieldOf(typeOf(name), key)); told != nil {
			fields[key] = told
		}
	}
	return d.object(name, fields)
}

// typeOf returns the type of that name that a study may name, nil if there is none.
func typeOf(name string) reflect.Type {
	for _, types := range []map[string]reflect.Type{estimatorTypes(), fieldTypes(), generatorTypes(), stepTypes()} {
		if t, ok := types[name]; ok {
			return t
		}
	}
	return nil
}

// fieldOf returns the type of a field of a struct, or of a pointer to one, and nil where there is
// none.
func fieldOf(t reflect.Type, name string) reflect.Type {
	if t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	f, ok := t.FieldByName(name)
	if !ok {
		return nil
	}
	return f.Type
}

// given describes a value that came from JSON, of a field of type t, nil if it is zero. t is nil
// where it is not known.
func (d *describer) given(value any, t reflect.Type) any {
	object, ok := value.(map[string]any)
	switch {
	case value == nil:
		return nil
	case ok && t != nil && t.Kind() == reflect.Pointer:
		if told := d.given(value, t.Elem()); told != nil {
			return told
		}
		return map[string]any{} // set, and not nil
	case ok:
		fields := make(map[string]any, len(object))
		for key, value := range object {
			of := fieldOf(t, key)
			if inner, ok := value.(map[string]any); ok && len(inner) == 0 && len(object) == 1 && of == nil {
				return key // {"NAME": {}}
			}
			if of == nil {
				of = typeOf(key)
			}
			if told := d.given(value, of); told != nil {
				fields[key] = told
			}
		}
		if len(fields) == 0 {
			return nil
		}
		return fields
	}
	told := d.dynamic(reflect.ValueOf(value))
	switch told {
	case false, "", int64(0), uint64(0):
		return nil
	}
	return told
}

// fields describes the fields of a struct that are not zero, but those which do not change an
// outcome.
func (d *describer) fields(v reflect.Value) any {
	fields := make(map[string]any)
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if v.Field(i).IsZero() || f.Name == "Workers" && f.Type.Kind() == reflect.Int || f.Name == "Progress" && f.Type.Kind() == reflect.Func ||
			f.Name == "Checkpoint" && f.Type.Kind() == reflect.String || v.Type() == reflect.TypeFor[solver.Settings]() && (f.Name == "Farm" || f.Name == "Directory") {
			continue
		}
		told := d.of(v.Field(i))
		if v.Type() == reflect.TypeFor[files.Table]() {
			switch f.Type {
			case reflect.TypeFor[rune]():
				told = string(rune(v.Field(i).Int()))
			case reflect.TypeFor[*files.Faults](): // what was found is no part of it
				told = map[string]any{}
			}
		}
		if inner, ok := told.(map[string]any); ok && len(inner) == 0 && f.Type.Kind() == reflect.Struct {
			continue
		}
		name := f.Name
		if v.Type() == reflect.TypeFor[Method]() && name == "Named" {
			name = "Estimator"
		}
		fields[name] = told
	}
	return fields
}

// digester hashes data.
type digester struct{ hash.Hash }

func digest(f func(*digester)) string {
	h := &digester{sha256.New()}
	f(h)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

func (h *digester) number(n int) { h.Write(binary.LittleEndian.AppendUint64(nil, uint64(n))) }

func (h *digester) text(s string) {
	h.number(len(s))
	h.Write([]byte(s))
}

func (h *digester) taxonomy(t *taxonomy.Taxonomy) {
	if t == nil {
		h.number(-1)
		return
	}
	h.number(t.Len())
	for n := range t.Len() {
		h.text(t.Name(n))
	}
	for _, e := range t.Edges() {
		h.number(e[0])
		h.number(e[1])
	}
	// A taxonomy without such labels has the digest that it always had.
	labels := t.LabelNames()
	for _, n := range slices.Sorted(maps.Keys(labels)) {
		h.number(n)
		h.text(labels[n])
	}
}

func (h *digester) labels(labels [][]int) {
	h.number(len(labels))
	for _, set := range labels {
		h.number(len(set))
		for _, y := range set {
			h.number(y)
		}
	}
}

func (h *digester) dataset(d *dataset.Dataset) {
	h.taxonomy(d.Taxonomy)
	h.labels(d.Labels)
	h.groups(d.Groups)
	for _, w := range d.Weights {
		h.number(int(math.Float64bits(w)))
	}
	if d.X == nil {
		return
	}
	h.number(d.X.Cols)
	buffer := make([]byte, 0, 1<<16)
	for i := range d.X.Rows {
		columns, values := d.X.Row(i)
		buffer = binary.LittleEndian.AppendUint64(buffer, uint64(len(columns)))
		for k, c := range columns {
			buffer = binary.LittleEndian.AppendUint32(buffer, uint32(c))
			buffer = binary.LittleEndian.AppendUint32(buffer, math.Float32bits(values[k]))
		}
		if len(buffer) > 1<<15 {
			h.Write(buffer)
			buffer = buffer[:0]
		}
	}
	h.Write(buffer)
}

func (h *digester) corpus(c *dataset.Corpus) {
	h.taxonomy(c.Taxonomy)
	h.number(len(c.Documents))
	for i := range c.Documents {
		h.text(c.Documents[i].Text)
		h.text(c.Documents[i].Part)
		h.labels([][]int{c.Documents[i].Labels})
	}
	h.groups(c.Groups())
}

// groups leaves data without groups the digest that they always had.
func (h *digester) groups(groups []string) {
	for _, name := range groups {
		h.text(name)
	}
}
