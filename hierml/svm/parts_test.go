package svm_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// scores returns <w, x_i> for every row.
func scores(d *dataset.Dataset, w []float64) []float64 {
	s := make([]float64, d.X.Rows)
	for i := range s {
		features, values := d.X.Row(i)
		for k, f := range features {
			s[i] += w[f] * float64(values[k])
		}
	}
	return s
}

func half(w []float64) float64 {
	var sum float64
	for _, v := range w {
		sum += v * v / 2
	}
	return sum
}

// recursive evaluates the sum of the objectives of all inner nodes with plain loops.
func recursive(d *dataset.Dataset, m *classifier.Model, c float64, mean svm.Mean) float64 {
	g := d.Taxonomy
	var value float64
	above := make([][]int, len(d.Labels))
	for i, set := range d.Labels {
		above[i] = g.Closure(set)
	}
	at := func(parent int, children []int) {
		var s [][]float64
		for _, child := range children {
			node := child
			if !g.IsTree() && parent >= 0 {
				node, _ = m.Taxonomy.Node(fmt.Sprintf("%s below %s", g.Name(child), g.Name(parent)))
			}
			s = append(s, scores(d, m.Weights(node)))
			value += half(m.Weights(node))
		}
		var sum, n float64
		for i := range d.Labels {
			is := func(k int) bool { return slices.Contains(above[i], children[k]) }
			worst := 0.0
			var below bool
			for k := range children {
				below = below || is(k)
				for l := range children {
					if is(k) && !is(l) {
						worst = max(worst, 1-s[k][i]+s[l][i])
					}
				}
			}
			if below {
				n++
				sum += worst
			}
		}
		switch {
		case mean == svm.LocalMean && n > 0:
			sum /= n
		case mean == svm.GlobalMean:
			sum /= float64(len(d.Labels))
		}
		value += c * sum
	}
	for n := range g.Len() {
		if !g.IsLeaf(n) {
			at(n, g.Children(n))
		}
	}
	if len(g.Roots()) > 1 {
		at(-1, g.Roots())
	}
	return value
}

func TestRecursiveAgainstDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42))
	for k := range 30 {
		n := 2 + r.IntN(14)
		g := example.Random(r, n, 1+r.IntN(min(n, 2)), 1+k%2)
		d := several(g, 25, 3, uint64(k))
		if k%3 == 0 {
			for i := range d.Labels {
				d.Labels[i] = []int{r.IntN(n)} // inner nodes too
			}
		}
		mean := svm.Mean(k % 3)
		m := fit(t, svm.Recursive{C: 0.7, Mean: mean, Settings: solver.Settings{Gap: 1e-4, MaxEpochs: 20000}}, d)
		value := recursive(d, m, 0.7, mean)
		if math.Abs(value-m.Training.Certificate.Primal) > 1e-5*max(1e-3, value) || m.Training.Certificate.Dual > m.Training.Certificate.Primal || m.Training.Certificate.Gap > 1e-4 {
			t.Errorf("objective by definition %v, certified %v", value, m.Training.Certificate)
		}
		for i, p := range m.Predict(d.X) {
			if !g.IsLeaf(p) {
				t.Errorf("predicted node %d for row %d, not a leaf", p, i)
			}
		}
	}
}

// Where few weights can be other than zero the others are not kept.
func TestRecursiveKeepsFewWeights(t *testing.T) {
	g := example.Tree(4, 4, 4)
	d := example.Texts(g, 300, 20000, 5, 1)
	m := fit(t, svm.Recursive{Settings: solver.Settings{Gap: 1e-5}}, d)
	if m.Training.Certificate.Weights != nil {
		t.Fatal("all weights are kept")
	}
	if value := recursive(d, m, 1, svm.Sum); math.Abs(value-m.Training.Certificate.Primal) > 1e-5*value || m.Training.Certificate.Gap > 1e-5 {
		t.Errorf("objective by definition %v, certified %v", value, m.Training.Certificate)
	}
	right := 0
	for i, p := range m.Predict(d.X) {
		if p == d.Labels[i][0] {
			right++
		}
	}
	if right < 200 {
		t.Errorf("%d of %d training instances right", right, d.X.Rows)
	}
}

func TestOneVsRestAgainstDefinition(t *testing.T) {
	for k, g := range []*taxonomy.Taxonomy{example.Tree(2, 5), example.Graph(30, 2), example.Tree(1), example.Tree(3)} {
		d := several(g, 40, 4, uint64(k))
		d.Labels[3] = nil
		m := fit(t, svm.OneVsRest{C: 0.3, Settings: solver.Settings{Gap: 1e-4, MaxEpochs: 20000}}, d)
		var value float64
		for y, n := range g.Leaves() {
			w := m.Weights(n)
			value += half(w)
			for i, s := range scores(d, w) {
				if math.Abs(s-m.LeafScores(d.X).At(i, y)) > 1e-5 {
					t.Errorf("score %v of leaf %d, want %v", m.LeafScores(d.X).At(i, y), n, s)
				}
				if !slices.Contains(d.Labels[i], n) {
					s = -s
				}
				value += 0.3 * max(0, 1-s)
			}
		}
		if math.Abs(value-m.Training.Certificate.Primal) > 1e-5*value || m.Training.Certificate.Gap > 1e-4 || m.Training.Certificate.Dual > m.Training.Certificate.Primal {
			t.Errorf("objective by definition %v, certified %v", value, m.Training.Certificate)
		}
	}
}

func TestLeavesWithoutInstances(t *testing.T) {
	g := example.Tree(2, 4)
	d := several(g, 60, 4, 3)
	empty := g.Leaves()[2:6]
	for i, set := range d.Labels {
		d.Labels[i] = slices.DeleteFunc(set, func(n int) bool { return slices.Contains(empty, n) })
	}
	inputs, err := structured.NewLinear(d.X)
	if err != nil {
		t.Fatal(err)
	}
	for _, loss := range []solver.MarginLoss{solver.Hinge, solver.SquaredHinge, solver.Logistic} {
		settings := solver.Settings{Gap: 1e-6, MaxEpochs: 20000}
		m := fit(t, svm.OneVsRest{C: 0.3, Loss: loss, Settings: settings}, d)
		alone, err := solver.NewBinary(inputs).Solve(t.Context(), solver.BinaryProblem{C: 0.3, Loss: loss}, settings)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range empty {
			w := m.Weights(n)
			if !slices.Equal(w, m.Weights(empty[0])) || floats.Distance(w, alone.Weights, 2) > 3*math.Sqrt(1e-6*alone.Primal) || floats.Norm(w, 2) == 0 {
				t.Errorf("%v: weights %v of a leaf without instances, want %v", loss, w, alone.Weights)
			}
		}
		var value float64
		for _, n := range g.Leaves() {
			w := m.Weights(n)
			value += half(w)
			for i, s := range scores(d, w) {
				if !slices.Contains(d.Labels[i], n) {
					s = -s
				}
				value += 0.3 * loss.Value(s)
			}
		}
		if math.Abs(value-m.Training.Certificate.Primal) > 1e-5*value {
			t.Errorf("%v: objective by definition %v, certified %v", loss, value, m.Training.Certificate)
		}
	}
}

// separate are the estimators whose problems are solved apart.
func separate(s solver.Settings) []classifier.Estimator {
	return []classifier.Estimator{svm.Recursive{Settings: s}, svm.OneVsRest{Settings: s}}
}

func TestWorkersDoNotMatterToParts(t *testing.T) {
	d := several(example.Tree(3, 4), 60, 4, 5)
	three := separate(solver.Settings{Workers: 3})
	for k, e := range separate(solver.Settings{Workers: 1}) {
		a, b := fit(t, e, d), fit(t, three[k], d)
		if a.Training.Certificate.Primal != b.Training.Certificate.Primal || !mat.Equal(a.NodeScores(d.X), b.NodeScores(d.X)) {
			t.Errorf("%s: one worker: %v, three: %v", a.Name, a.Training.Certificate, b.Training.Certificate)
		}
	}
}

func TestPartsStopEarly(t *testing.T) {
	d := several(example.Tree(3, 4), 60, 4, 6)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, e := range separate(solver.Settings{}) {
		optimum := fit(t, e, d)
		m, err := e.Fit(ended, d)
		if !errors.Is(err, context.Canceled) || m == nil {
			t.Fatalf("cancelled: model %v, error %v", m, err)
		}
		if r := m.Training.Certificate; r.Status != solver.Cancelled || r.Dual != 0 || r.Gap != 1 || r.Primal < optimum.Training.Certificate.Dual {
			t.Errorf("%s: cancelled before the start: %v", m.Name, r)
		}
	}
	for k, e := range separate(solver.Settings{Gap: 1e-7, Time: time.Nanosecond}) {
		m, err := e.Fit(context.Background(), d)
		if err != nil || m.Training.Status != solver.TimeLimit || m.Training.Certificate.Gap < 0.5 {
			t.Errorf("estimator %d: no time: %v, error %v", k, m, err)
		}
	}
	for k, e := range separate(solver.Settings{Gap: 1e-7, MaxEpochs: 1}) {
		m := fit(t, e, d)
		if r := m.Training.Certificate; r.Status != solver.MaxEpochs || r.Epochs != 1 || r.Gap <= 1e-7 {
			t.Errorf("estimator %d: one epoch: %v", k, r)
		}
	}
	enough := errors.New("enough")
	var calls atomic.Int64
	stop := solver.Settings{Gap: 1e-7, Workers: 3, Progress: func(p solver.Progress) error {
		if calls.Add(1); p.Epoch == 4 {
			return enough
		}
		return nil
	}}
	for _, e := range separate(stop) {
		calls.Store(0)
		m, err := e.Fit(context.Background(), d)
		if !errors.Is(err, enough) || m == nil || calls.Load() != 4 {
			t.Fatalf("model %v, error %v, %d calls", m, err, calls.Load())
		}
		if r := m.Training.Certificate; r.Status != solver.Stopped || len(r.History) != 4 || r.Dual > r.Primal || r.Gap <= 1e-7 {
			t.Errorf("%s: stopped: %v with a history of %d", m.Name, r, len(r.History))
		}
		if r, ok := e.(svm.Recursive); ok {
			if v := recursive(d, m, 1, r.Mean); math.Abs(v-m.Training.Certificate.Primal) > 1e-5*v {
				t.Errorf("stopped: objective by definition %v, certified %v", v, m.Training.Certificate)
			}
		}
	}
}

// TestCutPartsGoOn trains in a bubble in which only certificates take time, a second each. Leaves
// that are cut off go on with the time that the others leave, until that is over or all is solved.
func TestCutPartsGoOn(t *testing.T) {
	d := several(example.Tree(3, 4), 60, 4, 6)
	d.Labels[3] = nil
	empty := d.Taxonomy.Leaves()[5]
	for i, set := range d.Labels {
		d.Labels[i] = slices.DeleteFunc(set, func(n int) bool { return n == empty })
	}
	for _, e := range []func(s solver.Settings) classifier.Estimator{
		func(s solver.Settings) classifier.Estimator { return svm.OneVsRest{C: 30, Settings: s} },
		func(s solver.Settings) classifier.Estimator {
			return svm.OneVsRest{C: 30, Loss: solver.SquaredHinge, Settings: s}
		},
		func(s solver.Settings) classifier.Estimator {
			return svm.OneVsRest{C: 30, Loss: solver.Logistic, Settings: s}
		},
		func(s solver.Settings) classifier.Estimator {
			return svm.OneVsRest{C: 30, Method: solver.BCFW{}, Settings: s}
		},
		func(s solver.Settings) classifier.Estimator {
			return svm.OneVsRest{C: 30, Method: solver.Pegasos{}, Settings: s}
		},
		func(s solver.Settings) classifier.Estimator { return svm.Recursive{C: 30, Settings: s} },
		func(s solver.Settings) classifier.Estimator { return svm.PLT{C: 30, Settings: s} },
		func(s solver.Settings) classifier.Estimator { return svm.HierarchicalSoftmax{C: 30, Settings: s} },
	} {
		synctest.Test(t, func(t *testing.T) {
			bounded := func(bound time.Duration) (*classifier.Model, time.Duration) {
				began := time.Now()
				m := fit(t, e(solver.Settings{Gap: 1e-3, Time: bound, Workers: 1, Progress: func(solver.Progress) error {
					time.Sleep(time.Second)
					return nil
				}}), d)
				return m, time.Since(began)
			}
			whole, needed := bounded(0)
			gap := math.Inf(1)
			for share := 1; share <= 8; share *= 2 {
				bound := needed * time.Duration(share) / 4
				m, took := bounded(bound)
				r := m.Training.Certificate
				if r.Status == solver.TimeLimit && took < bound || took > bound+time.Second {
					t.Errorf("%s: %v took %v of %v", m.Name, r, took, bound)
				}
				if r.Primal > r.Origin || r.Gap > max(gap, 1e-3) || r.Dual > whole.Training.Certificate.Primal {
					t.Errorf("%s in %v: %v, zero weights %v, the gap in half of the time %v", m.Name, bound, r, r.Origin, gap)
				}
				gap = r.Gap
			}
			if gap > max(1e-3, whole.Training.Certificate.Gap) {
				t.Errorf("%s: a gap of %v in twice the time that is needed", whole.Name, gap)
			}
		})
	}
}

func TestProgressOfParts(t *testing.T) {
	d := several(example.Tree(3, 4), 60, 4, 7)
	var last solver.Progress
	for _, e := range separate(solver.Settings{Workers: 2, Progress: func(p solver.Progress) error {
		if p.Epoch > 1 && (p.Epoch != last.Epoch+1 || p.Primal > last.Primal || p.Dual < last.Dual) {
			t.Errorf("%v after %v", p, last)
		}
		last = p
		return nil
	}}) {
		m := fit(t, e, d)
		if m.Training.Certificate.Gap > 1e-3 || math.Abs(last.Primal-m.Training.Certificate.Primal) > 1e-9*last.Primal {
			t.Errorf("%v, last progress %v", m.Training.Certificate, last)
		}
	}
}

func TestPartsRefuse(t *testing.T) {
	g := example.Tree(2, 2)
	d := example.Dense(g, 12, 3, 1)
	for name, e := range map[string]classifier.Estimator{
		"C of Recursive": svm.Recursive{C: -1}, "C of OneVsRest": svm.OneVsRest{C: math.NaN()}, "Mean": svm.Recursive{Mean: 3},
		"gap": svm.Recursive{Settings: solver.Settings{Gap: -1}}, "epochs": svm.OneVsRest{Settings: solver.Settings{MaxEpochs: -1}},
	} {
		if m, err := e.Fit(context.Background(), d); err == nil || m != nil {
			t.Errorf("%s: no error", name)
		}
	}
	inner := *d
	inner.Labels = slices.Clone(d.Labels)
	inner.Labels[0] = []int{1}
	if _, err := (svm.OneVsRest{}).Fit(context.Background(), &inner); err == nil {
		t.Error("one against the rest of the leaves: no error for an inner node")
	}
	if m := fit(t, svm.Recursive{}.WithC(3), &inner); m.C != 3 {
		t.Errorf("C is %v", m.C)
	}
	if m := fit(t, svm.OneVsRest{}.WithC(3), d); m.C != 3 {
		t.Errorf("C is %v", m.C)
	}
	alone := example.Dense(example.Tree(1, 1), 5, 2, 1)
	if m := fit(t, svm.Recursive{}, alone); m.Training.Certificate.Gap != 0 || m.Training.Status != solver.Converged || m.Predict(alone.X)[0] != 2 {
		t.Errorf("a chain: %v, predicts %v", m.Training.Certificate, m.Predict(alone.X))
	}
}
