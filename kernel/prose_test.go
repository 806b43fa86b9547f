package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/internal/notebook"
)

// proven are the notebooks whose text states what their experiments found.
var proven = []string{
	"papers.ipynb", "methods.ipynb", "01-tour.ipynb", "03-data.ipynb",
	"04-perceptrons.ipynb", "05-svm.ipynb", "06-normalize.ipynb", "07-sharing.ipynb", "08-orthogonal.ipynb",
	"09-hierarchies.ipynb", "10-multilabel.ipynb", "11-rare-labels.ipynb", "12-studies.ipynb", "13-newsgroups.ipynb", "14-table.ipynb",
}

// elsewhere is the metadata of a cell of text that has figures which no output of its section has:
// an object of figures as they are written, each with where it is from.
const elsewhere = "figures from elsewhere"

var (
	// notFigures are formulas, code, addresses, and numbers of tables, sections and equations.
	notFigures = regexp.MustCompile("(?s)\\$.*?\\$|`[^`]*`|\\]\\([^)]*\\)|\\[[A-Z][A-Za-z]*[0-9]{2}[^]]*\\]|" +
		`(?i:tables?|figures?|sections?|equations?|algorithms?) [0-9.]*[0-9](?:(?:, | and | to )[0-9.]*[0-9])*`)
	number  = regexp.MustCompile(`[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?|\.[0-9]+`)
	heading = regexp.MustCompile(`(?m)^## `)
	figure  = regexp.MustCompile(`([0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?|\.[0-9]+)( ?%)?`)
)

// sections returns the cells of each section, which begins with a cell of text that has a heading
// of the second level, and the number of its first cell.
func sections(cells []*notebook.Cell) (parts [][]*notebook.Cell, first []int) {
	for i, c := range cells {
		if i == 0 || c.Kind == notebook.Markdown && heading.MatchString(c.Source) {
			parts, first = append(parts, nil), append(first, i)
		}
		parts[len(parts)-1] = append(parts[len(parts)-1], c)
	}
	return parts, first
}

// shown returns the numbers that code cells show or are written with, as they are written.
func shown(cells []*notebook.Cell) map[string]bool {
	all := make(map[string]bool)
	for _, c := range cells {
		if c.Kind != notebook.Code {
			continue
		}
		texts := []string{c.Source}
		for _, o := range c.Outputs {
			texts = append(texts, o.Text)
			for _, kind := range []string{"text/plain", "text/markdown"} {
				if text, ok := o.Data[kind].(string); ok {
					texts = append(texts, text)
				}
			}
		}
		for _, text := range texts {
			for _, n := range number.FindAllString(text, -1) {
				all[n] = true
			}
		}
	}
	return all
}

// stray returns the figures in the text of a notebook, numbers with a decimal point or a percent
// sign, that stand neither in the code and outputs of their section nor among those from elsewhere,
// and what is there without being written.
func stray(nb *notebook.Notebook) []string {
	var found []string
	parts, first := sections(nb.Cells)
	for k, cells := range parts {
		found = append(found, straySection(cells, first[k])...)
	}
	return found
}

// straySection is stray of a section whose first cell has the number.
func straySection(cells []*notebook.Cell, first int) []string {
	all := shown(cells)
	var found []string
	for i, c := range cells {
		if c.Kind != notebook.Markdown {
			continue
		}
		i += first
		others, _ := c.Metadata[elsewhere].(map[string]any)
		used := make(map[string]bool)
		for _, m := range figure.FindAllStringSubmatch(notFigures.ReplaceAllString(c.Source, " "), -1) {
			if m[2] == "" && !strings.Contains(m[1], ".") {
				continue
			}
			if others[m[1]] != nil {
				used[m[1]] = true
			} else if !all[m[1]] {
				found = append(found, fmt.Sprintf("cell %d: %s", i, m[0]))
			}
		}
		for n, why := range others {
			if text, ok := why.(string); !used[n] || !ok || text == "" {
				found = append(found, fmt.Sprintf("cell %d has %s from elsewhere, without a figure or a reason", i, n))
			}
		}
	}
	slices.Sort(found)
	return found
}

// TestFigures holds that figures in the text of a notebook are those of its outputs, in the same
// section, to the digits that are written: if a new run gives other figures, somebody must read the
// text again. A figure that the section has by chance elsewhere is not noticed.
func TestFigures(t *testing.T) {
	for _, file := range proven {
		nb, err := notebook.ReadFile(filepath.Join(notebookFolder, file))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range stray(nb) {
			t.Errorf("%s, %s: no output of its section shows it; write what is shown, or name it in the cell's metadata %q with where it is from", file, f, elsewhere)
		}
	}
}

// TestFiguresChange holds that a figure which changes is noticed.
func TestFiguresChange(t *testing.T) {
	for _, c := range []struct {
		text, output string
		metadata     map[string]any
		want         []string
	}{
		{text: "An accuracy of 83.1 % by [Cai08, table 7.20], Table 7.5 and $0.3$.", output: "| 83.1 |"},
		{text: "An accuracy of 83.1 %.", output: "| 83.2 |", want: []string{"cell 0: 83.1 %"}},
		{text: "An accuracy of 83 %.", output: "| 83.1 |", want: []string{"cell 0: 83 %"}},
		{text: "An accuracy of 83.1.", output: "83.12", want: []string{"cell 0: 83.1"}},
		{text: "Among 1,250 posts 3 of 4.", output: ""},
		{text: "Published are 84.8 %.", metadata: map[string]any{"84.8": "the paper's table 1"}},
		{text: "Published are 84.9 %.", metadata: map[string]any{"84.8": "the paper's table 1"},
			want: []string{"cell 0 has 84.8 from elsewhere, without a figure or a reason", "cell 0: 84.9 %"}},
	} {
		text := &notebook.Cell{Kind: notebook.Markdown, Source: c.text, Metadata: map[string]any{}}
		if c.metadata != nil {
			text.Metadata[elsewhere] = c.metadata
		}
		nb := &notebook.Notebook{Cells: []*notebook.Cell{text, {
			Kind: notebook.Code, Outputs: []*notebook.Output{{Data: map[string]any{"text/markdown": c.output}}},
		}}}
		if got := stray(nb); !slices.Equal(got, c.want) {
			t.Errorf("%q beside %q: got %q, want %q", c.text, c.output, got, c.want)
		}
	}
	other := &notebook.Notebook{Cells: []*notebook.Cell{
		{Kind: notebook.Code, Source: "x := 83.1"},
		{Kind: notebook.Markdown, Source: "## Another section\n\nAn accuracy of 83.1 %."},
	}}
	if got, want := stray(other), []string{"cell 1: 83.1 %"}; !slices.Equal(got, want) {
		t.Errorf("of a figure of another section: got %q, want %q", got, want)
	}
}
