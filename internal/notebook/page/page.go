// Package page makes a web page of a notebook: one file that needs nothing else, neither scripts
// nor the network, and lets nothing else in. What a notebook brings of HTML is reduced to what
// cannot act, and the page's own policy forbids browsers to run or fetch anything, so pictures are
// shown that the notebook holds, and not those it only names. Formulas become MathML, which browsers
// draw. Slides hold reveal.js, and the policy allows that alone.
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

//go:embed dark.css
var dark string

var page = sync.OnceValue(func() *template.Template { return template.Must(template.New("page").Parse(layout)) })

// Write writes the page of a notebook. The title is what browsers call it if the notebook has none
// of its own.
func Write(w io.Writer, nb *notebook.Notebook, title string) error {
	cells, err := makeCells(nb, newMarkdown(newIDs("")))
	if err != nil {
		return err
	}
	return page().Execute(w, content{Title: titleOf(nb, title), Chapters: []chapter{{Cells: cells}}})
}

// titleOf returns the title that a notebook has of its own, or another.
func titleOf(nb *notebook.Notebook, title string) string {
	if own, ok := nb.Metadata["title"].(string); ok && own != "" {
		return own
	}
	return title
}

// content is what the layout shows.
type content struct {
	Title    string
	Contents []heading // none on the page of a single notebook
	Chapters []chapter
}

// Style is that of all pages, in the colours that the reader's browser asks for.
func (content) Style() template.CSS { return template.CSS(style + dark) }

// A chapter is what the layout shows of a notebook, under an id if it is one of several.
type chapter struct {
	ID    string
	Cells []cell
}

// A cell is what the layout shows of one.
type cell struct {
	Kind    string
	Count   int
	Body    template.HTML // Markdown as HTML, highlighted code
	Raw     string
	Outputs []output
	Folded  []folded // behind the cell
}

// A folded notebook is one that is seen when its name is clicked on, and on paper.
type folded struct {
	Name  string
	ID    string
	Cells []cell
}

func makeCells(nb *notebook.Notebook, text *markdown) ([]cell, error) {
	language := languageOf(nb)
	var cells []cell
	for i, c := range nb.Cells {
		made, err := makeCell(c, language, text)
		if err != nil {
			return nil, fmt.Errorf("cells[%d]: %w", i, err)
		}
		cells = append(cells, made)
	}
	return cells, nil
}

func makeCell(c *notebook.Cell, language string, text *markdown) (cell, error) {
	made := cell{Kind: c.Kind, Count: c.Count}
	var err error
	switch c.Kind {
	case notebook.Markdown:
		made.Body, made.Folded, err = text.cell(c)
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
