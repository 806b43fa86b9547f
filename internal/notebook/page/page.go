// Package page makes a self-contained web page of a notebook: one file without scripts, which needs
// no network. HTML from the notebook is reduced to harmless elements, and the page's own policy
// forbids browsers to run or fetch anything. So pictures inside the notebook are shown, but not
// those behind addresses. Formulas appear as LaTeX source.
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

// Write writes the page of a notebook. The title is for notebooks without their own.
func Write(w io.Writer, nb *notebook.Notebook, title string) error {
	cells, err := makeCells(nb, newMarkdown(newIDs("")))
	if err != nil {
		return err
	}
	return page().Execute(w, content{Title: titleOf(nb, title), Chapters: []chapter{{Cells: cells}}})
}

// titleOf returns the notebook's own title, or the given one.
func titleOf(nb *notebook.Notebook, title string) string {
	if own, ok := nb.Metadata["title"].(string); ok && own != "" {
		return own
	}
	return title
}

// content is the data of the layout.
type content struct {
	Title    string
	Contents []heading // empty for a single notebook
	Chapters []chapter
}

// Style returns the style sheet of all pages.
func (content) Style() template.CSS { return template.CSS(style + dark) }

// A chapter is a notebook in the layout, with an id if it is one of several.
type chapter struct {
	ID    string
	Cells []cell
}

// A cell is a cell in the layout.
type cell struct {
	Kind    string
	Count   int
	Body    template.HTML // Markdown as HTML, highlighted code
	Raw     string
	Outputs []output
	Folded  []folded // after the cell
}

// A folded notebook is visible after a click on its name, and on paper.
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
