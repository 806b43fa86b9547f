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
func Text(s string) *Handle { return MIME(display.Text, s) }

// HTML shows a piece of a web page.
func HTML(s string) *Handle { return MIME(display.HTML, s) }

// Markdown shows formatted text.
func Markdown(s string) *Handle { return MIME(display.Markdown, s) }

// LaTeX shows a formula or text; formulas stand between dollar signs.
func LaTeX(s string) *Handle { return MIME(display.LaTeX, s) }

// SVG shows a drawing, given as an svg element.
func SVG(s string) *Handle { return MIME(display.SVG, s) }

// PNG shows a picture, given as the content of a PNG file.
func PNG(data []byte) *Handle { return MIME(display.PNG, data) }

// JPEG shows a picture, given as the content of a JPEG file.
func JPEG(data []byte) *Handle { return MIME(display.JPEG, data) }

// JSON shows a value, or text that is JSON, as a tree that can be unfolded.
func JSON(v any) *Handle { return MIME("application/json", v) }

// JavaScript runs a script in the page. Not every front end allows it.
func JavaScript(s string) *Handle { return MIME("application/javascript", s) }

// VegaLite shows a chart, given as a Vega-Lite specification: JSON text, or a value that
// encoding/json turns into it.
func VegaLite(spec any) *Handle { return MIME("application/vnd.vegalite.v5+json", spec) }

// Vega shows a chart, given as a Vega specification: JSON text, or a value that encoding/json turns
// into it.
func Vega(spec any) *Handle { return MIME("application/vnd.vega.v5+json", spec) }

// MIME shows data of any type that the front end knows: text as a string, binary data as []byte,
// JSON as a value for encoding/json. For the type application/json, and those that end in +json,
// text is JSON, too. Plain text goes along for front ends that do not know the type.
func MIME(mimeType string, data any) *Handle {
	if mimeType == "application/json" || strings.HasSuffix(mimeType, "+json") {
		data = unpacked(mimeType, data)
	}
	return show(&display.Bundle{Data: map[string]any{display.Text: plain(mimeType, data), mimeType: data}})
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
