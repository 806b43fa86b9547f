package chart

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/synthetic"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// directions returns weights of two numbers a node: none at roots without children, others around
// zero.
func directions(t *taxonomy.Taxonomy) [][]float64 {
	weights := make([][]float64, t.Len())
	for n := range weights {
		sin, cos := math.Sincos(float64(n))
		weights[n] = []float64{cos, 2 * sin}
	}
	return weights
}

// TestArrows holds that a leaf's arrow ends at the sum of the weights along its path.
func TestArrows(t *testing.T) {
	tax := paths(t, 2, 3)
	weights := directions(tax)
	weights[tax.Leaves()[0]] = []float64{0, 0}
	weights[tax.Roots()[0]] = []float64{0, 0}
	f, err := arrowsFigure(tax, weights, "weights", false)
	if err != nil {
		t.Fatal(err)
	}
	if f.PNG() == nil || f.Title.Text != "weights" {
		t.Errorf("the figure is %v", f)
	}
	a := drawnArrows(t, tax, weights)
	if len(a) != tax.Len()-2 {
		t.Errorf("%d arrows of %d nodes, two of which have none", len(a), tax.Len())
	}
	for _, w := range a {
		var want [2]float64
		for _, n := range tax.Ancestors(w.node) {
			for k, v := range weights[n] {
				want[k] += v
			}
		}
		if math.Hypot(want[0]-w.to[0], want[1]-w.to[1]) > 1e-12 {
			t.Errorf("the arrow of %q ends at %v, want %v", tax.Name(w.node), w.to, want)
		}
	}
}

// TestArrowsFromOrigin holds that each begins at the origin, and that graphs can be drawn.
func TestArrowsFromOrigin(t *testing.T) {
	graph, err := taxonomy.New([]string{"a", "b", "c"}, [][2]int{{0, 2}, {1, 2}})
	if err != nil {
		t.Fatal(err)
	}
	f, err := arrowsFigure(graph, directions(graph), "weights", true)
	if err != nil || f.PNG() == nil {
		t.Fatal(f, err)
	}
	a, _, err := newArrows(graph, directions(graph), true)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range a.list {
		if want := directions(graph)[w.node]; w.from != [2]float64{} || w.to != [2]float64{want[0], want[1]} {
			t.Errorf("the arrow of node %d goes from %v to %v, want %v", w.node, w.from, w.to, want)
		}
	}
}

// drawnArrows returns the arrows of a figure in the order of their nodes.
func drawnArrows(t *testing.T, tax *taxonomy.Taxonomy, weights [][]float64) []arrow {
	t.Helper()
	a, _, err := newArrows(tax, weights, false)
	if err != nil {
		t.Fatal(err)
	}
	return slices.SortedFunc(slices.Values(a.list), func(a, b arrow) int { return a.node - b.node })
}

func TestArrowsRefused(t *testing.T) {
	tree := paths(t, 2, 2)
	graph, err := taxonomy.New([]string{"a", "b", "c"}, [][2]int{{0, 2}, {1, 2}})
	if err != nil {
		t.Fatal(err)
	}
	zeros := directions(tree)
	for _, w := range zeros {
		clear(w)
	}
	set := func(n int, w ...float64) [][]float64 {
		weights := directions(tree)
		weights[n] = w
		return weights
	}
	for words, c := range map[string]struct {
		tax     *taxonomy.Taxonomy
		weights [][]float64
	}{
		"all weights are zero":   {tree, zeros},
		"is NaN":                 {tree, set(1, math.NaN(), 2)},
		"is +Inf":                {tree, set(1, 2, math.Inf(1))},
		`node "c" has 2 parents`: {graph, directions(graph)},
	} {
		if _, err := arrowsFigure(c.tax, c.weights, "", false); err == nil || !strings.HasPrefix(err.Error(), "chart: ") || !strings.Contains(err.Error(), words) {
			t.Errorf("the error is %v, want one with %q", err, words)
		}
	}
}

// TestArrowsOfModels holds that the tip of a leaf's arrow scores the leaf, also where attributes
// are not 1, and that models which have no such arrows are refused.
func TestArrowsOfModels(t *testing.T) {
	points, err := synthetic.Gaussians{PerClass: 4}.Generate(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	model := func(e classifier.Estimator, d *dataset.Dataset) *classifier.Model {
		m, err := e.Fit(context.Background(), d)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	m := model(svm.Normalized{}, points)
	weights, err := arrowWeights(m)
	if err != nil {
		t.Fatal(err)
	}
	scores := m.LeafScores(points.X)
	_, x := points.X.Row(0)
	for _, w := range drawnArrows(t, points.Taxonomy, weights) {
		score := float64(x[0])*w.to[0] + float64(x[1])*w.to[1]
		if k := points.Taxonomy.LeafIndex(w.node); k >= 0 && math.Abs(score-scores.At(0, k)) > 1e-4 {
			t.Errorf("the arrow of %q scores %v, the model %v", points.Taxonomy.Name(w.node), score, scores.At(0, k))
		}
	}
	for _, draw := range []func(*classifier.Model) (*Figure, error){Arrows, ArrowsFromOrigin} {
		if f, err := draw(m); err != nil || f.PNG() == nil {
			t.Errorf("%v, %v", f, err)
		}
		for words, m := range map[string]*classifier.Model{"no model": nil, "3 features": model(svm.Flat{}, points.WithConstant(1)), "a kernel": model(svm.Flat{Kernel: gram.RBF{Gamma: 1}}, points)} {
			if _, err := draw(m); err == nil || !strings.Contains(err.Error(), words) {
				t.Errorf("the error is %v, want one with %q", err, words)
			}
		}
	}
}
