// Package display turns a value into what a notebook shows of it: the same thing in several MIME
// types, of which the front end takes the richest it can draw, and always as text.
//
// A type decides how it is shown by having any of the methods
//
//	HTML() string    Markdown() string    LaTeX() string
//	SVG() string     PNG() []byte         JPEG() []byte
//	MimeBundle() map[string]any
//
// each of which may also return an error. Plots, images, gonum's matrices and taxonomies are drawn
// without. A struct whose methods are those of its pointer is shown as the pointer is. What a
// MimeBundle has for a type is what is shown in it, whatever other methods there are, and nil
// leaves the type out.
//
// Maps, and slices of structs, of maps, of slices and of what shows itself, are tables, and so is a
// struct of a type that the program itself declares, whose text says of its fields what they say of
// themselves; other slices and structs are where their text is longer than a line. The text of what
// is a table is one, too, unless it fits a line as fmt prints it. An error is shown with those that
// it wraps. Readers are not read, and channels not received from.
//
// What is shown is bounded in size: of long slices and maps some rows, and how many there are. A
// method that panics is reported in the text instead of ending the cell.
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

// Transient is the key of the metadata of what is shown for a while and then removed, by an update
// without data, as a bar is that nobody asked for. Its value is true. What keeps outputs, as a file
// does, leaves it out.
const Transient = "hierml_transient"

// noted is the key of the metadata of notes. Its value is true.
const noted = "hierml_note"

// Note returns lines of the kernel itself as a bundle, for what has no stream for them.
func Note(lines string) *Bundle {
	return &Bundle{Data: map[string]any{Text: strings.TrimSuffix(lines, "\n")}, Metadata: map[string]any{noted: true}}
}

// IsNote reports whether metadata are those of a note, which says what this run of the cell took,
// and is not what the cell has come to.
func IsNote(metadata map[string]any) bool { return metadata[noted] == true }

// A Bundle is one value in several representations, by MIME type: text as a string, binary data as
// []byte, and anything else as a value for encoding/json. Metadata, under the same keys, says how
// to show them.
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

// Of returns what a notebook shows of the values of an expression, of which a function call may
// have several: nothing, that is nil, for nil and for a nil error beside other values; the value
// itself where one is left; else the text of all of them in a line.
func Of(values ...any) *Bundle { return ofAll(values, runtime.GOOS == "js") }

// OnScreen returns what Of does, but for pictures in dots of what can be drawn in lines. They take
// most of the time, and what is made of a notebook's file is what needs them: a page on a screen
// shows the lines. In a page of a browser that is what Of returns, too.
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

// draw adds what the methods of the value return, and pictures of those that are known. It reports
// whether the value wants nothing to be shown.
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

// plain adds the text of the value, and a table if it can be one, unless it has shown itself
// otherwise.
func (b *Bundle) plain(v value) {
	if _, has := b.Data[Text]; has {
		return
	}
	if v.Kind() == reflect.Map && v.Len() > maxElements && len(b.Data) == 0 && !v.speaks() {
		// The keys are looked at once.
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

// withMethods returns a pointer to a copy of a struct that cannot show itself, where the pointer
// can, and other values as they are. A struct whose pointer fails to say what it is, as some do
// that nothing was put into, stays as it is.
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

// saysWhatItIs tells whether the value has a text that can be made, if it has one.
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

// showsItself tells whether values of the type have a text or a picture of their own.
func showsItself(t reflect.Type) bool {
	return slices.ContainsFunc(ways, t.Implements) || t == reflect.TypeFor[*plot.Plot]()
}

// texts is how many of the ways are those of a text.
const texts = 3

// ways are the methods by which a value shows itself.
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

// A method is a way for a value to show itself.
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

// result calls the method in whichever of its two forms the value has.
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

// whole takes over the bundle that the value makes by itself.
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
