package experiment

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/features"
	"github.com/hierml/notebook/hierml/synthetic"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// countedStep is a step that changes nothing.
type countedStep struct{ Number int }

// fitted counts the fits of steps.
var fitted atomic.Int64

func (s countedStep) Fit(*dataset.Dataset) (countedStep, error) { fitted.Add(1); return s, nil }

func (s countedStep) Transform(d *dataset.Dataset) (*dataset.Dataset, error) { return d, nil }

// wordy is a corpus of two labels whose words say little alone, and in pairs more.
func wordy(t testing.TB, documents int) *dataset.Corpus {
	t.Helper()
	g, err := taxonomy.New([]string{"a", "b"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &dataset.Corpus{Name: "wordy", Taxonomy: g}
	for i := range documents {
		words := []string{"no", "way", "out", fmt.Sprint("w", i%5)}
		if i%2 == 1 {
			words[0], words[1] = words[1], words[0]
		}
		if i%7 == 0 {
			words = append(words, "no way")
		}
		c.Documents = append(c.Documents, dataset.Document{Text: strings.Join(words, " "), Labels: []int{i % 2}})
	}
	return c
}

// TestGridOfData compares the cells at each point of a grid over settings of data with those of
// studies whose data have the settings, on given divisions, and what is chosen with a loop over
// inner cells.
func TestGridOfData(t *testing.T) {
	corpus, table := wordy(t, 24), numberedTable(t, 24, dataset.Words("third", strings.Fields(strings.Repeat("x y z x x y y z ", 3))...))
	var rounds []dataset.Division
	for r := range 2 {
		d := dataset.Division{Name: fmt.Sprint("round ", r)}
		for i := range 24 {
			if (i/2)%3 == r {
				d.Test = append(d.Test, i)
			} else {
				d.Train = append(d.Train, i)
			}
		}
		rounds = append(rounds, d)
	}
	for _, test := range []struct {
		data   Data
		grid   Grid
		points []Data
	}{
		{
			Data{Corpus: corpus},
			Grid{"Data.Text.NGrams": {[]int{1, 1}, []int{1, 2}}, "Data.Text.Weight": {"counts", features.LogTFIDF}, "Noise": {0, 0.5}},
			[]Data{
				{Corpus: corpus, Text: features.Text{NGrams: [2]int{1, 1}, Weight: features.Counts}}, {Corpus: corpus, Text: features.Text{NGrams: [2]int{1, 1}}},
				{Corpus: corpus, Text: features.Text{NGrams: [2]int{1, 2}, Weight: features.Counts}}, {Corpus: corpus, Text: features.Text{NGrams: [2]int{1, 2}}},
			},
		},
		{
			Data{Table: table, Columns: features.Columns{Of: map[string]features.Column{"third": {Nominal: &features.Nominal{MinRows: 2}}}}},
			Grid{"Data.Columns.Of.number.Number.Log": {false, true}, "Data.Columns.Of.third.Nominal.MinRows": {2, 8}},
			[]Data{
				{Table: table, Columns: features.Columns{Of: map[string]features.Column{"number": {Number: &features.Number{}}, "third": {Nominal: &features.Nominal{MinRows: 2}}}}},
				{Table: table, Columns: features.Columns{Of: map[string]features.Column{"number": {Number: &features.Number{}}, "third": {Nominal: &features.Nominal{MinRows: 8}}}}},
				{Table: table, Columns: features.Columns{Of: map[string]features.Column{"number": {Number: &features.Number{Log: true}}, "third": {Nominal: &features.Nominal{MinRows: 2}}}}},
				{Table: table, Columns: features.Columns{Of: map[string]features.Column{"number": {Number: &features.Number{Log: true}}, "third": {Nominal: &features.Nominal{MinRows: 8}}}}},
			},
		},
		{
			Data{Set: linearTree(t, 24)},
			Grid{"Data.Steps": {[]any{}, []any{features.Scaling{Columns: features.ZScore}}}},
			[]Data{{Set: linearTree(t, 24)}, {Set: linearTree(t, 24), Steps: []any{features.Scaling{Columns: features.ZScore}}}},
		},
	} {
		s := &Study{Data: []Data{test.data}, Methods: []Method{{Name: "m", Estimator: Centroids{}, Grid: test.grid}}, Split: Split{Rounds: rounds}, Measures: []string{"accuracy"}}
		all := complete(t, s)
		each := 1
		if noise := test.grid["Noise"]; noise != nil {
			each = len(noise)
		}
		if want := len(rounds) * len(test.points) * each; len(all.Cells) != want {
			t.Fatalf("there are %d cells, want %d", len(all.Cells), want)
		}
		different := make(map[float64]bool)
		for i, data := range test.points {
			plain := *s
			plain.Data, plain.Methods = []Data{data}, []Method{{Name: "m", Estimator: Centroids{}}}
			points, err := test.grid.points()
			if err != nil {
				t.Fatal(err)
			}
			text := points[i*each].String() // of those with noise the first, which has none
			for round, want := range complete(t, &plain).Cells {
				at := slices.IndexFunc(all.Cells, func(c *Cell) bool { return c.Fold == round+1 && c.Point == text })
				if at < 0 {
					t.Fatalf("no cell at %s", text)
				}
				if got := all.Cells[at]; fmt.Sprint(got.Values) != fmt.Sprint(want.Values) || want.Error != "" {
					t.Errorf("round %d, %s: an accuracy of %v, %s; want %v, %s", round, text, got.Values["accuracy"], got.Error, want.Values["accuracy"], want.Error)
				}
				different[want.Values["average precision"]] = true
			}
		}
		if len(different) < 2 {
			t.Error("all points have the same outcome; the test says little")
		}
		s.Inner = Split{Folds: 2}
		s.Select = "average precision"
		r := complete(t, s)
		for _, c := range r.Cells {
			sums := make(map[string]float64)
			var order []string
			for _, inner := range r.Inner {
				if inner.Fold != c.Fold {
					continue
				}
				if _, ok := sums[inner.Point]; !ok {
					order = append(order, inner.Point)
				}
				sums[inner.Point] += inner.Values[s.Select]
			}
			points, err := test.grid.points()
			if err != nil {
				t.Fatal(err)
			}
			best, most := "", math.Inf(-1)
			for _, p := range points { // of equal ones the first of the grid
				if sum := sums[p.String()]; sum > most {
					best, most = p.String(), sum
				}
			}
			i := slices.IndexFunc(all.Cells, func(of *Cell) bool { return of.Fold == c.Fold && of.Point == best })
			if len(order) != len(points) || c.Point != best || !c.Chosen || i < 0 || fmt.Sprint(c.Values) != fmt.Sprint(all.Cells[i].Values) || len(c.Settings) != len(test.grid) {
				t.Errorf("fold %d: %q is chosen of %d points; want %q", c.Fold, c.Point, len(order), best)
			}
		}
	}
}

// TestDataAreTransformedOnce counts how often the data are fitted: once for each division and each
// of their settings, whatever the other settings and methods are; and how many are kept at a time.
func TestDataAreTransformedOnce(t *testing.T) {
	grid := Grid{"Noise": {0, 1, 2, 3}, "Data.Text.NGrams": {[]int{1, 1}, []int{1, 2}, []int{2, 2}}}
	s := &Study{
		Data:    []Data{{Corpus: wordy(t, 24), Steps: []any{countedStep{1}}}},
		Methods: []Method{{Name: "a", Estimator: Centroids{}, Grid: grid}, {Name: "b", Estimator: Centroids{Noise: 9}, Grid: grid}, {Name: "c", Estimator: Centroids{}}},
		Split:   Split{Folds: 2}, Measures: []string{"accuracy"}, Workers: 1,
	}
	fitted.Store(0)
	complete(t, s)
	if got, want := fitted.Load(), int64(2*(3+1)); got != want {
		t.Errorf("the data were fitted %d times, want %d", got, want)
	}
	s.Inner = Split{Folds: 2}
	fitted.Store(0)
	complete(t, s)
	// Each of the two methods may choose another setting, and c has none.
	if got, least, most := fitted.Load(), int64(2*(2*3+1+1)), int64(2*(2*3+2+1)); got < least || got > most {
		t.Errorf("with inner divisions the data were fitted %d times, want %d to %d", got, least, most)
	}
	c, err := s.checked()
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	parts := newParts(p, p.cells)
	for _, j := range p.cells {
		at := j.point
		if j.chooses() {
			at = j.inner[0].point
		}
		if _, err := parts.of(t.Context(), j, at); err != nil {
			t.Fatal(err)
		}
		made := 0
		for _, taken := range parts.taken {
			if taken.value.train != nil {
				made++
			}
		}
		if made > 2 { // that of c, and one more
			t.Errorf("%d transformed data are in memory at %s", made, j.point)
		}
		parts.release(j)
	}
	if len(parts.taken)+len(parts.use)+len(parts.opened) > 0 {
		t.Errorf("in the end %d data are in memory", len(parts.taken)+len(parts.opened))
	}
}

// TestKeysStay holds that cells of earlier versions are those of this one: their keys are what the
// version before tables and grids of data gave them.
func TestKeysStay(t *testing.T) {
	s := &Study{
		Data: []Data{
			{Corpus: wordy(t, 24), Text: features.Text{NGrams: [2]int{1, 2}}, Steps: []any{features.Scaling{Columns: features.ZScore}}},
			{Name: "tree", Generator: synthetic.LinearTree{Depth: 1, Features: 3, Instances: 20}},
		},
		Methods: []Method{{Name: "m", Estimator: Centroids{}, Grid: Grid{"Noise": {0, 1}}}},
		Split:   Split{Folds: 2}, Inner: Split{HeldOut: 0.5},
	}
	c, err := s.checked()
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, j := range p.cells {
		keys = append(keys, j.key)
	}
	const want = "e5ef47a56ac25fce 2e5e1b338a6f259b dadb74bcae91310d 76fd502d05a0e220 57364b74a9afa53c 53a30c49dccd37f7 " +
		"c25531fc89e57dc4 4c63f7791e2cde05 8f8d469cf18afed5 44cbce9b13cfd3bb 44a103a9ed0d4e4f 07b30b914810fad5"
	if got := strings.Join(keys, " "); got != want {
		t.Errorf("the keys are %s, want %s", got, want)
	}
}
