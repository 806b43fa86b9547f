package chart

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// Both charts of values refuse the same, and draw what is unusual.
func TestNodeValues(t *testing.T) {
	tax := paths(t, 2, 2)
	all := func(v float64) []float64 {
		list := make([]float64, tax.Len())
		for i := range list {
			list[i] = v
		}
		return list
	}
	with := func(v float64) []float64 { list := all(1); list[1] = v; return list }
	for name, draw := range map[string]func(*taxonomy.Taxonomy, []float64, string) (*Figure, error){"values": NodeValues, "bars": NodeBars} {
		for what, c := range map[string]struct {
			t      *taxonomy.Taxonomy
			values []float64
			words  string
		}{
			"no taxonomy": {nil, nil, "no taxonomy"},
			"too few":     {tax, []float64{1}, "give one per node"},
			"infinite":    {tax, with(math.Inf(-1)), fmt.Sprintf("node %q has the value -Inf", tax.Name(1))},
		} {
			if _, err := draw(c.t, c.values, "weight"); err == nil || !strings.Contains(err.Error(), c.words) {
				t.Errorf("%s, %s: %v", name, what, err)
			}
		}
		for _, values := range [][]float64{all(0), all(-3), all(7), with(math.NaN()), with(-1), with(1e299), with(-1e299), with(5e-324), with(0)} {
			f, err := draw(tax, values, "")
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(f.SVG(), "cannot be drawn") || f.PNG() == nil {
				t.Errorf("%s of %v: %.300s", name, values, f.SVG())
			}
		}
		alone, err := taxonomy.New([]string{"界" + strings.Repeat("long ", 100)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if f, err := draw(alone, []float64{1}, strings.Repeat("what ", 100)); err != nil || f.PNG() == nil || f.Width > 700 {
			t.Errorf("%s of a node alone: %v, %v", name, f, err)
		}
		large := paths(t, 100, 100)
		values := make([]float64, large.Len())
		values[77], values[5000] = 1, -2
		if f, err := draw(large, values, "alpha"); err != nil || f.PNG() == nil {
			t.Errorf("%s of ten thousand leaves: %v", name, err)
		}
	}
	if _, err := NodeBars(tax, all(math.NaN()), "weight"); err == nil || !strings.Contains(err.Error(), "nothing to draw") {
		t.Errorf("no values: %v", err)
	}
	f, err := NodeValues(tax, all(math.NaN()), "weight")
	if err != nil || !strings.Contains(f.SVG(), "no node has a value") {
		t.Errorf("no values: %v", err)
	}
}

func TestValueScale(t *testing.T) {
	tax := paths(t, 1, 2)
	for _, test := range []struct {
		values     []float64
		dark, pale float64
	}{
		{[]float64{1, 2, 3}, 3, 1},
		{[]float64{-1, -2, -3}, -3, -1},
		{[]float64{-1, 0, 3}, 3, 0},
		{[]float64{-4, 0, 3}, -4, 0.1},
	} {
		s, err := newValueScale(tax, test.values, "weight")
		if err != nil {
			t.Fatal(err)
		}
		light := func(v float64) int { c := s.color(v); return int(c.R) + int(c.G) + int(c.B) }
		if light(test.dark) >= light(test.pale) || s.color(test.dark) == s.color(math.NaN()) {
			t.Errorf("%v: %v is not darker than %v", test.values, test.dark, test.pale)
		}
	}
}

// The order is that of people's lists: each node before what is below it, and one with two parents
// once.
func TestOutline(t *testing.T) {
	tax, err := taxonomy.New([]string{"a", "b", "c", "d", "e"}, [][2]int{{0, 1}, {0, 2}, {1, 3}, {2, 3}, {2, 4}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(outline(tax)), "[{0 0} {1 1} {3 2} {2 1} {4 2}]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	list := outline(tax)
	if got, want := fmt.Sprint(largest(list, []float64{math.NaN(), 0, -5, 1, math.NaN()}, 3)), "[{1 1} {3 2} {2 1}]"; got != want {
		t.Errorf("the largest are %s, want %s", got, want)
	}
}
