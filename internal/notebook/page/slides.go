package page

import (
	"errors"
	"io"
	"regexp"
	"slices"

	"github.com/hierml/notebook/internal/notebook"
)

// headed matches text that begins with a heading of the first or second level.
var headed = regexp.MustCompile(`^\s*##? `)

// WriteSlides writes a notebook as slides on one page, which a browser shows one below the other
// and prints one a sheet. The cells say where they begin, as they do to JupyterLab and nbconvert,
// by "slide" or "subslide" in their metadata "slideshow", and which are left out, by "skip" or
// "notes". Where no cell says anything, a slide begins with each heading of the first two levels.
func WriteSlides(w io.Writer, nb *notebook.Notebook, title string) error {
	cells, err := makeCells(nb, newMarkdown(newIDs("")))
	if err != nil {
		return err
	}
	said := slices.ContainsFunc(nb.Cells, func(c *notebook.Cell) bool { return slideType(c) != "" })
	begins := func(c *notebook.Cell) bool {
		if said {
			return slices.Contains([]string{"slide", "subslide"}, slideType(c))
		}
		return c.Kind == notebook.Markdown && headed.MatchString(c.Source)
	}
	var slides [][]cell
	for k, c := range nb.Cells {
		if t := slideType(c); t == "skip" || t == "notes" {
			continue
		}
		if len(slides) == 0 || begins(c) {
			slides = append(slides, nil)
		}
		last := len(slides) - 1
		slides[last] = append(slides[last], cells[k])
	}
	if len(slides) == 0 {
		return errors.New("the notebook has no cells for slides")
	}
	return page().Execute(w, content{Title: titleOf(nb, title), Slides: slides})
}

// slideType returns what a cell says of slides, empty if nothing.
func slideType(c *notebook.Cell) string {
	show, _ := c.Metadata["slideshow"].(map[string]any)
	kind, _ := show["slide_type"].(string)
	return kind
}
