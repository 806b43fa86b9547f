package classifier_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/synthetic"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// unevenForest has leaves at all depths, and nodes with one child.
func unevenForest() *taxonomy.Taxonomy {
	return example.Random(rand.New(rand.NewPCG(3, 3)), 60, 3, 1)
}

func TestAWideBeamFindsTheBest(t *testing.T) {
	for name, g := range map[string]*taxonomy.Taxonomy{"tree": example.Tree(3, 4, 3), "forest": unevenForest(), "one inner path": example.Tree(1, 1, 4)} {
		d := example.Texts(g, 200, 300, 15, 1)
		estimators := []classifier.Estimator{svm.Hierarchical{}, svm.Normalized{}, svm.Recursive{}, svm.PLT{}, svm.PLT{Link: classifier.CubedHinge}, svm.HierarchicalSoftmax{}}
		if name == "one inner path" { // where the leaves alone need weights
			estimators = append(estimators, svm.Flat{}, svm.OneVsRest{}, svm.PLT{Policy: svm.Exclusive}, svm.PLT{Policy: svm.LessExclusive}, svm.PLT{Policy: svm.ExclusiveSiblings, Link: classifier.CubedHinge})
		}
		for _, e := range estimators {
			m, err := e.Fit(context.Background(), d)
			if err != nil {
				t.Fatal(err)
			}
			b, err := m.NewBeam(g.Len())
			if err != nil {
				t.Fatal(name, err)
			}
			for _, k := range []int{0, 1, 5, 1000} {
				want := m.Rank(d.X, k)
				for i, got := range b.Rank(d.X, k) {
					if !slices.EqualFunc(got, want[i], func(a, b classifier.Ranked) bool {
						return a.Node == b.Node && (a.Score == b.Score || math.Abs(a.Score-b.Score) < 1e-5*max(1, -b.Score))
					}) {
						t.Fatalf("%s: row %d: %v; want %v", name, i, got, want[i])
					}
				}
			}
			// A narrow one finds fewer, but never a score that is not the leaf's.
			narrow, err := m.NewBeam(1)
			if err != nil {
				t.Fatal(err)
			}
			right := 0
			predicted, all := m.Predict(d.X), m.Rank(d.X, g.Len())
			for i, got := range narrow.Rank(d.X, 1) {
				at := slices.IndexFunc(all[i], func(r classifier.Ranked) bool { return r.Node == got[0].Node })
				if s := all[i][at].Score; math.Abs(s-got[0].Score) > 1e-5*max(1, -s) {
					t.Errorf("%s: row %d: %v; the score is %v", name, i, got, s)
				}
				if narrow.Predict(d.X.Subset([]int{i}))[0] == predicted[i] {
					right++
				}
			}
			if right < 80 {
				t.Errorf("%s: a beam of width 1 finds %d of 200", name, right)
			}
		}
		m, err := svm.Recursive{}.Fit(context.Background(), d)
		if err != nil {
			t.Fatal(err)
		}
		b, err := m.NewBeam(1)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(b.Predict(d.X), m.Predict(d.X)) {
			t.Errorf("%s: the beam of a recursive model predicts otherwise", name)
		}
	}
}

func TestBeamRefuses(t *testing.T) {
	tree, graph := example.Tree(2, 3), example.Graph(12, 3)
	fit := func(e classifier.Estimator, g *taxonomy.Taxonomy) *classifier.Model {
		m, err := e.Fit(context.Background(), example.Dense(g, 30, 3, 1))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	for name, c := range map[string]struct {
		m     *classifier.Model
		width int
		says  string
	}{
		"no width": {fit(svm.Hierarchical{}, tree), 0, "width of the beam is 0"},
		"DAG":      {fit(svm.Hierarchical{}, graph), 3, "several parents"},
		"flat":     {fit(svm.Flat{}, tree), 3, "scores of inner nodes"},
	} {
		if b, err := c.m.NewBeam(c.width); b != nil || err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, %v", name, b, err)
		}
	}
	if _, err := fit(svm.Flat{}, example.Tree(4)).NewBeam(1); err != nil {
		t.Errorf("a tree of leaves below a root: %v", err)
	}
}

// large returns the taxonomy and rows of a problem of DMOZ's size, and a model with random weights,
// of which a feature that is in more rows has more.
func large(b *testing.B) (*classifier.Model, *dataset.Matrix) {
	g := synthetic.DMOZLike()
	g.Train, g.Test = 20000, 2000
	data, err := g.Generate(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	t := data.Train.Taxonomy
	ones := make([]float64, t.Len())
	for n := range ones {
		ones[n] = 1
	}
	a, err := structured.SqrtAlpha(t, ones)
	if err != nil {
		b.Fatal(err)
	}
	features := data.Train.X.Cols
	often := make([]float64, features)
	for _, f := range data.Train.X.Indices {
		often[f]++
	}
	rng := rand.New(rand.NewPCG(1, 1))
	w := &structured.SparseWeights{Columns: a.Columns(), Begin: make([]int, features+1)}
	for f := range features {
		share := 0.4 * (1 - math.Exp(-often[f]/200)) // rises with the rows that have the feature
		for c := 0; share > 0; c++ {
			c += int(rng.ExpFloat64() / -math.Log1p(-share))
			if c >= len(w.Columns) {
				break
			}
			w.Column = append(w.Column, int32(c))
			w.Values = append(w.Values, float32(rng.NormFloat64()))
		}
		w.Begin[f+1] = len(w.Values)
	}
	m := classifier.NewSparse(a, w, classifier.Training{}, data.Train)
	m.Workers = 1
	b.Logf("%d of %d weights, %.1f features a row", len(w.Values), features*len(w.Columns), float64(data.Test.X.NonZeros())/float64(data.Test.Len()))
	return m, data.Test.X
}

func BenchmarkPredictLarge(b *testing.B) {
	m, x := large(b)
	perRow := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*x.Rows), "ns/row")
	}
	b.Run("sparse", func(b *testing.B) {
		for b.Loop() {
			m.Predict(x)
		}
		perRow(b)
	})
	// All weights of fewer features take as long a row, if they are more than the cache holds.
	const features = 8192
	rng := rand.New(rand.NewPCG(2, 2))
	w := structured.NewWeights(m.Attributes().Columns(), features)
	for k := range w.Data {
		w.Data[k] = float32(rng.NormFloat64())
	}
	all := classifier.New(m.Attributes(), w, classifier.Training{}, &dataset.Dataset{X: x})
	all.Workers = 1
	folded := &dataset.Matrix{Rows: x.Rows, Cols: features, Indptr: []int{0}}
	for i := range x.Rows {
		indices, values := x.Row(i)
		row := make(map[int32]float32)
		for k, f := range indices {
			row[f%features] = values[k]
		}
		for _, f := range slices.Sorted(maps.Keys(row)) {
			folded.Indices, folded.Values = append(folded.Indices, f), append(folded.Values, row[f])
		}
		folded.Indptr = append(folded.Indptr, len(folded.Values))
	}
	b.Run("dense", func(b *testing.B) {
		for b.Loop() {
			all.Predict(folded)
		}
		perRow(b)
	})
	all, w, folded = nil, nil, nil
	for _, width := range []int{1, 5, 10, 20, 50} {
		beam, err := m.NewBeam(width)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("beam of %d", width), func(b *testing.B) {
			for b.Loop() {
				beam.Predict(x)
			}
			perRow(b)
		})
	}
}

func TestABeamAddsConstants(t *testing.T) {
	d := example.Texts(example.Tree(3, 4), 50, 300, 15, 1)
	m, err := svm.Hierarchical{}.Fit(context.Background(), d)
	if err != nil {
		t.Fatal(err)
	}
	w := m.Training.Certificate.Weights
	constants := make([]float64, len(w.Columns))
	for c := range constants {
		constants[c] = math.Sin(float64(c))
	}
	if m, err = classifier.NewConstant(m.Attributes(), w, constants, m.Training, d); err != nil {
		t.Fatal(err)
	}
	b, err := m.NewBeam(100)
	if err != nil {
		t.Fatal(err)
	}
	want := m.Rank(d.X, 12)
	for i, got := range b.Rank(d.X, 12) {
		if !slices.EqualFunc(got, want[i], func(a, b classifier.Ranked) bool { return a.Node == b.Node && math.Abs(a.Score-b.Score) < 1e-5 }) {
			t.Fatalf("row %d: %v; want %v", i, got, want[i])
		}
	}
	if _, err := classifier.NewConstant(m.Attributes(), w, constants[1:], m.Training, d); err == nil {
		t.Error("too few constants are no error")
	}
}
