package clustering_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/clustering"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// scattered returns instances of single labels around a point for each leaf of a taxonomy whose
// leaves have ids that do not follow each other.
func scattered(t *testing.T, n int) *dataset.Dataset {
	t.Helper()
	tree, err := taxonomy.New([]string{"e", "top", "d", "left", "c", "right", "b", "a"},
		[][2]int{{1, 3}, {1, 5}, {3, 7}, {3, 4}, {5, 0}, {5, 2}, {5, 6}})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(2, 3))
	d := &dataset.Dataset{Name: "scattered", Taxonomy: tree, X: &dataset.Matrix{Rows: n, Cols: 4, Indptr: []int{0}}}
	for i := range n {
		k := i % len(tree.Leaves())
		d.Labels = append(d.Labels, []int{tree.Leaves()[k]})
		for f := range d.X.Cols {
			d.X.Indices = append(d.X.Indices, int32(f))
			d.X.Values = append(d.X.Values, float32(rng.NormFloat64()+float64((k*(f+2)*3)%7)/3))
		}
		d.X.Indptr = append(d.X.Indptr, len(d.X.Values))
	}
	return d
}

// TestFlatDoesNotDependOnTheHierarchy evaluates a flat SVM by the true taxonomy, trained with that
// and trained with a learned one: the same measures come out, of parents and distances too.
func TestFlatDoesNotDependOnTheHierarchy(t *testing.T) {
	d := scattered(t, 120)
	ctx := context.Background()
	direct, err := svm.Flat{}.Fit(ctx, d)
	if err != nil {
		t.Fatal(err)
	}
	want, err := metric.Evaluate(direct, d)
	if err != nil {
		t.Fatal(err)
	}
	for name, fit := range map[string]func(context.Context, *dataset.Dataset) (*clustering.Translated, error){
		"automatic":     clustering.Automatic{Estimator: svm.Flat{}}.Fit,
		"co-occurrence": clustering.Automatic{Estimator: svm.Flat{}, CoOccurrence: true, Cuts: []clustering.Cut{clustering.Number(2), clustering.Number(4)}}.Fit,
		"balanced":      clustering.Balanced{Estimator: &svm.Flat{}, Largest: 2, Seed: 4}.Fit,
		"random":        clustering.Randomized{Estimator: &svm.Flat{}, Seed: 4}.Fit,
		"function":      clustering.Randomized{Estimator: function(svm.Flat{}.Fit), OneChildEach: true}.Fit,
	} {
		learned, err := fit(ctx, d)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		checkFlat(t, name, learned, direct, want, d)
	}
}

// checkFlat compares a flat SVM under another hierarchy with that under the true one.
func checkFlat(t *testing.T, name string, learned *clustering.Translated, direct interface{ Predict(*dataset.Matrix) []int }, want *metric.Report, d *dataset.Dataset) {
	t.Helper()
	if learned.From == d.Taxonomy || learned.To != d.Taxonomy {
		t.Errorf("%s: the model was not trained with another taxonomy and translated", name)
	}
	got, err := metric.Evaluate(learned, d)
	if err != nil {
		t.Fatal(err)
	}
	if want.Accuracy > 0.99 || want.Accuracy < 0.4 {
		t.Fatalf("accuracy %v of the flat SVM tells nothing", want.Accuracy)
	}
	for _, m := range []string{"accuracy", "parent accuracy", "tree loss", "average precision", "micro F1", "hierarchical F1"} {
		a, okA := got.Value(m)
		b, okB := want.Value(m)
		if !okA || !okB || math.Abs(a-b) > 1e-9 {
			t.Errorf("%s: %s is %v, want %v", name, m, a, b)
		}
	}
	predicted, err := learned.Predict(d.X)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(predicted, direct.Predict(d.X)) {
		t.Errorf("%s: predictions %v, want %v", name, predicted, direct.Predict(d.X))
	}
	if !strings.Contains(learned.String(), "trained with a taxonomy") || !strings.Contains(learned.HTML(), "trained with a taxonomy") {
		t.Errorf("does not say what it was translated from:\n%s", learned)
	}
}

// function is an estimator.
type function func(context.Context, *dataset.Dataset) (*classifier.Model, error)

func (f function) Fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	return f(ctx, d)
}

// scores is a model of given scores.
type scores struct{ values [][]float64 }

func (s scores) LeafScores(x *dataset.Matrix) *mat.Dense {
	m := mat.NewDense(len(s.values), len(s.values[0]), nil)
	for i, row := range s.values {
		m.SetRow(i, row)
	}
	return m
}

// decisions is a model that decides for all leaves with positive scores.
type decisions struct {
	scores
	leaves []int
}

func (s decisions) Decide(x *dataset.Matrix, m *mat.Dense) ([][]int, error) {
	sets := make([][]int, x.Rows)
	for i := range sets {
		for k, leaf := range s.leaves {
			if m.At(i, k) > 0 {
				sets[i] = append(sets[i], leaf)
			}
		}
	}
	return sets, nil
}

func TestTranslate(t *testing.T) {
	to, err := taxonomy.New([]string{"a", "b", "c", "top"}, [][2]int{{3, 0}, {3, 1}, {3, 2}})
	if err != nil {
		t.Fatal(err)
	}
	from, err := taxonomy.New([]string{"x", "c", "a"}, [][2]int{{0, 1}, {0, 2}})
	if err != nil {
		t.Fatal(err)
	}
	x := &dataset.Matrix{Rows: 2, Cols: 0, Indptr: []int{0, 0, 0}}
	given := scores{[][]float64{{3, 2}, {-1, 4}}} // of c and a
	infinite := math.Inf(-1)
	for name, c := range map[string]struct {
		model   clustering.Scorer
		sets    [][]int
		predict []int
	}{
		"scores": {given, [][]int{{2}, {0}}, []int{2, 0}},
		"sets":   {decisions{given, from.Leaves()}, [][]int{{0, 2}, {0}}, []int{2, 0}},
	} {
		m, err := clustering.Translate(c.model, from, to)
		if err != nil {
			t.Fatal(err)
		}
		got := m.LeafScores(x)
		if want := mat.NewDense(2, 3, []float64{2, infinite, 3, 4, infinite, -1}); !mat.Equal(got, want) {
			t.Errorf("%s: scores\n%v, want\n%v", name, mat.Formatted(got), mat.Formatted(want))
		}
		sets, err := m.Decide(x, got)
		if err != nil || !reflect.DeepEqual(sets, c.sets) {
			t.Errorf("%s: sets %v, want %v; error %v", name, sets, c.sets, err)
		}
		predicted, err := m.Predict(x)
		if err != nil || !slices.Equal(predicted, c.predict) {
			t.Errorf("%s: predicted %v, want %v; error %v", name, predicted, c.predict, err)
		}
		if m.CheckTaxonomy(to) != nil || m.CheckTaxonomy(from) == nil || m.CheckTaxonomy(nil) == nil {
			t.Errorf("%s: CheckTaxonomy takes the wrong taxonomy", name)
		}
	}
	if _, err := clustering.Translate(given, to, from); err == nil || !strings.Contains(err.Error(), `"b"`) {
		t.Errorf("leaf that the other does not have: error %v", err)
	}
	if _, err := clustering.Translate(nil, from, to); err == nil {
		t.Error("no model: no error")
	}
	m, err := clustering.Translate(decisions{given, []int{0, 1}}, from, to)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Predict(x); err == nil {
		t.Error("decision for an inner node: no error")
	}
	if _, err := m.Predict(nil); err == nil {
		t.Error("no matrix: no error")
	}
}

func TestAutomaticRefuses(t *testing.T) {
	d := scattered(t, 10)
	because := errors.New("no")
	ctx := context.Background()
	fails := function(func(context.Context, *dataset.Dataset) (*classifier.Model, error) { return nil, because })
	for name, c := range map[string]struct {
		estimator classifier.Estimator
		data      *dataset.Dataset
		cuts      []clustering.Cut
		want      string
	}{
		"no estimator":  {nil, d, nil, "no estimator"},
		"no data":       {svm.Flat{}, nil, nil, "needs"},
		"its own error": {fails, d, nil, "no"},
		"no such cut":   {svm.Flat{}, d, []clustering.Cut{{By: "hand"}}, "no rule"},
	} {
		m, err := clustering.Automatic{Estimator: c.estimator, Cuts: c.cuts}.Fit(ctx, c.data)
		if err == nil || m != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, error %v, want one with %q", name, m, err, c.want)
		}
	}
	if _, err := (clustering.Automatic{Estimator: fails}).Fit(ctx, d); !errors.Is(err, because) {
		t.Errorf("error %v, want that of the estimator", err)
	}
	half := function(func(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
		m, err := svm.Flat{}.Fit(ctx, d)
		return m, errors.Join(err, because)
	})
	if m, err := (clustering.Randomized{Estimator: half}).Fit(ctx, d); m == nil || !errors.Is(err, because) {
		t.Errorf("%v, error %v; want the model so far with the error", m, err)
	}
}
