// Package page makes a web page of a notebook: one file that needs nothing
// else, neither scripts nor the network, and lets nothing else in. What a
// notebook brings of HTML is reduced to what cannot act, and the page's own
// policy forbids browsers to run or fetch anything, so pictures are shown that
// the notebook holds, and not those it only names. Formulas stay LaTeX.
package page

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/alecthomas/chroma/v2"
	chtml "github.com/alecthomas/chroma/v2/formatters/html"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/alecthomas/chroma/v2/styles"

	"github.com/hierml/notebook/kernel/notebook"
)

//go:embed page.html
var layout string

//go:embed page.css
var style string

var page = template.Must(template.New("page").Parse(layout))

// Write writes the page of a notebook. The title is what browsers call it if
// the notebook has none of its own.
func Write(w io.Writer, nb *notebook.Notebook, title string) error {
	code, err := newHighlighter(nb)
	if err != nil {
		return err
	}
	text := newMarkdown(code)
	content := struct {
		Title string
		Style template.CSS
		Cells []cell
	}{Title: title, Style: template.CSS(style + code.css)}
	if own, ok := nb.Metadata["title"].(string); ok && own != "" {
		content.Title = own
	}
	for i, c := range nb.Cells {
		made, err := makeCell(c, code, text)
		if err != nil {
			return fmt.Errorf("cells[%d]: %w", i, err)
		}
		content.Cells = append(content.Cells, made)
	}
	return page.Execute(w, content)
}

// A cell is what the layout shows of one.
type cell struct {
	Kind    string
	Count   int
	Body    template.HTML // Markdown as HTML, highlighted code
	Raw     string
	Outputs []output
}

func makeCell(c *notebook.Cell, code *highlighter, text *markdown) (cell, error) {
	made := cell{Kind: c.Kind, Count: c.Count}
	var err error
	switch c.Kind {
	case notebook.Markdown:
		made.Body, err = text.html(c.Source, c.Attachments)
	case notebook.Code:
		if strings.TrimSpace(c.Source) == "" {
			break
		}
		made.Body, err = code.html(c.Source, "")
	default:
		made.Raw = c.Source
	}
	if err != nil {
		return made, err
	}
	for _, o := range c.Outputs {
		shown, err := makeOutput(o, text)
		if err != nil {
			return made, err
		}
		made.Outputs = append(made.Outputs, shown)
	}
	return made, nil
}

// A highlighter colours code.
type highlighter struct {
	language string // of the code cells
	style    *chroma.Style
	format   *chtml.Formatter
	css      string
}

func newHighlighter(nb *notebook.Notebook) (*highlighter, error) {
	h := &highlighter{language: "go", style: styles.Get("github"), format: chtml.New(chtml.WithClasses(true), chtml.TabWidth(4), chtml.PreventSurroundingPre(true))}
	for _, key := range []string{"kernelspec", "language_info"} {
		info, _ := nb.Metadata[key].(map[string]any)
		for _, field := range []string{"language", "name", "pygments_lexer"} {
			// The name of a kernel is no language, that of language_info is.
			if name, ok := info[field].(string); ok && !(key == "kernelspec" && field == "name") {
				h.language = name
			}
		}
	}
	var css bytes.Buffer
	if err := h.format.WriteCSS(&css, h.style); err != nil {
		return nil, err
	}
	h.css = css.String()
	return h, nil
}

// html returns code in colours. An empty language is that of the notebook;
// code in one that is not known has none.
func (h *highlighter) html(source, language string) (template.HTML, error) {
	if language == "" {
		language = h.language
	}
	lexer := lexers.Get(language)
	if lexer == nil {
		lexer = lexers.Fallback
	}
	tokens, err := chroma.Coalesce(lexer).Tokenise(nil, source)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(`<pre class="chroma"><code>`)
	if err := h.format.Format(&b, h.style, tokens); err != nil {
		return "", err
	}
	b.WriteString("</code></pre>")
	return template.HTML(b.String()), nil
}
