// Package page makes a web page of a notebook: one file that needs nothing else, neither scripts
// nor the network, and lets nothing else in. What a notebook brings of HTML is reduced to what
// cannot act, and the page's own policy forbids browsers to run or fetch anything, so pictures are
// shown that the notebook holds, and not those it only names. Formulas are not drawn: they are
// shown as the LaTeX that they are written in.
package page

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"sync"

	"github.com/hierml/notebook/internal/notebook"
)

//go:embed page.html
var layout string

//go:embed page.css
var style string

var page = sync.OnceValue(func() *template.Template { return template.Must(template.New("page").Parse(layout)) })

// Write writes the page of a notebook. The title is what browsers call it if the notebook has none
// of its own.
func Write(w io.Writer, nb *notebook.Notebook, title string) error {
	language, text := languageOf(nb), newMarkdown()
	content := struct {
		Title string
		Style template.CSS
		Cells []cell
	}{Title: title, Style: template.CSS(style)}
	if own, ok := nb.Metadata["title"].(string); ok && own != "" {
		content.Title = own
	}
	for i, c := range nb.Cells {
		made, err := makeCell(c, language, text)
		if err != nil {
			return fmt.Errorf("cells[%d]: %w", i, err)
		}
		content.Cells = append(content.Cells, made)
	}
	return page().Execute(w, content)
}

// A cell is what the layout shows of one.
type cell struct {
	Kind    string
	Count   int
	Body    template.HTML // Markdown as HTML, highlighted code
	Raw     string
	Outputs []output
}

func makeCell(c *notebook.Cell, language string, text *markdown) (cell, error) {
	made := cell{Kind: c.Kind, Count: c.Count}
	var err error
	switch c.Kind {
	case notebook.Markdown:
		made.Body, err = text.html(c.Source, c.Attachments)
	case notebook.Code:
		if strings.TrimSpace(c.Source) == "" {
			break
		}
		made.Body = highlight(c.Source, language)
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
