// Package display turns a value into the output of a notebook: the same content in several MIME
// types, of which the front end shows the richest that it supports, and always as text.
//
// A type controls its display with any of the methods
//
//	HTML() string    Markdown() string    LaTeX() string
//	SVG() string     PNG() []byte         JPEG() []byte
//	MimeBundle() map[string]any
//
// each of which may also return an error. Plots, images, gonum's matrices and taxonomies need no
// methods. If the methods of a struct have a pointer receiver, the struct is shown like the
// pointer. An entry of MimeBundle overrides the other methods for its MIME type, and nil removes
// that type.
//
// Maps are shown as tables, and so are slices of structs, of maps, of slices and of values with
// display methods. A struct of a type that the program itself declares is a table, too, and its
// text uses the methods of its fields. Other slices and structs are tables if their text is longer
// than a line. The text of a table is also a table, unless it fits on a line as fmt prints it. An
// error is shown with the errors that it wraps. Readers are not read, and nothing is received from
// channels.
//
// The output is bounded in size: long slices and maps show some rows and the number of all. If a
// method panics, the text reports that, and the cell goes on.
package display

import (
	"fmt"
	"image"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"

	"github.com/hierml/notebook/internal/table"
)

// The MIME types this package makes.
const (
	Text     = "text/plain"
	HTML     = "text/html"
	Markdown = "text/markdown"
	LaTeX    = "text/latex"
	SVG      = "image/svg+xml"
	PNG      = "image/png"
	JPEG     = "image/jpeg"
)

// Transient is the metadata key of temporary output, such as a progress bar that the user did not
// ask for. Its value is true. An update without data removes such output, and files leave it out.
const Transient = "hierml_transient"

// noted is the metadata key of notes. Its value is true.
const noted = "hierml_note"

// Note returns lines of the kernel itself as a bundle, for receivers without a stream for notes.
func Note(lines string) *Bundle {
	return &Bundle{Data: map[string]any{Text: strings.TrimSuffix(lines, "\n")}, Metadata: map[string]any{noted: true}}
}

// IsNote reports whether metadata are those of a note. A note is about one run of the cell, for
// example how long it took, and not part of its result.
func IsNote(metadata map[string]any) bool { return metadata[noted] == true }

// A Bundle is one value in several representations, by MIME type: text as a string, binary data as
// []byte, and anything else as a value for encoding/json. Metadata, under the same keys, describes
// how to show them.
type Bundle struct {
	Data     map[string]any
	Metadata map[string]any

	screen bool // see OnScreen
}

// Text returns the representation as plain text.
func (b *Bundle) Text() string {
	s, _ := b.Data[Text].(string)
	return s
}

// Of returns the output for the values of an expression; a function call may have several. It
// returns nil for nil, and ignores a nil error beside other values. A single remaining value is
// shown itself, and several as text on one line.
func Of(values ...any) *Bundle { return ofAll(values, runtime.GOOS == "js") }

// OnScreen is Of without raster images of values that can be drawn as vector graphics. They take
// most of the time and are needed only in files made from a notebook: screens show the vector
// graphics. In a browser page, Of does the same.
func OnScreen(values ...any) *Bundle { return ofAll(values, true) }

func ofAll(values []any, screen bool) *Bundle {
	var shown []any
	for _, v := range values {
		if v != nil {
			shown = append(shown, v)
		}
	}
	switch len(shown) {
	case 0:
		return nil
	case 1:
		return of(shown[0], screen)
	}
	texts := make([]string, len(shown))
	for i, v := range shown {
		texts[i] = text(valueOf(withMethods(v)))
	}
	return &Bundle{Data: map[string]any{Text: bounded(strings.Join(texts, " "))}}
}

func of(v any, screen bool) *Bundle {
	own := valueOf(v)
	if v = withMethods(v); valueOf(v).speaks() {
		own = valueOf(v)
	}
	b := &Bundle{Data: map[string]any{}, Metadata: map[string]any{}, screen: screen}
	silent, faults := b.draw(v)
	if silent {
		return nil
	}
	b.try(v, "showing", &faults, func() error {
		b.plain(own)
		return nil
	})
	if _, has := b.Data[Text]; !has {
		b.Data[Text] = fmt.Sprintf("(a %T)", v)
	}
	if len(faults) > 0 {
		b.Data[Text] = b.Text() + "\n" + bounded(strings.Join(faults, "\n"))
	}
	maps.DeleteFunc(b.Data, func(_ string, data any) bool { return data == nil })
	b.bound()
	b.describe()
	if b.screen {
		maps.DeleteFunc(b.Metadata, func(mime string, _ any) bool { return b.Data[mime] == nil })
	}
	if len(b.Metadata) == 0 {
		b.Metadata = nil
	}
	return b
}

// try calls f, and adds its error or panic to the faults.
func (b *Bundle) try(v any, what string, faults *[]string, f func() error) {
	name := ""
	if t, ok := v.(Typed); ok {
		_, typ := t.Typed()
		name = typ.Name()
	} else {
		name = fmt.Sprintf("%T", v)
	}
	defer func() {
		if r := recover(); r != nil {
			*faults = append(*faults, fmt.Sprintf("%s of %s panicked: %v", what, name, r))
		}
	}()
	if err := f(); err != nil {
		*faults = append(*faults, fmt.Sprintf("%s of %s: %v", what, name, err))
	}
}

// draw adds the results of the value's methods, and pictures of known types. It reports whether the
// value asks not to be shown.
func (b *Bundle) draw(v any) (silent bool, faults []string) {
	if isNilPointer(v) {
		return false, nil
	}
	b.try(v, "MimeBundle", &faults, func() error {
		has, err := b.whole(v)
		silent = has && err == nil && len(b.Data) == 0
		return err
	})
	if silent {
		return true, nil
	}
	for _, m := range methods {
		b.try(v, m.name, &faults, func() error { return b.method(m, v) })
	}
	b.try(v, "drawing", &faults, func() error { return b.known(v) })
	return false, faults
}

// plain adds the text of the value, and a table if possible, unless the value has shown itself.
func (b *Bundle) plain(v value) {
	if _, has := b.Data[Text]; has {
		return
	}
	if v.Kind() == reflect.Map && v.Len() > maxElements && len(b.Data) == 0 && !v.speaks() {
		// Read the keys only once.
		t := mapping(v, table.Digits)
		b.Data[HTML], b.Data[Text] = t.HTML(), bounded(t.String())
		return
	}
	s := text(v)
	if err, ok := As[error](v.any()); ok {
		s = bounded(s + wrapped(err))
	}
	fits := len(s) <= maxLine && !strings.Contains(s, "\n")
	if len(b.Data) == 0 {
		if t := tabular(v, !fits); t != nil {
			b.Data[HTML] = t.HTML()
			if !fits && !numbers(v) || ofPointers(v) {
				s = bounded(t.String())
			}
		}
	}
	b.Data[Text] = s
}

// withMethods returns a pointer to a copy of a struct if only the pointer has display methods, and
// other values unchanged. If the pointer's text method fails, as for some empty structs, the struct
// stays unchanged.
func withMethods(v any) any {
	r := reflect.ValueOf(v)
	if _, ok := v.(Typed); ok || r.Kind() != reflect.Struct || showsItself(r.Type()) || !showsItself(reflect.PointerTo(r.Type())) {
		return v
	}
	p := reflect.New(r.Type())
	p.Elem().Set(r)
	if !saysWhatItIs(p.Interface()) {
		return v
	}
	return p.Interface()
}

// saysWhatItIs reports whether the value's own text method works, if there is one.
func saysWhatItIs(v any) (can bool) {
	defer func() {
		if recover() != nil {
			can = false
		}
	}()
	if s, ok := v.(fmt.Stringer); ok {
		_ = s.String()
	}
	return true
}

// showsItself reports whether values of the type have their own text or picture.
func showsItself(t reflect.Type) bool {
	return slices.ContainsFunc(ways, t.Implements) || t == reflect.TypeFor[*plot.Plot]()
}

// texts is how many of the ways produce text.
const texts = 3

// ways are the interfaces of values that show themselves.
var ways = []reflect.Type{
	reflect.TypeFor[error](), reflect.TypeFor[fmt.Stringer](), reflect.TypeFor[fmt.Formatter](),
	reflect.TypeFor[interface{ MimeBundle() map[string]any }](), reflect.TypeFor[interface {
		MimeBundle() (map[string]any, error)
	}](),
	reflect.TypeFor[interface{ HTML() string }](), reflect.TypeFor[interface{ HTML() (string, error) }](),
	reflect.TypeFor[interface{ Markdown() string }](), reflect.TypeFor[interface{ Markdown() (string, error) }](),
	reflect.TypeFor[interface{ LaTeX() string }](), reflect.TypeFor[interface{ LaTeX() (string, error) }](),
	reflect.TypeFor[interface{ SVG() string }](), reflect.TypeFor[interface{ SVG() (string, error) }](),
	reflect.TypeFor[interface{ PNG() []byte }](), reflect.TypeFor[interface{ PNG() ([]byte, error) }](),
	reflect.TypeFor[interface{ JPEG() []byte }](), reflect.TypeFor[interface{ JPEG() ([]byte, error) }](),
	reflect.TypeFor[image.Image](), reflect.TypeFor[mat.Matrix](),
}

func isNilPointer(v any) bool {
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Func, reflect.Chan, reflect.Interface:
		return r.IsNil()
	}
	return false
}

// A method is one way for a value to show itself.
type method struct {
	name, mime string
	call       func(v any) (data any, has bool, err error)
}

var methods = []method{
	{"HTML", HTML, func(v any) (any, bool, error) {
		return result(v, func(x interface{ HTML() string }) (string, error) { return x.HTML(), nil },
			func(x interface{ HTML() (string, error) }) (string, error) { return x.HTML() })
	}},
	{"Markdown", Markdown, func(v any) (any, bool, error) {
		return result(v, func(x interface{ Markdown() string }) (string, error) { return x.Markdown(), nil },
			func(x interface{ Markdown() (string, error) }) (string, error) { return x.Markdown() })
	}},
	{"LaTeX", LaTeX, func(v any) (any, bool, error) {
		return result(v, func(x interface{ LaTeX() string }) (string, error) { return x.LaTeX(), nil },
			func(x interface{ LaTeX() (string, error) }) (string, error) { return x.LaTeX() })
	}},
	{"SVG", SVG, func(v any) (any, bool, error) {
		return result(v, func(x interface{ SVG() string }) (string, error) { return x.SVG(), nil },
			func(x interface{ SVG() (string, error) }) (string, error) { return x.SVG() })
	}},
	{"PNG", PNG, func(v any) (any, bool, error) {
		return result(v, func(x interface{ PNG() []byte }) ([]byte, error) { return x.PNG(), nil },
			func(x interface{ PNG() ([]byte, error) }) ([]byte, error) { return x.PNG() })
	}},
	{"JPEG", JPEG, func(v any) (any, bool, error) {
		return result(v, func(x interface{ JPEG() []byte }) ([]byte, error) { return x.JPEG(), nil },
			func(x interface{ JPEG() ([]byte, error) }) ([]byte, error) { return x.JPEG() })
	}},
}

// result calls the method in the form that the value has.
func result[P, F any, T string | []byte](v any, plain func(P) (T, error), failing func(F) (T, error)) (any, bool, error) {
	switch x := v.(type) {
	case P:
		data, err := plain(x)
		return data, true, err
	case F:
		data, err := failing(x)
		return data, true, err
	}
	return nil, false, nil
}

func (b *Bundle) method(m method, v any) error {
	if _, has := b.Data[m.mime]; has {
		return nil
	}
	if b.screen && m.mime == PNG && b.Data[SVG] != nil {
		return nil
	}
	var data any
	var has bool
	var err error
	if t, ok := v.(Typed); ok {
		data, has, err = t.Call(m.name)
		switch data.(type) {
		case string, []byte:
		default:
			return err
		}
	} else {
		data, has, err = m.call(v)
	}
	if has && err == nil && reflect.ValueOf(data).Len() > 0 {
		b.Data[m.mime] = data
	}
	return err
}

// whole takes over the bundle that the value itself makes.
func (b *Bundle) whole(v any) (has bool, err error) {
	var data map[string]any
	if x, ok := v.(interface {
		ScreenBundle() (map[string]any, error)
	}); ok && b.screen {
		data, err = x.ScreenBundle()
		maps.Copy(b.Data, data)
		return true, err
	}
	switch x := v.(type) {
	case Typed:
		var result any
		if result, has, err = x.Call("MimeBundle"); !has || err != nil {
			return has, err
		}
		if data, has = result.(map[string]any); !has {
			return false, nil
		}
	case interface{ MimeBundle() map[string]any }:
		data = x.MimeBundle()
	case interface {
		MimeBundle() (map[string]any, error)
	}:
		data, err = x.MimeBundle()
	default:
		return false, nil
	}
	maps.Copy(b.Data, data)
	return true, err
}
