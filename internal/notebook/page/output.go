package page

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"strings"

	"github.com/hierml/notebook/internal/notebook"
)

// An output is an output in the layout.
type output struct {
	Class string
	Count int
	Body  template.HTML
}

func makeOutput(o *notebook.Output, text *markdown) (output, error) {
	switch o.Kind {
	case notebook.Stream:
		return output{Class: "stream " + o.Name, Body: pre(o.Text)}, nil
	case notebook.Failure:
		lines := strings.Join(o.Traceback, "\n")
		if lines == "" {
			lines = o.ErrorName + ": " + o.ErrorValue
		}
		return output{Class: "error", Body: pre(lines)}, nil
	}
	body, err := bundle(o, text)
	return output{Class: "data", Count: o.Count, Body: body}, err
}

// pre formats text as in a terminal.
func pre(text string) template.HTML { return "<pre>" + terminal(text) + "</pre>" }

// bundle formats the richest representation that works in a page without scripts.
func bundle(o *notebook.Output, text *markdown) (template.HTML, error) {
	get := func(mime string) (string, bool) {
		s, ok := o.Data[mime].(string)
		return s, ok
	}
	plain, _ := get("text/plain")
	if s, ok := get("text/html"); ok {
		return sanitized(s), nil
	}
	if s, ok := get("text/markdown"); ok {
		return text.html(s)
	}
	if s, ok := get("image/svg+xml"); ok {
		// As an image, an SVG runs no scripts and loads nothing.
		return picture(o, "image/svg+xml", base64.StdEncoding.EncodeToString([]byte(s)), plain), nil
	}
	if s, ok := get("text/latex"); ok {
		return sanitized(string(text.drawing.block(s))), nil
	}
	for _, mime := range []string{"image/png", "image/jpeg", "image/gif", "image/webp"} {
		if s, ok := get(mime); ok {
			return picture(o, mime, s, plain), nil
		}
	}
	if plain != "" {
		return pre(plain), nil
	}
	if data, ok := o.Data["application/json"]; ok {
		s, err := notebook.Indented(data)
		return pre(s), err
	}
	var mimes []string
	for mime := range o.Data {
		mimes = append(mimes, mime)
	}
	if len(mimes) == 0 {
		return "", nil
	}
	return pre(fmt.Sprintf("(not shown on this page: %s)", strings.Join(sorted(mimes), ", "))), nil
}

// picture shows an image in base64, in the size and with the text of its metadata, or else with
// alt.
func picture(o *notebook.Output, mime, data, alt string) template.HTML {
	size := ""
	meta, _ := o.Metadata[mime].(map[string]any)
	for _, side := range []string{"width", "height"} {
		if n, ok := meta[side].(json.Number); ok {
			size += fmt.Sprintf(` %s="%s"`, side, template.HTMLEscapeString(n.String()))
		}
	}
	if text, ok := meta["alt"].(string); ok {
		alt = text
	}
	return template.HTML(fmt.Sprintf(`<img src="%s" alt="%s"%s>`, template.HTMLEscapeString(dataURI(mime, data)), template.HTMLEscapeString(alt), size))
}

// dataURI returns an address that contains the data, which are in base64.
func dataURI(mime, data string) string {
	return "data:" + mime + ";base64," + strings.NewReplacer("\n", "", "\r", "").Replace(data)
}
