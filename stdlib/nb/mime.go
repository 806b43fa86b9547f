package nb

import (
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"strings"

	"github.com/hierml/notebook/stdlib/display"
)

// Text shows plain text.
func Text(s string) *Handle { return Content.Text(s).show() }

// HTML shows a piece of a web page.
func HTML(s string) *Handle { return Content.HTML(s).show() }

// Markdown shows formatted text.
func Markdown(s string) *Handle { return Content.Markdown(s).show() }

// LaTeX shows a formula or text; put formulas between dollar signs.
func LaTeX(s string) *Handle { return Content.LaTeX(s).show() }

// SVG shows a drawing, given as an svg element.
func SVG(s string) *Handle { return Content.SVG(s).show() }

// PNG shows a picture, given as the content of a PNG file.
func PNG(data []byte) *Handle { return Content.PNG(data).show() }

// JPEG shows a picture, given as the content of a JPEG file.
func JPEG(data []byte) *Handle { return Content.JPEG(data).show() }

// JSON shows a value, or text that is JSON, as a tree that can be unfolded.
func JSON(v any) *Handle { return Content.JSON(v).show() }

// JavaScript runs a script in the page. Not every front end allows it.
func JavaScript(s string) *Handle { return Content.JavaScript(s).show() }

// VegaLite shows a chart, given as a Vega-Lite specification: JSON text, or a value that
// encoding/json turns into it.
func VegaLite(spec any) *Handle { return Content.VegaLite(spec).show() }

// Vega shows a chart, given as a Vega specification: JSON text, or a value that encoding/json turns
// into it.
func Vega(spec any) *Handle { return Content.Vega(spec).show() }

// Table shows a slice or a map as a table with a row for each element: a slice of structs has a
// column for each field. Columns of floating-point numbers have the given number of significant
// digits of their largest number. (As the value of a cell, a slice is a table with five digits.)
//
//	nb.Table([]struct{ Method string; Accuracy float64 }{{"flat", 0.61803}, {"shared", 0.7}}, 3)
func Table(rows any, digits int) *Handle { return Content.Table(rows, digits).show() }

// MIME shows data of any type that the front end supports: text as a string, binary data as []byte,
// JSON as a value for encoding/json. For the type application/json, and those that end in +json,
// text is also JSON. Plain text is sent as well, for front ends that do not support the type.
func MIME(mimeType string, data any) *Handle { return Content.MIME(mimeType, data).show() }

// Content has methods with the names of the functions of this package, which create content without
// showing it:
//
//	func bar(n int) *nb.Handle { return nb.Content.HTML(strings.Repeat("#", n)) }
//
// It is shown as the value of a cell, by [Display], or by [Handle.Update], which replaces something
// else.
var Content content

type content struct{}

// Display makes what the function [Display] shows.
func (content) Display(values ...any) *Handle {
	h, pieces := &Handle{}, piecesOf(values)
	if len(pieces) == 0 {
		// There must be something to replace.
		pieces = append(pieces, &piece{bundle: &display.Bundle{Data: map[string]any{display.Text: ""}}})
	}
	h.setPieces(pieces)
	return h
}

// Text makes what [Text] shows.
func (c content) Text(s string) *Handle { return c.MIME(display.Text, s) }

// HTML makes what [HTML] shows.
func (c content) HTML(s string) *Handle { return c.MIME(display.HTML, s) }

// Markdown makes what [Markdown] shows.
func (c content) Markdown(s string) *Handle { return c.MIME(display.Markdown, s) }

// LaTeX makes what [LaTeX] shows.
func (c content) LaTeX(s string) *Handle { return c.MIME(display.LaTeX, s) }

// SVG makes what [SVG] shows.
func (c content) SVG(s string) *Handle { return c.MIME(display.SVG, s) }

// PNG makes what [PNG] shows.
func (c content) PNG(data []byte) *Handle { return c.MIME(display.PNG, data) }

// JPEG makes what [JPEG] shows.
func (c content) JPEG(data []byte) *Handle { return c.MIME(display.JPEG, data) }

// JSON makes what [JSON] shows.
func (c content) JSON(v any) *Handle { return c.MIME("application/json", v) }

// JavaScript makes what [JavaScript] shows.
func (c content) JavaScript(s string) *Handle { return c.MIME("application/javascript", s) }

// VegaLite makes what [VegaLite] shows.
func (c content) VegaLite(spec any) *Handle { return c.MIME("application/vnd.vegalite.v5+json", spec) }

// Vega makes what [Vega] shows.
func (c content) Vega(spec any) *Handle { return c.MIME("application/vnd.vega.v5+json", spec) }

// Table makes what [Table] shows.
func (content) Table(rows any, digits int) *Handle {
	if digits < 1 || digits > 17 {
		must("nb.Table", fmt.Errorf("%d significant digits; the number must be 1 to 17", digits))
	}
	bundle, ok := display.Table(rows, digits)
	if !ok {
		must("nb.Table", fmt.Errorf("the first argument is %s, which has no rows; pass a slice or a map that is not empty", withArticle(typeOf(rows))))
	}
	return &Handle{pieces: []*piece{{bundle: bundle}}}
}

// MIME makes what the function [MIME] shows.
func (content) MIME(mimeType string, data any) *Handle {
	if mimeType == "application/json" || strings.HasSuffix(mimeType, "+json") {
		data = unpacked(mimeType, data)
	}
	return &Handle{pieces: []*piece{{bundle: &display.Bundle{Data: map[string]any{display.Text: plain(mimeType, data), mimeType: data}}}}}
}

// unpacked returns data with JSON text made a value for encoding/json.
func unpacked(mimeType string, data any) any {
	var text []byte
	switch d := data.(type) {
	case string:
		text = []byte(d)
	case []byte:
		text = d
	default:
		return data
	}
	if mimeType == "application/json" && !json.Valid(text) {
		return data // a value that happens to be text
	}
	return json.RawMessage(text)
}

var tag = regexp.MustCompile(`(?s)<!--.*?-->|<(script|style)\b.*?</(script|style)>|<[^>]*>`)

// plain returns what a terminal shows of the data.
func plain(mimeType string, data any) string {
	switch d := data.(type) {
	case string:
		switch mimeType {
		case display.HTML:
			return strings.TrimSpace(html.UnescapeString(tag.ReplaceAllString(d, "")))
		case display.SVG:
			return fmt.Sprintf("(%s, %d bytes)", mimeType, len(d))
		}
		return d
	case []byte:
		return fmt.Sprintf("(%s, %d bytes)", mimeType, len(d))
	}
	text, err := json.MarshalIndent(data, "", "  ")
	if err != nil {
		return fmt.Sprintf("(%s: %v)", mimeType, err)
	}
	return string(text)
}
