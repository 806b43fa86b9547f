package chart

import (
	"math"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// unusual returns figures of inputs at the edge of what the charts take: one node, several parents,
// names of all kinds, and values that are missing or all the same.
func unusual(t *testing.T) map[string]*Figure {
	t.Helper()
	all := make(map[string]*Figure)
	add := func(name string, f *Figure, err error) {
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all[name] = f
	}
	odd := []string{"<script>alert(1)</script>", `quote " backslash \ ' brace }`, "日本語 العربية 👩‍🔬", strings.Repeat("long ", 60), "datum.x", "e[0].f"}
	alone, err := taxonomy.New(odd[:1], nil)
	if err != nil {
		t.Fatal(err)
	}
	// A graph: 3 and 5 have two parents.
	graph, err := taxonomy.New(odd, [][2]int{{0, 1}, {0, 2}, {1, 3}, {2, 3}, {2, 4}, {3, 5}, {4, 5}})
	if err != nil {
		t.Fatal(err)
	}
	f, err := Taxonomy(alone)
	add("a node alone", f, err)
	f, err = NodeValues(alone, []float64{math.NaN()}, odd[1])
	add("no value", f, err)
	f, err = NodeValues(graph, []float64{1, -1, math.NaN(), 0, 1e299, 5e-324}, odd[1])
	add("values of a graph", f, err)
	f, err = NodeBars(graph, []float64{1, -1, math.NaN(), 0, 1e299, 5e-324}, odd[1])
	add("bars of a graph", f, err)
	f, err = Icicle(graph, nil, []float64{1, -1, math.NaN(), 0, 1e299, 5e-324}, odd[1])
	add("icicle of a graph", f, err)
	f, err = Icicle(alone, []float64{5e-324}, []float64{math.NaN()}, "")
	add("icicle of one", f, err)
	f, err = NodeBars(alone, []float64{0}, "")
	add("a bar of nothing", f, err)
	f, err = Confusion(alone, []int{0}, []int{0})
	add("confusion of one", f, err)
	f, err = Convergence([]solver.Progress{{Epoch: 1, Primal: 1, Dual: math.Inf(-1), Gap: math.NaN()}})
	add("one epoch", f, err)
	f, err = Convergence([]solver.Progress{{Epoch: 1, Primal: 3, Dual: 2, Gap: 1.0 / 3}, {Epoch: 2, Estimate: 0.1}, {Epoch: 3, Primal: 3, Dual: 3, Gap: 0}})
	add("a gap of zero", f, err)
	curves := map[string][]float64{odd[0]: {0}, odd[1]: {1}, odd[2]: {0.5}, odd[3]: {0.25}, odd[4]: {0.1}, odd[5]: {0.2}}
	f, err = LearningCurve([]int{7}, curves)
	add("one size", f, err)
	f, err = Parameter(odd[1], odd[2], []float64{0}, curves, map[string][]float64{odd[0]: {0.5}})
	add("one value", f, err)
	f, err = Dendrogram(pairs(1))
	add("one pair", f, err)
	f, err = Dendrogram(pairs(200))
	add("folded pairs", f, err)
	return all
}

// What is unusual is drawn nevertheless, within the bounds of every figure.
func TestUnusual(t *testing.T) {
	for name, f := range unusual(t) {
		if f.PNG() == nil || strings.Contains(f.SVG(), "cannot be drawn") {
			t.Errorf("%s: %.300s", name, f.SVG())
		}
		if (spec(t, f) == "") != (f.twin == nil) {
			t.Errorf("%s: no interactive form", name)
		}
	}
}
