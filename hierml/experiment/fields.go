package experiment

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// setter sets fields of structs to values that come from JSON or from Go. Package encoding/json
// cannot: fields of interfaces get values by the names of types or losses, and grids set fields by
// paths, in estimators of other packages, too. Without a taxonomy, losses are checked by their
// names and not set.
type setter struct {
	t     *taxonomy.Taxonomy
	build bool // fields of any type become estimators, and not the Named of one
}

// fields sets the fields of a struct; where says whose they are, for errors.
func (s setter) fields(v reflect.Value, values map[string]any, where string) error {
	for _, name := range sortedKeys(values) {
		if err := s.path(v, name, values[name], where); err != nil {
			return err
		}
	}
	return nil
}

// path sets the field at a path of names with points between them.
func (s setter) path(v reflect.Value, path string, value any, where string) error {
	name, rest, deeper := strings.Cut(path, ".")
	switch v.Kind() {
	case reflect.Pointer:
		copied := reflect.New(v.Type().Elem())
		if !v.IsNil() {
			copied.Elem().Set(v.Elem())
		}
		if err := s.path(copied.Elem(), path, value, where); err != nil {
			return err
		}
		v.Set(copied)
		return nil
	case reflect.Interface:
		if v.IsNil() {
			return fmt.Errorf("experiment: %s is not set, so it has no %s", where, path)
		}
		copied := reflect.New(v.Elem().Type()).Elem()
		copied.Set(v.Elem())
		if err := s.path(copied, path, value, where); err != nil {
			return err
		}
		v.Set(copied)
		return nil
	case reflect.Map:
		return s.element(v, path, value, where)
	}
	if v.Kind() != reflect.Struct {
		return fmt.Errorf("experiment: %s has no fields, so it has no %s", where, path)
	}
	if v.Type() == reflect.TypeFor[Method]() && name == "Estimator" { // of a study in JSON
		n, err := readNamed(value)
		if err != nil {
			return fmt.Errorf("experiment: %s.%s: %w", where, name, err)
		}
		v.FieldByName("Named").Set(reflect.ValueOf(n))
		return nil
	}
	f, ok := v.Type().FieldByName(name)
	if !ok || !f.IsExported() {
		return fmt.Errorf("experiment: %s has no field %s; it has %s", where, name, strings.Join(fieldNames(v.Type()), ", "))
	}
	at := where + "." + name
	if deeper {
		return s.path(v.FieldByIndex(f.Index), rest, value, at)
	}
	return s.value(v.FieldByIndex(f.Index), value, at)
}

// element sets what a path leads to in an element of a map: its key, which may have points, and
// fields of the element behind it.
func (s setter) element(v reflect.Value, path string, value any, where string) error {
	t := v.Type().Elem()
	key, rest := path, ""
	for at, c := range path {
		field, _, _ := strings.Cut(path[at+1:], ".")
		if c != '.' || t.Kind() != reflect.Struct {
			continue
		}
		if _, ok := t.FieldByName(field); ok {
			key, rest = path[:at], path[at+1:]
			break
		}
	}
	element, name := reflect.New(t).Elem(), reflect.ValueOf(key).Convert(v.Type().Key())
	copied := reflect.MakeMap(v.Type())
	for _, k := range v.MapKeys() {
		copied.SetMapIndex(k, v.MapIndex(k))
	}
	if before := v.MapIndex(name); before.IsValid() {
		element.Set(before)
	}
	set := s.value
	if rest != "" {
		set = func(element reflect.Value, value any, at string) error { return s.path(element, rest, value, at) }
	}
	if err := set(element, value, where+"."+key); err != nil {
		return err
	}
	copied.SetMapIndex(name, element)
	v.Set(copied)
	return nil
}

func fieldNames(t reflect.Type) []string {
	var names []string
	for _, f := range reflect.VisibleFields(t) {
		if f.IsExported() && !f.Anonymous && f.Type.Kind() != reflect.Func {
			names = append(names, f.Name)
		}
	}
	return names
}

// value sets v, which is the field called at.
func (s setter) value(v reflect.Value, value any, at string) error {
	if value == nil {
		v.SetZero()
		return nil
	}
	if n, ok := value.(Named); ok && s.build && v.Type() == reflect.TypeFor[any]() {
		value = map[string]any{n.Type: n.Fields}
	}
	if given := reflect.ValueOf(value); given.Type().AssignableTo(v.Type()) && v.Type() != reflect.TypeFor[any]() && v.Type() != reflect.TypeFor[[]any]() {
		v.Set(given)
		return nil
	}
	fail := func(expected string) error {
		return fmt.Errorf("experiment: %s cannot be %s; expected %s", at, show(value), expected)
	}
	switch v.Type() {
	case reflect.TypeFor[any]():
		if kind := reflect.ValueOf(value).Kind(); !s.build && (kind == reflect.Struct || kind == reflect.Pointer) { // of Go
			v.Set(reflect.ValueOf(value))
			return nil
		}
		n, err := readNamed(value)
		if err != nil {
			return fmt.Errorf("experiment: %s: %w", at, err)
		}
		var made any = n
		if s.build {
			if made, err = n.build(s.t, estimatorTypes()); err != nil {
				return fmt.Errorf("experiment: %s: %w", at, err)
			}
		}
		v.Set(reflect.ValueOf(made))
		return nil
	case reflect.TypeFor[Grid]():
		return setGrid(v, value, fail)
	case reflect.TypeFor[*dataset.Dataset](), reflect.TypeFor[*dataset.Collection](), reflect.TypeFor[*dataset.Corpus](), reflect.TypeFor[*dataset.Table]():
		return fail("data, which can be given in Go only; Open, Texts and File take names")
	}
	if text, ok := value.(string); ok && v.CanAddr() {
		if u, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
			if err := u.UnmarshalText([]byte(text)); err != nil {
				return fmt.Errorf("experiment: %s: %w", at, err)
			}
			return nil
		}
	}
	switch v.Kind() {
	case reflect.Func:
		return fmt.Errorf("experiment: %s is a function, which can be given in Go only; run the study from its Go program", at)
	case reflect.Interface:
		return s.setInterface(v, value, at)
	case reflect.Struct:
		name := v.Type().String()
		if n, err := readNamed(value); err == nil && n.Type == name { // as a grid of Go is written
			return s.fields(v, n.Fields, at)
		}
		values, ok := value.(map[string]any)
		if !ok {
			return fail("an object with fields of " + name)
		}
		return s.fields(v, values, at)
	case reflect.Map:
		values, ok := value.(map[string]any)
		if !ok || v.Type().Key().Kind() != reflect.String {
			return fail("an object")
		}
		made := reflect.MakeMapWithSize(v.Type(), len(values))
		for _, key := range sortedKeys(values) {
			element := reflect.New(v.Type().Elem()).Elem()
			if err := s.value(element, values[key], at+"."+key); err != nil {
				return err
			}
			made.SetMapIndex(reflect.ValueOf(key).Convert(v.Type().Key()), element)
		}
		v.Set(made)
		return nil
	case reflect.Int32: // a rune
		if text, ok := value.(string); ok && utf8.RuneCountInString(text) == 1 {
			r, _ := utf8.DecodeRuneInString(text)
			v.SetInt(int64(r))
			return nil
		}
	case reflect.Pointer:
		target := reflect.New(v.Type().Elem())
		if err := s.value(target.Elem(), value, at); err != nil {
			return err
		}
		v.Set(target)
		return nil
	case reflect.Array, reflect.Slice:
		list := reflect.ValueOf(value)
		if list.Kind() != reflect.Slice || v.Kind() == reflect.Array && list.Len() != v.Len() {
			return fail("a list")
		}
		made := reflect.New(v.Type()).Elem()
		if v.Kind() == reflect.Slice {
			made = reflect.MakeSlice(v.Type(), list.Len(), list.Len())
		}
		for i := range list.Len() {
			if err := s.value(made.Index(i), list.Index(i).Interface(), fmt.Sprintf("%s[%d]", at, i)); err != nil {
				return err
			}
		}
		v.Set(made)
		return nil
	}
	if v.Type() == reflect.TypeFor[time.Duration]() {
		text, _ := value.(string)
		d, err := time.ParseDuration(text)
		if err != nil {
			return fail(`a duration, such as "1m30s"`)
		}
		v.SetInt(int64(d))
		return nil
	}
	// Numbers, texts and truth values as JSON has them; 1e1 is the whole number 10.
	made := reflect.New(v.Type())
	if err := json.Unmarshal([]byte(canonical(value)), made.Interface()); err != nil {
		return fail(expected(v.Kind()))
	}
	v.Set(made.Elem())
	return nil
}

// expected says what a field of a kind is set to.
func expected(k reflect.Kind) string {
	switch k {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a text"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Int32:
		return "one character"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int64:
		return "a whole number"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number that is not negative"
	}
	return "a " + k.String() + ", which can be given in Go only"
}

// float returns the number that a value is.
func float(value any) (float64, bool) {
	if n, ok := value.(json.Number); ok {
		f, err := n.Float64()
		return f, err == nil
	}
	switch v := reflect.ValueOf(value); {
	case v.CanFloat():
		return v.Float(), true
	case v.CanInt():
		return float64(v.Int()), true
	case v.CanUint():
		return float64(v.Uint()), true
	}
	return 0, false
}

// setInterface sets a field of an interface.
func (s setter) setInterface(v reflect.Value, value any, at string) error {
	types := implementing(v.Type())
	var n Named
	switch given := value.(type) {
	case Named:
		n = given
	case string:
		if _, ok := types[given]; !ok {
			if made, err, ok := lossNamed(v.Type(), given, s.t); ok {
				if err != nil {
					return fmt.Errorf("experiment: %s: %w", at, err)
				}
				if made != nil {
					v.Set(reflect.ValueOf(made))
				}
				return nil
			}
		}
		n.Type = given
	default:
		var err error
		if n, err = readNamed(value); err != nil {
			return fmt.Errorf("experiment: %s: %w", at, err)
		}
	}
	kind, ok := types[n.Type]
	if !ok {
		if len(types) == 0 {
			return fmt.Errorf("experiment: %s cannot be %s: it can be set in Go only", at, show(value))
		}
		return fmt.Errorf("experiment: %s cannot be %q; there are %s", at, n.Type, list(types))
	}
	made := reflect.New(kind).Elem()
	if err := s.fields(made, n.Fields, n.Type); err != nil {
		return err
	}
	v.Set(made)
	return nil
}

// readNamed reads "NAME" or {"NAME": {fields}}.
func readNamed(value any) (Named, error) {
	switch given := value.(type) {
	case string:
		return Named{Type: given}, nil
	case map[string]any:
		if len(given) == 1 {
			for name, fields := range given {
				if fields, ok := fields.(map[string]any); ok {
					return Named{name, fields}, nil
				}
			}
		}
	}
	return Named{}, fmt.Errorf("%s is neither a name nor an object with one name and an object of its fields", show(value))
}

// setGrid sets a Grid from an object of lists.
func setGrid(v reflect.Value, value any, fail func(string) error) error {
	const expected = `an object with a list of values for each field, such as {"C": [0.1, 1, 10]}`
	object, ok := value.(map[string]any)
	if !ok {
		return fail(expected)
	}
	g := make(Grid, len(object))
	for path, values := range object {
		list, ok := values.([]any)
		if !ok {
			return fail(expected)
		}
		g[path] = slices.Clone(list)
		for i, value := range list {
			if n, err := readNamed(value); err == nil && n.Type == "experiment.Range" {
				var r Range
				if err := (setter{}).fields(reflect.ValueOf(&r).Elem(), n.Fields, "a "+n.Type+" of "+path); err != nil {
					return err
				}
				g[path][i] = r
			}
		}
	}
	v.Set(reflect.ValueOf(g))
	return nil
}

// show returns a value as text, shortened.
func show(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprintf("a %T", value)
	}
	if r := []rune(string(text)); len(r) > 80 {
		return string(r[:79]) + "…"
	}
	return string(text)
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
