package page

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hierml/notebook/internal/notebook"
)

func TestSlides(t *testing.T) {
	cell := func(kind, source, slide string) *notebook.Cell {
		c := &notebook.Cell{Kind: kind, Source: source, Metadata: map[string]any{}}
		if slide != "" {
			c.Metadata["slideshow"] = map[string]any{"slide_type": slide}
		}
		return c
	}
	for _, c := range []struct {
		name  string
		cells []*notebook.Cell
		want  []string // words of each slide
	}{
		{"nothing said", []*notebook.Cell{cell("markdown", "# One", ""), cell("code", "two", ""), cell("markdown", "### three", ""), cell("markdown", "## Four", "")}, []string{"One two three", "Four"}},
		{"said", []*notebook.Cell{
			cell("markdown", "# One", "slide"), cell("code", "two", "-"), cell("markdown", "three", "subslide"), cell("code", "four", "skip"), cell("markdown", "five", "notes"), cell("markdown", "## six", "fragment"),
		}, []string{"One two", "three six"}},
		{"before the first", []*notebook.Cell{cell("code", "one", ""), cell("markdown", "two", "slide")}, []string{"one", "two"}},
	} {
		var b strings.Builder
		if err := WriteSlides(&b, &notebook.Notebook{Cells: c.cells}, "t"); err != nil {
			t.Fatal(err)
		}
		parts := strings.Split(b.String(), `<section class="slide">`)[1:]
		if len(parts) != len(c.want) {
			t.Errorf("%s: %d slides, want %d", c.name, len(parts), len(c.want))
			continue
		}
		for k, want := range c.want {
			at := 0
			for _, word := range strings.Fields(want) {
				next := strings.Index(parts[k][at:], word)
				if next < 0 {
					t.Errorf("%s: slide %d has no %q behind the words before it: %s", c.name, k, word, parts[k])
					break
				}
				at += next
			}
			for j, other := range c.want {
				if j != k && strings.Contains(parts[k], ">"+strings.Fields(other)[0]+"<") {
					t.Errorf("%s: slide %d has what is on slide %d", c.name, k, j)
				}
			}
		}
	}
	if err := WriteSlides(new(strings.Builder), &notebook.Notebook{}, "t"); fmt.Sprint(err) != "the notebook has no cells for slides" {
		t.Errorf("of an empty notebook: %v", err)
	}
}
