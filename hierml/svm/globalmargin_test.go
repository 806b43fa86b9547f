package svm_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// several gives instances of example.Dense up to three labels, now and then all.
func several(g *taxonomy.Taxonomy, rows, cols int, seed uint64) *dataset.Dataset {
	r := rand.New(rand.NewPCG(seed, 31))
	d := example.Dense(g, rows, cols, seed)
	leaves := g.Leaves()
	for i := range d.Labels {
		for range r.IntN(3) {
			d.Labels[i] = append(d.Labels[i], leaves[r.IntN(len(leaves))])
		}
		if r.IntN(9) == 0 {
			d.Labels[i] = slices.Clone(leaves)
		}
		slices.Sort(d.Labels[i])
		d.Labels[i] = slices.Compact(d.Labels[i])
	}
	return d
}

// globalMargin evaluates [QGH09, (9)] with plain loops for weights by node.
func globalMargin(d *dataset.Dataset, w [][]float64, l loss.Loss, c1, c2 float64) float64 {
	g := d.Taxonomy
	var value float64
	for _, row := range w {
		for _, v := range row {
			value += v * v / 2
		}
	}
	for i, set := range d.Labels {
		score := make([]float64, g.Len())
		features, values := d.X.Row(i)
		for n := range score {
			for _, a := range g.Ancestors(n) {
				for k, f := range features {
					score[n] += w[a][f] * float64(values[k])
				}
			}
		}
		above := g.Closure(set)
		var xi, zeta float64
		for _, y := range set {
			for _, z := range g.Leaves() {
				if !slices.Contains(set, z) {
					xi = max(xi, l.Cost(y, z)*(1-score[y]+score[z]))
				}
			}
		}
		for _, z := range above {
			for _, sibling := range g.Siblings(z) {
				if !g.IsLeaf(z) && !slices.Contains(above, sibling) {
					zeta = max(zeta, l.Cost(z, sibling)*(1-score[z]+score[sibling]))
				}
			}
		}
		value += c1*xi + c2*zeta
	}
	return value
}

func TestGlobalMarginAgainstDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 34))
	for k := range 20 {
		n := 2 + r.IntN(14)
		g := example.Random(r, n, 1+r.IntN(min(n, 2)), 1+k%2)
		d := several(g, 25, 3, uint64(k))
		l := loss.Tree(g)
		m := fit(t, svm.GlobalMargin{C1: 0.7, C2: 0.3, Loss: l, Settings: solver.Settings{Gap: 1e-4, MaxEpochs: 20000}}, d)
		w := make([][]float64, n)
		for v := range w {
			w[v] = m.Weights(v)
		}
		value := globalMargin(d, w, l, 0.7, 0.3)
		if math.Abs(value-m.Training.Certificate.Primal) > 1e-5*max(1, value) {
			t.Errorf("objective by definition %v, certified %v", value, m.Training.Certificate.Primal)
		}
		for range 10 {
			for v := range w {
				for f := range w[v] {
					w[v][f] += 0.05 * r.NormFloat64()
				}
			}
			if other := globalMargin(d, w, l, 0.7, 0.3); other < m.Training.Certificate.Dual*(1-1e-6) {
				t.Errorf("other weights have the value %v, below the bound %v", other, m.Training.Certificate.Dual)
			}
		}
	}
}

func TestGlobalMarginSettings(t *testing.T) {
	d := several(example.Tree(2, 3), 30, 4, 1)
	half := fit(t, svm.GlobalMargin{C1: 2, C2: 0.5}, d)
	if m := fit(t, svm.GlobalMargin{C1: 8, C2: 2}.WithC(2), d); m.C != 2 || !mat.Equal(m.LeafScores(d.X), half.LeafScores(d.X)) {
		t.Error("WithC does not keep the ratio of C1 and C2")
	}
	if m := fit(t, svm.GlobalMargin{}.WithC(3), d); !mat.Equal(m.LeafScores(d.X), fit(t, svm.GlobalMargin{C1: 3, C2: 3}, d).LeafScores(d.X)) {
		t.Error("C2 is not C1 by default")
	}
	for _, p := range half.Predict(d.X) {
		if !d.Taxonomy.IsLeaf(p) {
			t.Errorf("predicted node %d, not a leaf", p)
		}
	}
	for _, bad := range []svm.GlobalMargin{{C1: -1}, {C2: -1}, {C2: math.NaN()}, {C2: math.Inf(1)}, {Loss: loss.Tree(example.Tree(2))}} {
		if m, err := bad.Fit(context.Background(), d); err == nil || m != nil {
			t.Errorf("%v: no error", bad)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	m, err := svm.GlobalMargin{}.Fit(ctx, d)
	if !errors.Is(err, context.Canceled) || m == nil || m.Training.Certificate.Primal < fit(t, svm.GlobalMargin{}, d).Training.Certificate.Dual {
		t.Errorf("cancelled: model %v, error %v", m, err)
	}
}
