package page

import (
	"html/template"
	"strings"

	"github.com/hierml/notebook/internal/notebook"
	"github.com/hierml/notebook/internal/notebook/code"
)

// classes are the classes in page.css.
var classes = map[code.Kind]string{
	code.Keyword:  "keyword",
	code.Constant: "constant",
	code.Type:     "keyword",
	code.Function: "function",
	code.Number:   "constant",
	code.String:   "string",
	code.Comment:  "comment",
	code.Operator: "constant",
}

// languageOf returns the language of a notebook's code cells.
func languageOf(nb *notebook.Notebook) string {
	language := "go"
	for _, key := range []string{"kernelspec", "language_info"} {
		info, _ := nb.Metadata[key].(map[string]any)
		for _, field := range []string{"language", "name", "pygments_lexer"} {
			// The name of a kernel is not a language, but that of language_info is.
			if name, ok := info[field].(string); ok && !(key == "kernelspec" && field == "name") {
				language = name
			}
		}
	}
	return language
}

// highlight returns code as HTML: Go with colours, other languages without.
func highlight(source, language string) template.HTML {
	pieces := []code.Piece{{Text: source}}
	if l := strings.ToLower(language); l == "go" || l == "golang" {
		pieces = code.Pieces(source)
	}
	var b strings.Builder
	b.WriteString(`<pre class="code"><code>`)
	var s spans
	for _, p := range pieces {
		tag := ""
		if class := classes[p.Kind]; class != "" {
			tag = `<span class="` + class + `">`
		}
		s.write(&b, tag, p.Text)
	}
	s.write(&b, "", "")
	b.WriteString("</code></pre>")
	return template.HTML(b.String())
}

// spans writes text in spans. Consecutive pieces with the same tag share a span: a tag is much
// longer than a character.
type spans struct{ open string }

// write writes text with the opening tag of its span, or with none.
func (s *spans) write(b *strings.Builder, tag, text string) {
	if tag != s.open {
		if s.open != "" {
			b.WriteString("</span>")
		}
		b.WriteString(tag)
		s.open = tag
	}
	b.WriteString(template.HTMLEscapeString(text))
}
