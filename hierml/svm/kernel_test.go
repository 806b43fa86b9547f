package svm_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// The same problem with weights, with the linear kernel and with a matrix of inner products has the
// same scores, for instances that it was trained on and for others.
func TestLinearKernelIsTheLinearModel(t *testing.T) {
	g := example.Tree(2, 3)
	d := several(g, 40, 6, 3)
	for i := range d.Labels {
		d.Labels[i] = d.Labels[i][:1]
	}
	more := several(g, 40, 6, 3) // the same rows, several labels
	other := example.Dense(g, 20, 6, 4)
	all := &dataset.Matrix{Rows: 60, Cols: 6, Indptr: append([]int(nil), d.X.Indptr...)}
	all.Indices = append(append(all.Indices, d.X.Indices...), other.X.Indices...)
	all.Values = append(append(all.Values, d.X.Values...), other.X.Values...)
	for _, border := range other.X.Indptr[1:] {
		all.Indptr = append(all.Indptr, d.X.NonZeros()+border)
	}
	products, err := gram.Matrix(context.Background(), gram.Linear{}, all, nil)
	if err != nil {
		t.Fatal(err)
	}
	given, err := gram.NewGiven(products)
	if err != nil {
		t.Fatal(err)
	}
	numbers := gram.Numbers(60)
	var first, second []int
	for i := range 60 {
		if i < 40 {
			first = append(first, i)
		} else {
			second = append(second, i)
		}
	}
	set := solver.Settings{Gap: 1e-7, MaxEpochs: 2000}
	for name, c := range map[string]struct {
		fit  func(k gram.Kernel) classifier.Estimator
		data *dataset.Dataset
	}{
		"flat":                 {func(k gram.Kernel) classifier.Estimator { return svm.Flat{C: 0.1, Kernel: k, Settings: set} }, d},
		"flat, several labels": {func(k gram.Kernel) classifier.Estimator { return svm.Flat{C: 0.1, Kernel: k, Settings: set} }, more},
		"hierarchical":         {func(k gram.Kernel) classifier.Estimator { return svm.Hierarchical{C: 0.1, Kernel: k, Settings: set} }, d},
		"slack": {func(k gram.Kernel) classifier.Estimator {
			return svm.Hierarchical{C: 0.1, Kernel: k, Settings: set, Rescaling: structured.Slack}
		}, more},
	} {
		t.Run(name, func(t *testing.T) {
			linear := fit(t, c.fit(nil), c.data)
			for name, k := range map[string]struct {
				kernel   gram.Kernel
				old, new *dataset.Matrix
			}{
				"kernel": {gram.Linear{}, d.X, other.X},
				"given":  {given, numbers.Subset(first), numbers.Subset(second)},
			} {
				data := *c.data
				data.X = k.old
				m := fit(t, c.fit(k.kernel), &data)
				if !mat.EqualApprox(m.LeafScores(k.old), linear.LeafScores(d.X), 3e-3) || !mat.EqualApprox(m.LeafScores(k.new), linear.LeafScores(other.X), 3e-3) {
					t.Errorf("%s: other leaf scores than the linear model's", name)
				}
				if !mat.EqualApprox(m.NodeScores(k.new), linear.NodeScores(other.X), 3e-3) {
					t.Errorf("%s: other node scores than the linear model's", name)
				}
				if m.Weights(1) != nil || m.Features() != k.old.Cols || !strings.Contains(m.String(), "support") {
					t.Errorf("%s: %v has weights", name, m)
				}
				if err := m.Check(k.new); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
}

func TestKernelModelsCheckWhatTheyAreGiven(t *testing.T) {
	d := example.Dense(example.Tree(2, 2), 20, 3, 1)
	for name, k := range map[string]gram.Kernel{
		"gamma": gram.RBF{Gamma: -1}, "no function": gram.Func(nil), "nothing given": gram.Given{},
		"negative":   gram.Func(func(a, b gram.Vector) float64 { return -a.Dot(b) }),
		"not finite": gram.Func(func(a, b gram.Vector) float64 { return math.Inf(1) }),
	} {
		if m, err := (svm.Flat{Kernel: k}).Fit(context.Background(), d); err == nil || m != nil {
			t.Errorf("%s: no error", name)
		}
	}
	products, err := gram.Matrix(context.Background(), gram.RBF{}, d.X, nil)
	if err != nil {
		t.Fatal(err)
	}
	given, err := gram.NewGiven(products)
	if err != nil {
		t.Fatal(err)
	}
	numbered := *d
	numbered.X = gram.Numbers(20)
	m := fit(t, svm.Flat{Kernel: given}, &numbered)
	strange := gram.Numbers(20)
	strange.Values[3] = 2
	if err := m.Check(strange); err == nil {
		t.Error("row 3 is no number")
	}
	if !math.IsNaN(m.LeafScores(strange).At(3, 0)) || len(m.Predict(strange)) != 20 {
		t.Error("row 3 has a score")
	}
	if _, err := m.LeafScoresOf(mat.NewDense(2, 19, nil)); err == nil {
		t.Error("19 kernel values for 20 instances")
	}
	if _, err := fit(t, svm.Flat{}, d).LeafScoresOf(mat.NewDense(2, 20, nil)); err == nil {
		t.Error("a linear model has no kernel")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := (svm.Flat{Kernel: gram.RBF{}}).Fit(ctx, d); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want the context's error", err)
	}
	bound := svm.Hierarchical{Kernel: gram.RBF{}, Settings: solver.Settings{Gap: 1e-9, MaxEpochs: 2}}
	best := fit(t, svm.Hierarchical{Kernel: gram.RBF{}, Settings: solver.Settings{Gap: 1e-6}}, d).Training.Certificate
	if r := fit(t, bound, d).Training.Certificate; r.Dual > best.Primal || r.Primal < best.Dual || r.Status != solver.MaxEpochs {
		t.Errorf("%v, optimum between %v and %v", r, best.Dual, best.Primal)
	}
	other := example.Tree(2, 2)
	if _, err := (svm.Hierarchical{Attributes: structured.Ancestors(other)}).Fit(context.Background(), d); err == nil {
		t.Error("attributes of another taxonomy")
	}
}

// Sequences are learned from by the numbers of a Gram matrix over those to train with and those to
// predict for.
func ExampleFlat_sequences() {
	g, err := taxonomy.New([]string{"word", "number"}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	var texts [][]rune
	for _, s := range []string{"hierarchy", "archive", "monarch", "314159", "271828", "141421", "architect", "141592"} {
		texts = append(texts, []rune(s))
	}
	ctx := context.Background()
	values, err := gram.Sequences(ctx, gram.Subsequence{Length: 2}, texts, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	kernel, err := gram.NewGiven(values)
	if err != nil {
		fmt.Println(err)
		return
	}
	all := &dataset.Dataset{Name: "sequences", Taxonomy: g, X: gram.Numbers(8), Labels: [][]int{{0}, {0}, {0}, {1}, {1}, {1}, {0}, {1}}}
	model, err := svm.Flat{Kernel: kernel}.Fit(ctx, all.Subset([]int{0, 1, 2, 3, 4, 5}))
	if err != nil {
		fmt.Println(err)
		return
	}
	test := all.Subset([]int{6, 7})
	report, err := metric.Evaluate(model, test)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(model.Predict(test.X), report.Accuracy)
	// Output: [0 1] 1
}
