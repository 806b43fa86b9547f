package nb

import "github.com/hierml/notebook/stdlib/display"

// A Box is a row or a column of widgets.
type Box struct{ *model }

// HBox returns a row of widgets. Other values are shown in an [Output].
func HBox(children ...any) *Box { return box("HBox", children) }

// VBox returns a column of widgets. Other values are shown in an [Output].
func VBox(children ...any) *Box { return box("VBox", children) }

func box(name string, children []any) *Box {
	b := &Box{&model{
		name: name, module: controlsModule, children: []Widget{},
		state: map[string]any{"children": []string{}, "box_style": ""},
	}}
	for _, child := range children {
		w, ok := child.(Widget)
		if !ok {
			w = Output(child)
		}
		b.children = append(b.children, w)
	}
	b.still = b.stillOfAll
	return b
}

// stillOfAll returns the view of the box where there are no widgets: the contents of its outputs if
// one has more than text, and everything as text.
func (b *Box) stillOfAll() map[string]any {
	bundle := map[string]any{}
	for _, child := range b.children {
		still := child.base().still()
		if len(still) == 1 {
			continue // text only
		}
		if len(bundle) > 0 {
			bundle = map[string]any{display.HTML: page(bundle) + "\n" + page(still)}
			continue
		}
		for mime, data := range still {
			bundle[mime] = data
		}
	}
	bundle[display.Text] = texts(b.children)
	return bundle
}
