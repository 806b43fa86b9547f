package svm_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// longTail returns instances of which the k-th leaf has about half as many as the one before.
func longTail(g *taxonomy.Taxonomy, n int, seed uint64) *dataset.Dataset {
	rng := rand.New(rand.NewPCG(seed, 1))
	leaves := g.Leaves()
	d := &dataset.Dataset{Name: "long tail", Taxonomy: g, X: &dataset.Matrix{Cols: 3, Indptr: []int{0}}}
	for range n {
		k := 0
		for k+1 < len(leaves) && rng.IntN(2) == 0 {
			k++
		}
		d.Labels = append(d.Labels, []int{leaves[k]})
		angle := 2 * math.Pi * float64(k) / float64(len(leaves))
		d.X.Indices = append(d.X.Indices, 0, 1, 2)
		d.X.Values = append(d.X.Values, float32(math.Cos(angle)+rng.NormFloat64()), float32(math.Sin(angle)+rng.NormFloat64()), 1)
		d.X.Indptr = append(d.X.Indptr, len(d.X.Values))
	}
	d.X.Rows = n
	return d
}

// By its definition, in loops: what is added to the score of each node.
func TestLogitAdjustedByDefinition(t *testing.T) {
	flat, err := taxonomy.New([]string{"a", "b", "c", "d"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	settings := solver.Settings{Gap: 1e-4}
	for shape, g := range map[string]*taxonomy.Taxonomy{"flat": flat, "tree": example.Tree(2, 3), "forest": example.Random(rand.New(rand.NewPCG(3, 1)), 9, 2, 1)} {
		for _, weighted := range []bool{false, true} {
			d := longTail(g, 200, 1)
			if weighted {
				d.Weights = make([]float64, d.Len())
				for i := range d.Weights {
					d.Weights[i] = float64(i % 4)
				}
			}
			for _, e := range []svm.Regularized{svm.HierarchicalSoftmax{Settings: settings}, svm.PLT{Settings: settings}, svm.OneVsRest{Loss: solver.Logistic, Settings: settings}} {
				name := fmt.Sprintf("%s, %T, weighted %v", shape, e, weighted)
				plain, err := e.Fit(context.Background(), d)
				if err != nil {
					t.Fatal(err)
				}
				prior := map[string]float64{}
				for k, y := range g.Leaves() {
					prior[g.Name(y)] = float64(k + 1)
				}
				for _, s := range []svm.LogitAdjusted{{Estimator: e}, {Estimator: e, Tau: 0.7}, {Estimator: e, Prior: prior}} {
					m, err := s.Fit(context.Background(), d)
					if err != nil {
						t.Fatalf("%s: %v", name, err)
					}
					file := filepath.Join(t.TempDir(), "model")
					if err := m.Save(file); err != nil {
						t.Fatal(err)
					}
					if m, err = classifier.Load(file); err != nil {
						t.Fatal(err)
					}
					tau := s.Tau
					if tau == 0 {
						tau = 1
					}
					_, alone := e.(svm.OneVsRest)
					for n := range g.Len() {
						if alone && !g.IsLeaf(n) {
							continue
						}
						var with, above, wanted, whole float64
						for i, set := range d.Labels {
							ancestors := g.Ancestors(set[0])
							below := len(g.Parents(n)) == 0 || alone || slices.Contains(ancestors, g.Parents(n)[0])
							if below {
								above += d.Weight(i)
							}
							if slices.Contains(ancestors, n) {
								with += d.Weight(i)
							}
						}
						for _, y := range g.Leaves() {
							ancestors := g.Ancestors(y)
							if len(g.Parents(n)) == 0 || alone || slices.Contains(ancestors, g.Parents(n)[0]) {
								whole += prior[g.Name(y)]
							}
							if slices.Contains(ancestors, n) {
								wanted += prior[g.Name(y)]
							}
						}
						want := -tau * math.Log(with/above)
						if s.Prior != nil {
							want += tau * math.Log(wanted/whole)
						}
						if with == 0 {
							want = 0
						}
						if got := m.Constant(n) - plain.Constant(n); math.Abs(got-want) > 1e-9 {
							t.Errorf("%s: %v is added to the logit of %s; want %v", name, got, g.Name(n), want)
						}
					}
				}
			}
		}
	}
}

// On data with a long tail the mean of the classes' accuracies rises.
func TestLogitAdjustedFindsRareClasses(t *testing.T) {
	g := example.Tree(2, 3)
	train, test := longTail(g, 1500, 2), longTail(g, 20000, 3)
	balanced := func(m *classifier.Model) float64 {
		right, all := make([]float64, g.Len()), make([]float64, g.Len())
		for i, y := range m.Predict(test.X) {
			all[test.Labels[i][0]]++
			if y == test.Labels[i][0] {
				right[y]++
			}
		}
		var sum float64
		for _, y := range g.Leaves() {
			sum += right[y] / all[y] / float64(len(g.Leaves()))
		}
		return sum
	}
	e := svm.HierarchicalSoftmax{C: 10}
	plain, err := e.Fit(context.Background(), train)
	if err != nil {
		t.Fatal(err)
	}
	adjusted, err := svm.LogitAdjusted{Estimator: e}.Fit(context.Background(), train)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := balanced(plain), balanced(adjusted); b < a+0.05 {
		t.Errorf("balanced accuracy %v, adjusted %v; want more", a, b)
	} else {
		t.Logf("balanced accuracy %.3f, adjusted %.3f", a, b)
	}
}

// Scores that are no logits, and priors that are none, are refused.
func TestLogitAdjustedRefuses(t *testing.T) {
	d := longTail(example.Tree(2, 2), 40, 1)
	softmax := svm.HierarchicalSoftmax{}
	for name, s := range map[string]svm.LogitAdjusted{
		"nothing": {}, "hinge": {Estimator: svm.Flat{}}, "one-vs-rest": {Estimator: svm.OneVsRest{}}, "margin": {Estimator: svm.PLT{Link: classifier.Margin}},
		"exclusive": {Estimator: svm.PLT{Policy: svm.Exclusive}}, "kernel": {Estimator: svm.Flat{Kernel: gram.Linear{}}},
		"tau": {Estimator: softmax, Tau: -1}, "no leaf": {Estimator: softmax, Prior: map[string]float64{"nowhere": 1}}, "zero": {Estimator: softmax, Prior: map[string]float64{d.Taxonomy.Name(d.Taxonomy.Leaves()[0]): 0}},
		"none of a class": {Estimator: softmax, Prior: map[string]float64{d.Taxonomy.Name(d.Taxonomy.Leaves()[3]): 1}}, "negative": {Estimator: softmax, Prior: map[string]float64{d.Taxonomy.Name(d.Taxonomy.Leaves()[3]): -1}},
	} {
		if m, err := s.Fit(context.Background(), d); err == nil || m != nil {
			t.Errorf("%s: is adjusted", name)
		}
	}
}
