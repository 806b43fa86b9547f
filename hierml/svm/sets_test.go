package svm_test

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// separable returns instances with one feature a leaf, 1 for the leaves of their label set.
func separable(r *rand.Rand, g *taxonomy.Taxonomy, rows int) *dataset.Dataset {
	leaves := g.Leaves()
	x := &dataset.Matrix{Rows: rows, Cols: len(leaves), Indptr: []int{0}}
	labels := make([][]int, rows)
	for i := range labels {
		for k, l := range leaves {
			if r.IntN(3) == 0 || len(labels[i]) == 0 && k == len(leaves)-1 {
				labels[i] = append(labels[i], l)
				x.Indices, x.Values = append(x.Indices, int32(k)), append(x.Values, 1)
			}
		}
		x.Indptr = append(x.Indptr, len(x.Values))
	}
	return &dataset.Dataset{Name: "separable", Taxonomy: g, X: x, Labels: labels}
}

func TestLabelSetsAreLearned(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for name, g := range map[string]*taxonomy.Taxonomy{
		"tree": example.Tree(2, 3), "forest": example.Random(r, 14, 3, 1), "graph": example.Random(r, 16, 2, 3),
	} {
		d := separable(r, g, 60)
		for _, estimator := range []fitter{
			svm.Hierarchical{C: 300, Settings: solver.Settings{Gap: 1e-4}}, svm.Normalized{C: 300, Settings: solver.Settings{Gap: 1e-4}},
		} {
			m, err := estimator.Fit(context.Background(), d)
			if err != nil {
				t.Fatal(err)
			}
			if m.Training.Status != solver.Converged {
				t.Errorf("%s: %v: %v", name, m.Name, m.Training.Certificate)
			}
			predicted, err := m.LabelSets(d.X)
			if err != nil {
				t.Fatal(err)
			}
			var file bytes.Buffer
			if err := m.Write(&file, classifier.Format{}); err != nil {
				t.Fatal(err)
			}
			loaded, err := classifier.Read(bytes.NewReader(file.Bytes()), int64(file.Len()))
			if err != nil {
				t.Fatal(err)
			}
			if again, err := loaded.LabelSets(d.X); err != nil || !reflect.DeepEqual(again, predicted) {
				t.Errorf("%s: %v: other sets after a way through a file, error %v", name, m.Name, err)
			}
			for i, set := range predicted {
				if !slices.Equal(set, d.Labels[i]) {
					t.Errorf("%s: %v: row %d has labels %v, predicted %v", name, m.Name, i, d.Labels[i], set)
				}
			}
		}
	}
}

// With one label an instance and equal attributes the sets contain the single labels, so that their
// problem is no easier.
func TestSetsOfSingleLabelsAreNoEasier(t *testing.T) {
	g := example.Tree(2, 3)
	d := example.Dense(g, 40, 5, 3)
	fit := func(sets bool) float64 {
		m, err := svm.Normalized{Sets: sets, Loss: twice{}, Settings: solver.Settings{Gap: 1e-6}}.Fit(context.Background(), d)
		if err != nil {
			t.Fatal(err)
		}
		return m.Training.Certificate.Primal
	}
	if single, sets := fit(false), fit(true); sets < single*(1-1e-6) {
		t.Errorf("optimum of sets %v, of their singletons alone %v", sets, single)
	}
}

// twice is the loss in the number of leaves, between single ones.
type twice struct{}

func (twice) Cost(truth, predicted int) float64 {
	if truth == predicted {
		return 0
	}
	return 2
}

func TestLabelSetsRefuse(t *testing.T) {
	g := example.Tree(2, 3)
	d := example.Dense(g, 20, 4, 1)
	m := fit(t, svm.Hierarchical{}, d)
	d.X.Values[3] = float32(math.Inf(1))
	if sets, err := m.LabelSets(d.X); sets != nil || err == nil || !strings.Contains(err.Error(), "row 0") {
		t.Errorf("label sets %v, error %v for an infinite value; want one about row 0", sets, err)
	}
	uneven, err := taxonomy.FromPaths([]string{"a/b/c/f", "a/b/c/g", "a/b/d", "a/e"}, "/")
	if err != nil {
		t.Fatal(err)
	}
	byDepth, err := structured.InvSqrtDepth(uneven)
	if err != nil {
		t.Fatal(err)
	}
	m = fit(t, svm.Hierarchical{Attributes: byDepth}, example.Dense(uneven, 20, 4, 1))
	if sets, err := m.LabelSets(d.X); sets != nil || err == nil || !strings.Contains(err.Error(), "label sets need one value per node") {
		t.Errorf("label sets %v, error %v where a node has several values", sets, err)
	}
}

// TestEvaluateDecisions evaluates models by what they predict: sets, and leaves that they descend
// to.
func TestEvaluateDecisions(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	g := example.Tree(2, 3)
	d := separable(r, g, 60)
	sets, err := svm.Hierarchical{C: 300, Settings: solver.Settings{Gap: 1e-4}}.Fit(context.Background(), d)
	if err != nil {
		t.Fatal(err)
	}
	report, err := metric.Evaluate(sets, d)
	if err != nil {
		t.Fatal(err)
	}
	if report.MicroF1 != 1 || report.HierarchicalF1 != 1 {
		t.Errorf("sets that are all right are evaluated as\n%v", report)
	}
	for i, set := range d.Labels {
		d.Labels[i] = set[:1]
	}
	for k := range d.X.Values {
		d.X.Values[k] = float32(r.NormFloat64())
	}
	recursive, err := svm.Recursive{}.Fit(context.Background(), d)
	if err != nil {
		t.Fatal(err)
	}
	if report, err = metric.Evaluate(recursive, d); err != nil {
		t.Fatal(err)
	}
	right, highest := 0, 0
	scores := recursive.LeafScores(d.X)
	for i, p := range recursive.Predict(d.X) {
		if p == d.Labels[i][0] {
			right++
		}
		if g.Leaves()[structured.Argmax(scores.RawRowView(i))] == p {
			highest++
		}
	}
	if want := float64(right) / 60; math.Abs(report.Accuracy-want) > 1e-12 {
		t.Errorf("accuracy %v of predictions of which %v are right", report.Accuracy, want)
	}
	if highest == 60 {
		t.Error("all predictions have the highest score: the test shows nothing")
	}
}

// TestTaxonomyOfAnotherPart evaluates on data whose inner labels were moved to leaves without those
// of the training data.
func TestTaxonomyOfAnotherPart(t *testing.T) {
	g := example.Tree(2, 3)
	train, test := example.Texts(g, 60, 50, 10, 1), example.Texts(g, 60, 50, 10, 2)
	inner := g.Children(g.Roots()[0])
	train.Labels[0], test.Labels[0] = []int{inner[0]}, []int{inner[1]}
	together, err := (&dataset.Collection{Train: train, Test: test}).Leafed()
	if err != nil {
		t.Fatal(err)
	}
	m := fit(t, svm.Flat{}, together.Train)
	if _, err := metric.Evaluate(m, together.Test); err != nil {
		t.Error(err)
	}
	for name, d := range map[string]*dataset.Dataset{"training data": train, "test data": test} {
		alone, err := d.Leafed()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := metric.Evaluate(fit(t, svm.Flat{}, alone), together.Test); err == nil || !strings.Contains(err.Error(), "Collection.Leafed") {
			t.Errorf("model of %s alone: error %v", name, err)
		}
	}
	if m.CheckTaxonomy(nil) == nil {
		t.Error("no taxonomy: no error")
	}
	if err := m.CheckTaxonomy(g); err == nil || !strings.Contains(err.Error(), "is a leaf") && !strings.Contains(err.Error(), "nodes") {
		t.Errorf("without the miscellaneous leaves: error %v", err)
	}
}

// TestFewSets compares instances with one label with leaves where few instances have several, which
// are compared with sets.
func TestFewSets(t *testing.T) {
	for _, g := range []*taxonomy.Taxonomy{example.Random(rand.New(rand.NewPCG(8, 10)), 16, 2, 3), example.Tree(2, 3)} {
		one := example.Dense(g, 40, 5, 3)
		few := *one
		few.Labels = slices.Clone(one.Labels)
		leaves := g.Leaves()
		for _, i := range []int{3, 17} {
			few.Labels[i] = []int{leaves[0], leaves[len(leaves)-1]}
		}
		for _, e := range []struct{ single, sets fitter }{
			{svm.Hierarchical{}, svm.Hierarchical{Sets: true}}, {svm.Normalized{}, svm.Normalized{Sets: true}},
		} {
			if c := fit(t, e.single, one).Problem.Competitors; !isType[*structured.Labels](c) {
				t.Errorf("%T of one label an instance: %T", e.single, c)
			}
			if c := fit(t, e.sets, &few).Problem.Competitors; !isType[*structured.Sets](c) {
				t.Errorf("%T with Sets: %T", e.sets, c)
			}
			m := fit(t, e.single, &few)
			if c := m.Problem.Competitors; !isType[*structured.Mixed](c) {
				t.Errorf("%T of few sets: %T", e.single, c)
			}
			heavy := few
			heavy.Weights = slices.Repeat([]float64{1}, few.Len())
			heavy.Weights[3] = 5
			if c := fit(t, e.single, &heavy).Problem.Competitors; !isType[*structured.Sets](c) {
				t.Errorf("%T of sets with a large weight: %T", e.single, c)
			}
			if m.Rule != classifier.BestSet || m.Training.Status != solver.Converged {
				t.Errorf("%T: rule %v, %v", e.single, m.Rule, m.Training.Certificate)
			}
			unlabelled := few
			unlabelled.Labels = slices.Clone(few.Labels)
			unlabelled.Labels[30] = nil
			if m, err := e.single.Fit(t.Context(), &unlabelled); m != nil || err == nil || !strings.Contains(err.Error(), "row 30 has no labels") {
				t.Errorf("%T: model %v, error %v", e.single, m, err)
			}
		}
	}
}

func isType[T any](c structured.Competitors) bool { _, is := c.(T); return is }
