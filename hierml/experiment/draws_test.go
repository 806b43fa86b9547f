package experiment

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestDrawnPoints draws points and holds where they are, and that fewer are the first of more.
func TestDrawnPoints(t *testing.T) {
	m := Method{Draws: 2000, Grid: Grid{
		"C":     {Range{Low: 0.01, High: 100, Log: true}},
		"share": {Range{Low: -1, High: 3}},
		"words": {Range{Low: 1, High: 5, Whole: true}, 9},
		"deep":  {Range{Low: 1, High: 64, Whole: true, Log: true}},
		"name":  {"a", "b"},
	}}
	points, err := m.points(7)
	if err != nil || len(points) != 2000 {
		t.Fatalf("%d points: %v", len(points), err)
	}
	counts := make(map[any]int)
	below := make(map[string]int) // the middle of a range
	for _, p := range points {
		values := Params{Values: p.values()}
		c, share, deep := values.Float("C"), values.Float("share"), values.Float("deep")
		if c < 0.01 || c > 100 || share < -1 || share > 3 || deep < 1 || deep > 64 || deep != math.Trunc(deep) {
			t.Fatalf("drawn outside the range: %v", p)
		}
		if len(p[0].text) > 8 {
			t.Errorf("C is written as %s", p[0].text)
		}
		counts[p.values()["words"]]++
		counts[p.values()["name"]]++
		for name, is := range map[string]bool{"C": c < 1, "share": share < 1, "deep": deep < 6} {
			if is {
				below[name]++
			}
		}
	}
	for _, name := range []string{"C", "share", "deep"} {
		if n := below[name]; math.Abs(float64(n)-1000) > 120 { // their deviation is 22
			t.Errorf("%s: %d of 2000 are in the lower half", name, n)
		}
	}
	if counts["a"] < 880 || counts[9] < 880 || counts[1] < 140 || counts[5] < 140 || counts[1]+counts[2]+counts[3]+counts[4]+counts[5]+counts[9] != 2000 {
		t.Errorf("values %v", counts)
	}
	m.Draws = 50
	fewer, err := m.points(7)
	if err != nil || !slices.EqualFunc(fewer, points[:50], func(a, b point) bool { return a.identity() == b.identity() }) {
		t.Errorf("50 points are not the first of 2000 (%v)", err)
	}
	other, err := m.points(8)
	if err != nil || other[0].identity() == fewer[0].identity() {
		t.Errorf("another seed draws the same (%v)", err)
	}
}

func TestDrawErrors(t *testing.T) {
	for want, m := range map[string]Method{
		"Draws is -1":                    {Draws: -1},
		"set Method.Draws to the number": {Grid: Grid{"C": {Range{Low: 1, High: 2}}}},
		"Draws is 5, but the grid seems to have only 4 different points": {Draws: 5, Grid: Grid{"a": {1, 2}, "b": {1, 2}}},
		"the grid has no values":      {Draws: 5},
		"the grid has no values of a": {Draws: 5, Grid: Grid{"a": {}}},
		"Low must be below High":      {Draws: 5, Grid: Grid{"a": {Range{Low: 2, High: 1}}}},
		"and both finite":             {Draws: 5, Grid: Grid{"a": {Range{Low: 2, High: math.Inf(1)}}}},
		"Low has to be positive":      {Draws: 5, Grid: Grid{"a": {Range{High: 1, Log: true}}}},
		"without a whole number":      {Draws: 5, Grid: Grid{"a": {Range{Low: 0.2, High: 0.8, Whole: true}}}},
		"it must be at most 100000":   {Draws: 1e6, Grid: Grid{"a": {1}}},
		"has a value that is nil":     {Draws: 1, Grid: Grid{"a": {nil}}},
	} {
		if _, err := m.points(1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}

// TestDrawnStudy chooses among drawn points, goes on with more of them, and is the same in JSON.
func TestDrawnStudy(t *testing.T) {
	const text = `{"Data": [{"Name": "d", "Generator": {"synthetic.LinearTree": {"Instances": 60, "Features": 5, "Seed": 1}}}],
		"Methods": [{"Name": "m", "Estimator": "svm.Flat", "Draws": 3, "Grid": {"C": [{"experiment.Range": {"Low": 0.01, "High": 10, "Log": true}}]}}],
		"Split": {"HeldOut": 0.3}, "Inner": {"HeldOut": 0.3}}`
	file := filepath.Join(t.TempDir(), "study.json")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := ReadStudy(file)
	if err != nil {
		t.Fatal(err)
	}
	s.Directory = filepath.Join(t.TempDir(), "kept")
	first := complete(t, s)
	if len(first.Inner) != 3 || len(first.Cells) != 1 || !first.Cells[0].Chosen || first.Cells[0].Error != "" {
		t.Fatalf("%d inner cells, %+v", len(first.Inner), first.Cells)
	}
	again, err := ReadStudy(s.Directory)
	if err != nil {
		t.Fatal(err)
	}
	if r, ok := again.Methods[0].Grid["C"][0].(Range); !ok || r != (Range{Low: 0.01, High: 10, Log: true}) || again.Methods[0].Draws != 3 {
		t.Errorf("read again: %+v", again.Methods[0])
	}
	begun := make(map[string]bool)
	for _, c := range first.Inner {
		begun[c.Key] = true
	}
	s.Methods[0].Draws = 5
	more := complete(t, s)
	kept := 0
	for _, c := range more.Inner {
		if begun[c.Key] {
			kept++
		}
	}
	if len(more.Inner) != 5 || kept != 3 || more.Cells[0].Key == first.Cells[0].Key {
		t.Errorf("%d inner cells, of them %d from before", len(more.Inner), kept)
	}
	if text := s.String(); !strings.Contains(text, "5 points of C") {
		t.Error(text)
	}
}
