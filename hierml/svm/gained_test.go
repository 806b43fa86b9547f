package svm_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
)

// rareLabels are instances with two of many labels each, whose features say little about them, if
// anything.
func rareLabels(t *testing.T, rows int, signal float64, seed uint64) *dataset.Dataset {
	t.Helper()
	tax := example.Tree(8, 10)
	rng := rand.New(rand.NewPCG(seed, 1))
	const width = 20
	direction := mat.NewDense(tax.Len(), width, nil)
	shared := rand.New(rand.NewPCG(7, 7)) // by all data of this kind
	for n := range tax.Len() {
		for f := range width {
			direction.Set(n, f, shared.NormFloat64())
		}
	}
	x, labels := mat.NewDense(rows, width, nil), make([][]int, rows)
	leaves := tax.Leaves()
	for i := range rows {
		a := rng.IntN(len(leaves) - 1)
		labels[i] = []int{leaves[a], leaves[a+1+rng.IntN(len(leaves)-a-1)]}
		for f := range width {
			v := rng.NormFloat64()
			for _, n := range tax.Closure(labels[i]) {
				v += signal * direction.At(n, f)
			}
			x.Set(i, f, v/math.Sqrt(width))
		}
	}
	d, err := dataset.FromDense("rare", tax, x, labels)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestGapAgainstZeroWeights ranks many rare labels, so that zero weights are within a few percent
// of the optimum. A gap that they are within is not enough to stop.
func TestGapAgainstZeroWeights(t *testing.T) {
	const gap = 0.05
	for _, method := range []solver.Method{solver.BCFW{}, solver.DualAscent{}} {
		m, err := svm.Flat{C: 1, Settings: solver.Settings{Gap: gap}, Method: method}.Fit(t.Context(), rareLabels(t, 300, 0.5, 1))
		if err != nil {
			t.Fatal(err)
		}
		r := m.Training.Certificate
		first := -1.0 // what was gained when the gap was first reached
		for _, p := range r.History {
			if p.Gap <= gap {
				first = (r.Origin - p.Primal) / (r.Origin - p.Dual)
				break
			}
		}
		if !(first >= 0 && first < 0.9) {
			t.Fatalf("%T: %v gained at a gap of %v; this is no problem to test with", method, first, gap)
		}
		if r.Status != solver.Converged || !(r.Gained() > first) || r.Gained() < 0.9 && r.Gap > gap/10 {
			t.Errorf("%T: %v, %v of the possible gained, %v when the gap was reached first", method, r, r.Gained(), first)
		}
	}
}

// TestGained compares with its definition, where the optimum is known: zero weights, of instances
// that contradict each other, and weights of which nothing is left to gain.
func TestGained(t *testing.T) {
	for _, test := range []struct {
		r    solver.Result
		want float64
	}{
		{solver.Result{Origin: 10, Primal: 10, Dual: 10}, 1},
		{solver.Result{Origin: 10, Primal: 10, Dual: 9.9}, 0},
		{solver.Result{Origin: 10, Primal: 4, Dual: 2}, 0.75},
		{solver.Result{Origin: 10, Primal: 2, Dual: 2}, 1},
		{solver.Result{Primal: 2, Dual: 2}, math.NaN()},
	} {
		if got := test.r.Gained(); got != test.want && !(math.IsNaN(got) && math.IsNaN(test.want)) {
			t.Errorf("of %v: %v gained, not %v", test.r.Origin, got, test.want)
		}
	}
	// With a C at which there is next to nothing to gain, one is told.
	var n example.Watcher
	if _, err := (svm.Flat{C: 0.01, Settings: solver.Settings{Gap: 0.05}}).Fit(progress.With(t.Context(), &n), rareLabels(t, 300, 0.5, 1)); err != nil {
		t.Fatal(err)
	}
	if len(n.Notes) != 1 || !strings.Contains(n.Notes[0], "zero weights are within") {
		t.Errorf("next to nothing to gain: notes %q", n.Notes)
	}
	// A table of numbers is said to have no constant, unless it has.
	random := rand.New(rand.NewPCG(1, 2))
	rows := make([][]float64, 300)
	for i := range rows {
		rows[i] = []float64{random.NormFloat64() / 4, random.NormFloat64() / 4}
	}
	table, err := dataset.MatrixOf(rows...)
	if err != nil {
		t.Fatal(err)
	}
	numbers := rareLabels(t, 300, 0.5, 1)
	numbers.X, numbers.Vocabulary = table, nil
	for with, d := range map[bool]*dataset.Dataset{false: numbers, true: numbers.WithConstant(1)} {
		n.Notes = nil
		if _, err := (svm.Flat{C: 0.01, Settings: solver.Settings{Gap: 0.05}}).Fit(progress.With(t.Context(), &n), d); err != nil {
			t.Fatal(err)
		}
		if len(n.Notes) != 1 || strings.Contains(n.Notes[0], "WithConstant") == with {
			t.Errorf("with a constant %v: notes %q", with, n.Notes)
		}
	}
	n.Notes = nil
	// Each instance is there with both labels: no weights are better than zero, and the training
	// ends all the same.
	d := example.Texts(example.Tree(2, 2), 20, 20, 5, 1)
	twice := make([]int, 0, 40)
	for i := range 20 {
		twice = append(twice, i, i)
	}
	both := d.Subset(twice)
	for i := range both.Labels {
		both.Labels[i] = []int{both.Taxonomy.Leaves()[i%2]}
	}
	m, err := svm.Flat{}.Fit(t.Context(), both)
	if err != nil {
		t.Fatal(err)
	}
	if r := m.Training.Certificate; r.Status != solver.Converged || r.Origin != 40 {
		t.Errorf("contradictory instances: %v, origin %v", r, r.Origin)
	}
}
