package experiment

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/hierml/notebook/hierml/perceptron"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/synthetic"
)

// elements returns the text of every element of that kind below a node.
func elements(n *html.Node, kind string) []string {
	var found []string
	var below func(n *html.Node, in bool) string
	below = func(n *html.Node, in bool) string {
		text := ""
		if n.Type == html.TextNode {
			text = n.Data
		}
		is := n.Type == html.ElementNode && n.Data == kind
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			text += below(c, in || is)
		}
		if is {
			found = append(found, text)
		}
		return text
	}
	below(n, false)
	return found
}

// TestPageIsEnoughToDoItAgain takes the settings of a page, runs the study of them, and finds the
// seeds and the values of the page.
func TestPageIsEnoughToDoItAgain(t *testing.T) {
	s := &Study{
		Name: "a <b>study</b>", Data: []Data{{Name: "drawn & divided", Generator: synthetic.LinearTree{FanOut: 2, Depth: 2, Features: 6, Instances: 80}}},
		Methods: []Method{
			{Name: "flat", Estimator: svm.Flat{}, Grid: Grid{"C": {0.1, 1}}},
			{Name: "<script>", Estimator: perceptron.Hieron{}},
		},
		Split: Split{HeldOut: 0.3}, Inner: Split{HeldOut: 0.5}, Repeats: 2, Seed: 7, Measures: []string{"accuracy", "tree loss"}, Baseline: "flat", Directory: filepath.Join(t.TempDir(), "study"),
	}
	if _, err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	r, err := Load(s.Directory)
	if err != nil {
		t.Fatal(err)
	}
	page, err := html.Parse(strings.NewReader(r.Page()))
	if err != nil {
		t.Fatal(err)
	}
	if found := elements(page, "script"); len(found) > 0 {
		t.Fatalf("the page has a script: %q", found)
	}
	if found := elements(page, "h1"); !slices.Equal(found, []string{"a <b>study</b>"}) {
		t.Errorf("title %q", found)
	}
	cells := elements(page, "td")
	cells = append(cells, elements(page, "th")...)
	for _, want := range []string{"drawn & divided", "56", "24", "6", "7", "4", program()} { // rows trained on and tested on, features, nodes, leaves
		if !slices.Contains(cells, want) {
			t.Errorf("no cell %q in %q", want, cells)
		}
	}
	settings := elements(page, "pre")
	if len(settings) != 1 {
		t.Fatalf("settings %q", settings)
	}
	file := filepath.Join(t.TempDir(), "again.json")
	if err := os.WriteFile(file, []byte(settings[0]), 0o600); err != nil {
		t.Fatal(err)
	}
	again, err := ReadStudy(file)
	if err != nil {
		t.Fatal(err)
	}
	other, err := again.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(other.Cells) != 4 {
		t.Fatalf("%d cells", len(other.Cells))
	}
	for _, c := range other.Cells {
		for _, want := range []string{c.Key, strconv.FormatUint(c.Seed, 10), strconv.FormatFloat(c.Values["tree loss"], 'g', 6, 64)} {
			if !slices.Contains(cells, want) {
				t.Errorf("the page has no %q of the cell that was run again: %v", want, c)
			}
		}
	}
	// Cells of a program before this one say so.
	old := *r
	old.Cells = slices.Clone(r.Cells)
	one := *old.Cells[0]
	one.Program, one.Features = "", 0
	old.Cells[0] = &one
	if page := old.Page(); !strings.Contains(page, "not recorded") {
		t.Error("nothing says that a program is not recorded")
	}
	if text, err := json.Marshal(&one); err != nil || strings.Contains(string(text), "Program") {
		t.Errorf("%s, %v", text, err)
	}
}
