package bayes

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// corpus returns documents of random words, which depend on their leaves.
func corpus(t *testing.T, tax *taxonomy.Taxonomy, documentsOfLeaf, words int, seed uint64) *dataset.Dataset {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	var counts [][]float64
	var y []int
	for range documentsOfLeaf {
		for _, leaf := range tax.Leaves() {
			row := make([]float64, words)
			for range 1 + r.IntN(12) {
				w := r.IntN(words)
				if r.IntN(2) == 0 {
					w = (7*leaf + r.IntN(3)) % words
				}
				row[w]++
			}
			counts, y = append(counts, row), append(y, leaf)
		}
	}
	return documents(t, tax, counts, y)
}

// plain is the log probability of the words of a leaf, each document, or each single word, left out
// while the others are counted, by the definition.
func plain(d *dataset.Dataset, path []int, lambda map[int]float64, single bool) float64 {
	t := d.Taxonomy
	below := func(n, leaf int) bool { return n == t.Len() || slices.Contains(t.Ancestors(leaf), n) || n == leaf }
	log := 0.0
	for i, set := range d.Labels {
		if set[0] != path[0] {
			continue
		}
		words, times := d.X.Row(i)
		for k, w := range words {
			p := lambda[-1] / float64(d.X.Cols)
			for depth, n := range path {
				count, total := 0.0, 0.0
				for j, other := range d.Labels {
					if j == i && !single || !below(n, other[0]) || depth > 0 && below(path[depth-1], other[0]) {
						continue
					}
					features, values := d.X.Row(j)
					for l, f := range features {
						total += float64(values[l])
						if f == w {
							count += float64(values[l])
						}
					}
				}
				if depth == 0 && single {
					count, total = count-1, total-1
				}
				if total > 0 {
					p += lambda[n] * count / total
				}
			}
			log += float64(times[k]) * math.Log(p)
		}
	}
	return log
}

// TestCertificateHolds compares what is learned with the definition, on trees, chains and forests:
// Primal is the value of lambda, and no other lambda is better than Dual.
func TestCertificateHolds(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	taxonomies := []*taxonomy.Taxonomy{example.Tree(2, 2), example.Tree(1, 3, 1), example.Tree(4)}
	for k := range 6 {
		taxonomies = append(taxonomies, example.Random(rand.New(rand.NewPCG(uint64(k), 0)), 9, 1+k%3, 1))
	}
	for k, tax := range slices.Concat(taxonomies, taxonomies[:1], taxonomies[:1]) {
		if !tax.IsTree() {
			t.Fatalf("taxonomy %d is no forest", k)
		}
		d := corpus(t, tax, 3, 9, uint64(k))
		single := k%2 == 1
		s, err := Shrinkage{Gap: 1e-3}.settled()
		if err != nil {
			t.Fatal(err)
		}
		p := newPaths(d, nil, single)
		m := newMixture(p)
		for y := range p.leaves {
			m.open(y)
			l := s.learn(t.Context(), m, y)
			if l.status != solver.Converged || !(l.primal-l.dual <= 1e-3*l.primal) {
				t.Errorf("taxonomy %d, leaf %d: %+v", k, y, l)
			}
			path := p.path(tax, y)
			if last := path[len(path)-1]; (len(tax.Roots()) > 1) != (last == tax.Len()) {
				t.Errorf("taxonomy %d with %d roots, leaf %d: path %v", k, len(tax.Roots()), y, path)
			}
			lambda := make(map[int]float64)
			for i, n := range m.nodes {
				lambda[n] = m.lambda[i]
			}
			if log := plain(d, path, lambda, single); !(math.Abs(log+l.primal) <= 1e-9*l.primal) {
				t.Errorf("taxonomy %d, leaf %d: log probability %v, want %v", k, y, -l.primal, log)
			}
			for range 30 {
				sum := 0.0
				for _, n := range m.nodes {
					lambda[n] = math.Pow(r.ExpFloat64(), 3)
					sum += lambda[n]
				}
				for _, n := range m.nodes {
					lambda[n] /= sum
				}
				if log := plain(d, path, lambda, single); -log < l.dual-1e-9 {
					t.Errorf("taxonomy %d, leaf %d: %v undercuts the dual value %v", k, y, -log, l.dual)
				}
			}
		}
	}
}

// TestMultinomialIsAMixture holds that counting every word Alpha times more is shrinking towards
// equal probabilities, with a share of n/(n + Alpha V) for the leaf.
func TestMultinomialIsAMixture(t *testing.T) {
	d := corpus(t, example.Tree(2, 2), 3, 11, 4)
	for _, alpha := range []float64{0, 0.3, 1} {
		model, err := Multinomial{Alpha: alpha}.Fit(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		if alpha == 0 {
			alpha = 1
		}
		m := newMixture(newPaths(d, nil, false))
		for y, leaf := range d.Taxonomy.Leaves() {
			m.open(y)
			clear(m.lambda)
			m.lambda[0] = m.total / (m.total + alpha*float64(d.X.Cols))
			m.lambda[len(m.theta)] = 1 - m.lambda[0]
			weights := model.Weights(leaf)
			for w, got := range weights {
				if want := logarithm(m.probability(w)); !(math.Abs(got-want) <= 1e-6) {
					t.Errorf("leaf %d, word %d: %v, want %v", leaf, w, got, want)
				}
			}
			if want := math.Log(1.0 / 4); math.Abs(model.Constant(leaf)-want) > 1e-12 {
				t.Errorf("leaf %d: constant %v, want %v", leaf, model.Constant(leaf), want)
			}
		}
	}
}

// TestLeavesWithoutDocuments are never predicted, and all others have finite scores.
func TestLeavesWithoutDocuments(t *testing.T) {
	tax := example.Tree(2, 2)
	all := corpus(t, tax, 3, 9, 2)
	without := tax.Leaves()[1]
	var rows []int
	for i, set := range all.Labels {
		if set[0] != without {
			rows = append(rows, i)
		}
	}
	for _, e := range []classifier.Estimator{Shrinkage{}, Multinomial{}} {
		m, err := e.Fit(t.Context(), all.Subset(rows))
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(m.Predict(all.X), without) {
			t.Errorf("%s predicts a leaf without documents", m.Name)
		}
		scores := m.LeafScores(all.X)
		for k, v := range scores.RawMatrix().Data {
			if y := tax.Leaves()[k%len(tax.Leaves())]; math.IsNaN(v) || math.IsInf(v, -1) != (y == without) {
				t.Fatalf("%s: score %v of leaf %d", m.Name, v, y)
			}
		}
	}
}

func TestWorkersDoNotMatter(t *testing.T) {
	d := corpus(t, example.Tree(3, 3), 4, 30, 3)
	one, err := Shrinkage{Workers: 1}.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	many, err := Shrinkage{Workers: 4}.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	a, b := one.Training.Certificate, many.Training.Certificate
	if a.Primal != b.Primal || a.Dual != b.Dual || !slices.Equal(a.Weights.Data, b.Weights.Data) {
		t.Errorf("%v with one worker, %v with four", a, b)
	}
	if a.Status != solver.Converged || !(a.Gap >= 0 && a.Gap <= 1e-4) || !(a.Primal > 0) || a.Epochs == 0 {
		t.Errorf("certificate %v", a)
	}
}

// TestEnds holds that a training that is ended gives what it has so far, with a certificate.
func TestEnds(t *testing.T) {
	d := corpus(t, example.Tree(3, 3), 4, 30, 3)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	enough := errors.New("enough")
	for name, c := range map[string]struct {
		ctx    context.Context
		s      Shrinkage
		is     error
		status solver.Status
	}{
		"cancelled": {ended, Shrinkage{Gap: 1e-12}, context.Canceled, solver.Cancelled},
		"progress":  {t.Context(), Shrinkage{Gap: 1e-12, Workers: 1, Progress: func(float64, string) error { return enough }}, enough, solver.Stopped},
		"steps":     {t.Context(), Shrinkage{Gap: 1e-12, MaxSteps: 3}, nil, solver.MaxEpochs},
	} {
		m, err := c.s.Fit(c.ctx, d)
		if !errors.Is(err, c.is) || m == nil {
			t.Errorf("%s: model %v, error %v; want a model and %v", name, m, err, c.is)
			continue
		}
		if r := m.Training.Certificate; r.Status != c.status || !(r.Dual < r.Primal) {
			t.Errorf("%s: %v, want status %v", name, r, c.status)
		}
	}
	var told []float64
	if _, err := (Shrinkage{Workers: 1, Progress: func(done float64, _ string) error { told = append(told, done); return nil }}).Fit(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	if len(told) != 9 || told[8] != 1 || !slices.IsSorted(told) {
		t.Errorf("told %v", told)
	}
	if m, err := (Multinomial{}).Fit(ended, d); m != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("multinomial: model %v, error %v", m, err)
	}
}

func TestRefuses(t *testing.T) {
	tax := example.Tree(2, 2)
	good := corpus(t, tax, 1, 3, 1)
	leaf := tax.Leaves()[0]
	negative := documents(t, tax, [][]float64{{1, -2, 0}}, []int{leaf})
	inner := documents(t, tax, [][]float64{{1, 2, 0}}, []int{leaf})
	inner.Labels = [][]int{{0}}
	several := documents(t, tax, [][]float64{{1, 2, 0}}, []int{leaf})
	several.Labels = [][]int{tax.Leaves()[:2]}
	outside := documents(t, tax, [][]float64{{1, 2, 0}}, []int{leaf})
	outside.Labels = [][]int{{99}}
	fewer := documents(t, tax, [][]float64{{1, 2, 0}}, []int{leaf})
	fewer.Labels = nil
	none := good.Subset(nil)
	graph := example.Graph(15, 3)
	wide := documents(t, tax, [][]float64{{1, 2}}, []int{leaf})
	wide.X.Cols = math.MaxInt32
	for name, c := range map[string]struct {
		s    Shrinkage
		d    *dataset.Dataset
		says string
	}{
		"nothing":       {Shrinkage{}, nil, "the dataset is nil"},
		"no rows":       {Shrinkage{}, none, "no instances"},
		"no labels":     {Shrinkage{}, fewer, "labels for 0"},
		"negative":      {Shrinkage{}, negative, "value -2 of feature 1"},
		"inner":         {Shrinkage{}, inner, "inner node"},
		"several":       {Shrinkage{}, several, "2 labels"},
		"outside":       {Shrinkage{}, outside, "label 99"},
		"graph":         {Shrinkage{}, corpus(t, graph, 1, 3, 1), "several parents"},
		"wide":          {Shrinkage{}, wide, "choose fewer features"},
		"gap":           {Shrinkage{Gap: math.NaN()}, good, "Gap is NaN"},
		"steps":         {Shrinkage{MaxSteps: -1}, good, "MaxSteps is -1"},
		"workers":       {Shrinkage{Workers: -1}, good, "Workers is -1"},
		"both":          {Shrinkage{HeldOut: good, Words: true}, good, "both set"},
		"held out":      {Shrinkage{HeldOut: negative}, good, "held out"},
		"other columns": {Shrinkage{HeldOut: documents(t, tax, [][]float64{{1}}, []int{leaf})}, good, "other features"},
	} {
		m, err := c.s.Fit(t.Context(), c.d)
		if m != nil || err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one that says %q", name, err, c.says)
		}
	}
	for _, alpha := range []float64{-1, math.Inf(1), math.NaN()} {
		if _, err := (Multinomial{Alpha: alpha}).Fit(t.Context(), good); err == nil {
			t.Errorf("Alpha %v is taken", alpha)
		}
	}
	// Words and documents that say nothing.
	for name, d := range map[string]*dataset.Dataset{
		"one leaf":       documents(t, example.Tree(1), [][]float64{{1, 2}}, example.Tree(1).Leaves()[:1]),
		"empty":          documents(t, tax, [][]float64{{0, 0}, {0, 0}}, tax.Leaves()[:2]),
		"one word":       documents(t, tax, [][]float64{{2}, {1}}, tax.Leaves()[:2]),
		"no whole":       documents(t, tax, [][]float64{{0.1, 0.7}, {0.3, 1e-30}}, tax.Leaves()[:2]),
		"huge":           documents(t, tax, [][]float64{{1e38, 3e38}, {2e38, 1e38}}, tax.Leaves()[:2]),
		"tiny":           documents(t, tax, [][]float64{{1e-40, 3e-40}, {2e-40, 1e-40}}, tax.Leaves()[:2]),
		"same documents": documents(t, tax, [][]float64{{1, 2}, {1, 2}}, []int{leaf, leaf}),
	} {
		m, err := Shrinkage{}.Fit(t.Context(), d)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if r := m.Training.Certificate; r.Status != solver.Converged || math.IsNaN(r.Primal+r.Dual+r.Gap) {
			t.Errorf("%s: %v", name, r)
		}
	}
}
