package dataset_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/progress"
)

func TestPrints(t *testing.T) {
	corpus := &dataset.Corpus{}
	for _, text := range []string{"One, two!", "one  TWO", "two one", "onetwo", "", " .", "Ünï-x", "ünï x", "uni x", "1.5", "15"} {
		corpus.Documents = append(corpus.Documents, dataset.Document{Text: text})
	}
	table, err := dataset.NewTable("t",
		dataset.Numbers("n", 1, 1, 1, math.Nextafter(0.3, 1), 0.3, math.NaN(), math.NaN(), math.NaN()),
		dataset.Sets("s", []string{"a", "b"}, []string{"b", "a"}, []string{"ab"}, nil, nil, []string{"a"}, []string{"a"}, nil),
		dataset.Texts("x", "A b.", "a  b", "a b", "", "", "b", "b!", ""))
	if err != nil {
		t.Fatal(err)
	}
	vectors := &dataset.Dataset{Labels: make([][]int, 4), X: &dataset.Matrix{
		Rows: 4, Cols: 3, Indptr: []int{0, 2, 3, 4, 4}, Indices: []int32{0, 1, 0, 1}, Values: []float32{2, 0, 2, 2},
	}}
	for name, test := range map[string]struct {
		prints dataset.Prints
		equal  string // rows with the same letter repeat each other, . is an empty row
	}{
		"corpus":     {corpus.Prints(), "aabc..ddefg"},
		"table":      {table.Prints(), "aabcdee."},
		"one column": {table.Prints("n"), "aaabc..."},
		"vectors":    {vectors.Prints(), "aab."},
	} {
		for i := range test.equal {
			if (test.prints[i] == 0) != (test.equal[i] == '.') {
				t.Errorf("%s: row %d has print %x", name, i, test.prints[i])
			}
			for j := range i {
				if (test.prints[i] == test.prints[j]) != (test.equal[i] == test.equal[j]) {
					t.Errorf("%s: rows %d and %d have prints %x, %x", name, i, j, test.prints[i], test.prints[j])
				}
			}
		}
	}
	r := corpus.Prints().Repeats(dataset.Division{Train: []int{1, 3, 4, 7}, Test: []int{2, 5, 6, 0}})
	if want := (dataset.Repeats{Rows: 2, Of: 4, Test: 6, Train: 7}); r != want {
		t.Errorf("%+v, want %+v", r, want)
	}
	if want := "2 of 4 rows for testing repeat a row for training: row 6 repeats row 7"; !strings.HasPrefix(r.String(), want) {
		t.Errorf("%s, want %s", r, want)
	}
}

// A split tells whoever watches all functions of what it repeats, and is silent about nothing.
func TestSplitTellsOfRepeats(t *testing.T) {
	watcher := &example.Watcher{}
	progress.SetDefault(watcher)
	defer progress.SetDefault(nil)
	c := &dataset.Corpus{Name: "letters", Taxonomy: example.Fruit()}
	for i := range 40 {
		c.Documents = append(c.Documents, dataset.Document{Text: fmt.Sprint("text ", i%20), Labels: []int{0}, Group: fmt.Sprint(i % 20)})
	}
	if _, _, err := c.Split(0.5, 1); err != nil || len(watcher.Notes) != 0 {
		t.Errorf("notes %q of groups that are kept together (%v)", watcher.Notes, err)
	}
	for i := range c.Documents {
		c.Documents[i].Group = ""
	}
	if _, _, err := c.Split(0.5, 1); err != nil {
		t.Fatal(err)
	}
	if notes := watcher.Notes; len(notes) != 1 || !strings.HasPrefix(notes[0], "letters: ") || !strings.Contains(notes[0], "of 20 rows for testing repeat a row for training: row ") {
		t.Errorf("notes %q", notes)
	}
}
