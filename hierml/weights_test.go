package hierml_test

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/bayes"
	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/clustering"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/forest"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/perceptron"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// repeated returns the instances with weights from 0 to 3, and without weights as often as these
// say.
func repeated(d *dataset.Dataset, seed uint64) (weighted, repeated *dataset.Dataset) {
	rng := rand.New(rand.NewPCG(seed, 1))
	w := *d
	w.Weights = make([]float64, d.Len())
	var rows []int
	for i := range w.Weights {
		times := rng.IntN(4)
		w.Weights[i] = float64(times)
		rows = append(rows, slices.Repeat([]int{i}, times)...)
	}
	return &w, d.Subset(rows)
}

// An instance of weight 2 is two instances, and one of weight 0 is none: for every method of every
// subject the certificate of weights is, by plain loops, that of the repeated instances, and both
// have one optimum.
func TestWeightsAreRepeatedInstances(t *testing.T) {
	each(t, func(t *testing.T, s subject, d *dataset.Dataset) {
		weighted, twice := repeated(d, 7)
		best := optimum(t, s, twice)
		for name, method := range methods {
			if slices.Contains(s.refuses, name) {
				continue
			}
			settings := solver.Settings{Gap: max(method.gap, s.reaches), MaxEpochs: 20000, Seed: 5, Workers: 1}
			m, err := s.estimator(d.Taxonomy, settings, method.method).Fit(context.Background(), weighted)
			if err != nil || m.Training.Certificate.Gap > settings.Gap {
				t.Errorf("%s: %v, %v", name, m, err)
				continue
			}
			honest(t, name, s, twice, m)
			sameOptimum(t, m, best, 1)
		}
	})
}

// A weight of a half is C of a half.
func TestAllWeightsAlikeAreC(t *testing.T) {
	d := example.Dense(example.Tree(2, 3), 24, 3, 1)
	half := *d
	half.Weights = slices.Repeat([]float64{0.5}, d.Len())
	for _, e := range regularized() {
		a, err := e.WithC(2).Fit(context.Background(), &half)
		if err != nil {
			t.Fatalf("%T: %v", e, err)
		}
		b, err := e.WithC(1).Fit(context.Background(), d)
		if err != nil {
			t.Fatalf("%T: %v", e, err)
		}
		sameOptimum(t, a, b, 1)
	}
}

// regularized are the estimators with a C, with settings that the subjects do not have.
func regularized() []svm.Regularized {
	tight := solver.Settings{Gap: 1e-6, MaxEpochs: 20000, Workers: 1}
	kernel := gram.RBF{Gamma: 0.5}
	return []svm.Regularized{
		svm.Ridge{Kernel: kernel}, svm.Flat{Kernel: kernel, Settings: tight}, svm.Hierarchical{Kernel: kernel, Settings: tight}, svm.Hierarchical{Sets: true, Settings: tight},
		svm.Orthogonal{Kernel: kernel, Settings: tight}, svm.HM3{Kernel: kernel, Settings: tight}, svm.HR{Kernel: kernel, Settings: tight},
		svm.OneVsRest{Settings: tight}, svm.OneVsRest{Loss: solver.SquaredHinge, Settings: tight}, svm.OneVsRest{Loss: solver.Logistic, Settings: tight},
		svm.HR{Settings: tight, Loss: solver.SquaredHinge}, svm.HR{Settings: tight, Loss: solver.Logistic},
		svm.PLT{Settings: tight}, svm.PLT{Settings: tight, Link: classifier.CubedHinge}, svm.PLT{Settings: tight, Policy: svm.Exclusive, Link: classifier.CubedHinge},
		svm.HierarchicalSoftmax{Settings: tight}, svm.Recursive{Settings: tight}, svm.TreeLoss{Settings: tight}, svm.MaxConstraint{Settings: tight}, svm.GlobalMargin{Settings: tight}, svm.Normalized{Settings: tight, Sets: true},
	}
}

// With kernels, losses and means, too, weights are repeated instances: the optimum is the same.
func TestWeightsOfOtherSettings(t *testing.T) {
	more := regularized()
	for _, mean := range []svm.Mean{svm.LocalMean, svm.GlobalMean} {
		more = append(more, svm.Recursive{Mean: mean, Settings: solver.Settings{Gap: 1e-6, MaxEpochs: 20000, Workers: 1}})
	}
	for seed := range uint64(3) {
		weighted, twice := repeated(example.Dense(example.Tree(2, 3), 24, 3, seed+1), seed)
		for _, e := range more {
			a, err := e.WithC(1.3).Fit(context.Background(), weighted)
			if err != nil {
				t.Fatalf("%T: %v", e, err)
			}
			b, err := e.WithC(1.3).Fit(context.Background(), twice)
			if err != nil {
				t.Fatalf("%T: %v", e, err)
			}
			sameOptimum(t, a, b, 1)
		}
	}
}

// Naive Bayes counts, so that its scores are equal.
func TestWeightsOfNaiveBayes(t *testing.T) {
	weighted, twice := repeated(example.Texts(example.Tree(2, 3), 60, 30, 10, 1), 3)
	a, err := bayes.Multinomial{}.Fit(context.Background(), weighted)
	if err != nil {
		t.Fatal(err)
	}
	b, err := bayes.Multinomial{}.Fit(context.Background(), twice)
	if err != nil {
		t.Fatal(err)
	}
	got, want := a.LeafScores(weighted.X), b.LeafScores(weighted.X)
	for i := range weighted.Len() {
		for y, v := range want.RawRowView(i) {
			if math.Abs(got.At(i, y)-v) > 1e-9*(1+math.Abs(v)) {
				t.Fatalf("row %d, leaf %d: %v; repeated instances give %v", i, y, got.At(i, y), v)
			}
		}
	}
}

// Estimators that cannot use weights refuse them, unless they are all 0 or 1.
func TestWeightsAreRefused(t *testing.T) {
	d := example.Texts(example.Tree(2, 3), 60, 30, 10, 1)
	refusing := map[string]func(*dataset.Dataset) error{
		"tree": func(d *dataset.Dataset) error { _, err := forest.Tree{}.Fit(context.Background(), d); return err },
		"forest": func(d *dataset.Dataset) error {
			_, err := forest.Forest{Trees: 3}.Fit(context.Background(), d)
			return err
		},
	}
	for name, e := range map[string]interface {
		Fit(context.Context, *dataset.Dataset) (*clustering.Translated, error)
	}{
		"automatic": clustering.Automatic{Estimator: svm.Flat{}}, "balanced": clustering.Balanced{Estimator: svm.Flat{}}, "Huffman": clustering.Huffman{Estimator: svm.Flat{}},
	} {
		refusing[name] = func(d *dataset.Dataset) error { _, err := e.Fit(context.Background(), d); return err }
	}
	for name, e := range map[string]classifier.Estimator{
		"flat perceptron": perceptron.Flat{}, "hierarchical perceptron": perceptron.Hierarchical{}, "Hieron": perceptron.Hieron{}, "H-RLS": perceptron.HRLS{}, "shrinkage": bayes.Shrinkage{},
		"kernel perceptron": perceptron.Hierarchical{Kernel: gram.RBF{Gamma: 1}},
	} {
		refusing[name] = func(d *dataset.Dataset) error { _, err := e.Fit(context.Background(), d); return err }
	}
	for name, fit := range refusing {
		w := *d
		w.Weights = slices.Repeat([]float64{1, 0}, d.Len()/2)
		if err := fit(&w); err != nil {
			t.Errorf("%s: %v for weights of 0 and 1", name, err)
		}
		w.Weights = slices.Repeat([]float64{1, 2}, d.Len()/2)
		if err := fit(&w); err == nil || !strings.Contains(err.Error(), "weights") {
			t.Errorf("%s: %v for weights of 1 and 2; want a refusal", name, err)
		}
	}
}

// Weights that are none are refused by every estimator.
func TestWeightsThatAreNone(t *testing.T) {
	d := example.Dense(example.Tree(2, 3), 8, 3, 1)
	for name, weights := range map[string][]float64{
		"too few": {1, 2}, "negative": {1, 1, 1, -1, 1, 1, 1, 1}, "not a number": {1, math.NaN(), 1, 1, 1, 1, 1, 1}, "infinite": {1, math.Inf(1), 1, 1, 1, 1, 1, 1}, "zero": make([]float64, 8),
	} {
		w := *d
		w.Weights = weights
		for _, e := range regularized() {
			if m, err := e.Fit(context.Background(), &w); err == nil || m != nil {
				t.Errorf("%s: %T trains with weights %v", name, e, weights)
			}
		}
		if _, err := (svm.NodeSets{}).Fit(context.Background(), &w); err == nil {
			t.Errorf("%s: NodeSets trains", name)
		}
		if _, err := (svm.Calibration{}).Fit(context.Background(), svm.Flat{}, &w); err == nil {
			t.Errorf("%s: Calibration trains", name)
		}
		if _, err := svm.ChooseC(context.Background(), svm.Flat{}, &w); err == nil {
			t.Errorf("%s: ChooseC chooses", name)
		}
	}
}

// The estimator that balances trains with the weights of the data set that is balanced.
func TestBalancedEstimator(t *testing.T) {
	d := example.Dense(example.Tree(2, 3), 40, 3, 1)
	for i := range 20 {
		d.Labels[i] = d.Labels[0]
	}
	b := dataset.Balance{ByNode: true, Beta: 0.9}
	weighted, err := d.Balanced(b)
	if err != nil {
		t.Fatal(err)
	}
	want, err := svm.Hierarchical{C: 2}.Fit(context.Background(), weighted)
	if err != nil {
		t.Fatal(err)
	}
	got, err := svm.Balanced{Estimator: svm.Hierarchical{}, Balance: b}.WithC(2).Fit(context.Background(), d)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := got.Training.Certificate, want.Training.Certificate; a.Primal != b.Primal || a.Dual != b.Dual {
		t.Errorf("the certificate is %v to %v; want %v to %v", a.Dual, a.Primal, b.Dual, b.Primal)
	}
	for _, e := range []svm.Balanced{{}, {Estimator: svm.Flat{}, Balance: dataset.Balance{Beta: 2}}} {
		if m, err := e.WithC(1).Fit(context.Background(), d); err == nil || m != nil {
			t.Errorf("%v trains", e)
		}
	}
}

// Balanced weights add up to the number of instances, and give every class, or every child of a
// node, the same.
func TestBalanced(t *testing.T) {
	for shape, g := range map[string]*taxonomy.Taxonomy{"tree": example.Tree(2, 3), "forest": example.Random(rand.New(rand.NewPCG(3, 1)), 12, 3, 1)} {
		d := example.Dense(g, 50, 3, 2)
		rng := rand.New(rand.NewPCG(2, 2))
		for i := range d.Labels { // few classes, some of one instance
			d.Labels[i] = []int{g.Leaves()[min(rng.IntN(5), rng.IntN(5), len(g.Leaves())-1)]}
		}
		for name, b := range map[string]dataset.Balance{"classes": {}, "nodes": {ByNode: true}} {
			w, err := d.Balanced(b)
			if err != nil {
				t.Fatal(err)
			}
			of := make(map[int]float64)
			for i, set := range d.Labels {
				for _, n := range g.Closure(set) {
					of[n] += w.Weights[i]
				}
			}
			var all float64
			for _, v := range w.Weights {
				all += v
			}
			if math.Abs(all-float64(d.Len())) > 1e-9 {
				t.Errorf("%s, %s: the weights add up to %v", shape, name, all)
			}
			groups := [][]int{g.Leaves()}
			if b.ByNode {
				groups = [][]int{g.Roots()}
				for n := range g.Len() {
					groups = append(groups, g.Children(n))
				}
			}
			for _, group := range groups {
				group = slices.DeleteFunc(slices.Clone(group), func(n int) bool { return of[n] == 0 })
				for _, n := range group {
					if math.Abs(of[n]-of[group[0]]) > 1e-9 {
						t.Errorf("%s, %s: %s has %v and %s %v", shape, name, g.Name(n), of[n], g.Name(group[0]), of[group[0]])
					}
				}
			}
		}
	}
	// The effective number of samples of [CJLSB19]: with n = 1 and 3 and Beta 0.5 it is 1 and 1.75.
	two, err := taxonomy.New([]string{"a", "b"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	d := &dataset.Dataset{Taxonomy: two, X: &dataset.Matrix{Rows: 4, Cols: 1, Indptr: make([]int, 5)}, Labels: [][]int{{0}, {1}, {1}, {1}}}
	w, err := d.Balanced(dataset.Balance{Beta: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	if got := w.Weights[0] / w.Weights[1]; math.Abs(got-1.75) > 1e-12 {
		t.Errorf("the rare class has %v times the weight of the other; want 1.75", got)
	}
	for _, beta := range []float64{-1, 1, math.NaN()} {
		if _, err := d.Balanced(dataset.Balance{Beta: beta}); err == nil {
			t.Errorf("Beta %v is taken", beta)
		}
	}
	if _, err := example.Dense(example.Graph(10, 3), 10, 3, 1).Balanced(dataset.Balance{ByNode: true}); err == nil {
		t.Error("the nodes of a graph are balanced")
	}
}

// The optimal values of weighted problems are those of scikit-learn and LIBLINEAR, which
// testdata/weights/weights.py has computed.
func TestGoldenWeights(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "weights", "weights.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		X       [][]float64
		Y       []int
		C       float64
		Weights []float64
		Values  map[string]float64
		ByClass map[string]float64 `json:"by class"`
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	settings := solver.Settings{Gap: 1e-7, MaxEpochs: 100000, Workers: 1}
	made := func(x [][]float64, names []string, labels []int, weights []float64) *dataset.Dataset {
		g, err := taxonomy.New(names, nil)
		if err != nil {
			t.Fatal(err)
		}
		sets := make([][]int, len(labels))
		for i, y := range labels {
			sets[i] = []int{y}
		}
		m := mat.NewDense(len(x), len(x[0]), slices.Concat(x...))
		d, err := dataset.FromDense("golden", g, m, sets)
		if err != nil {
			t.Fatal(err)
		}
		d.Weights = weights
		return d
	}
	check := func(k int, name string, e classifier.Estimator, d *dataset.Dataset, want float64) {
		m, err := e.Fit(context.Background(), d)
		if err != nil {
			t.Fatal(err)
		}
		r := m.Training.Certificate
		if slack := 1e-6 * want; r.Dual > want+slack || r.Primal < want-10*slack || r.Primal > want+10*slack {
			t.Errorf("problem %d, %s: the optimum is from %v to %v; want %v", k, name, r.Dual, r.Primal, want)
		}
	}
	for k, in := range cases {
		d := made(in.X, []string{"a", "b", "c"}, in.Y, in.Weights)
		two, weights := make([]int, len(in.Y)), make([]float64, len(in.Y))
		for i, y := range in.Y {
			weights[i] = 3
			if y != 0 {
				two[i], weights[i] = 1, 0.5
			}
		}
		binary := made(in.X, []string{"class", "rest"}, two, weights)
		for _, loss := range []solver.MarginLoss{solver.Hinge, solver.SquaredHinge, solver.Logistic} {
			e := svm.OneVsRest{C: in.C, Loss: loss, Settings: settings}
			check(k, loss.String(), e, d, in.Values[loss.String()])
			check(k, loss.String()+" by class", e.WithC(in.C/100), binary, 2*in.ByClass[loss.String()]) // the rest has the same problem
		}
		check(k, "Crammer and Singer", svm.Flat{C: in.C, Settings: settings}, d, in.Values["CrammerSinger"])
		check(k, "ridge", svm.Ridge{C: in.C, Kernel: gram.Linear{}}, d, in.Values["Ridge"])
	}
	if len(cases) < 6 {
		t.Fatalf("%d problems", len(cases))
	}
}
