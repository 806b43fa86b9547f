package conformal_test

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/conformal"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// world draws instances whose labels have one distribution, and whose model believes another.
type world struct {
	t    *taxonomy.Taxonomy
	rng  *rand.Rand
	wild float64 // how far the model is from the truth
}

func (w world) draw(n int) (believed *mat.Dense, labels []int) {
	q := len(w.t.Leaves())
	believed, labels = mat.NewDense(n, q, nil), make([]int, n)
	for i := range n {
		row, truth := believed.RawRowView(i), make([]float64, q)
		var sum, all float64
		for y := range q {
			z := 2 * w.rng.NormFloat64()
			truth[y] = math.Exp(z) * float64((y+1)*(y+1))
			row[y] = math.Exp(2*z + w.wild*w.rng.NormFloat64())
			sum, all = sum+truth[y], all+row[y]
		}
		at := w.rng.Float64() * sum
		for y := range q {
			row[y] /= all
			if at -= truth[y]; at < 0 && labels[i] == 0 {
				labels[i] = w.t.Leaves()[y] + 1
			}
		}
		labels[i]--
	}
	return believed, labels
}

func worlds(seed uint64) map[string]world {
	rng := rand.New(rand.NewPCG(seed, 1))
	return map[string]world{
		"tree": {example.Tree(3, 3), rng, 0}, "wrong model": {example.Tree(2, 2, 2), rng, 3}, "graph": {example.Graph(12, 3), rng, 1}, "flat": {example.Tree(6), rng, 1},
	}
}

// TestCoverage draws held-out instances and new ones again and again: of the new ones as many are
// covered as is promised, whatever the model.
func TestCoverage(t *testing.T) {
	const draws, held, fresh = 1500, 25, 2
	for name, w := range worlds(1) {
		for _, s := range []conformal.Settings{{}, {Nodes: 1}, {Nodes: 3, Coverage: 0.8}, {Coverage: 0.5, Nodes: 1}} {
			want := cmp.Or(s.Coverage, 0.9)
			covered, leaves, total := 0.0, 0.0, 0.0
			for range draws {
				p, labels := w.draw(held)
				sets, err := s.LearnProbabilities(t.Context(), w.t, p, labels)
				if err != nil {
					t.Fatal(err)
				}
				p, labels = w.draw(fresh)
				found, err := sets.PredictProbabilities(t.Context(), p)
				if err != nil {
					t.Fatal(err)
				}
				for i, set := range found {
					total++
					leaves += float64(len(set.Leaves))
					if slices.Contains(set.Leaves, labels[i]) {
						covered++
					}
				}
			}
			// Both instances of a draw have the same held-out ones: as if there were half as many.
			if least := want - 4*math.Sqrt(want*(1-want)/draws); covered/total < least {
				t.Errorf("%s, %+v: %v covered; want %v at least", name, s, covered/total, least)
			}
			if q := float64(len(w.t.Leaves())); leaves/total > 0.97*q && !(s.Nodes == 1 && name == "flat") {
				t.Errorf("%s, %+v: sets have %v of %v leaves: they say nothing", name, s, leaves/total, q)
			}
		}
	}
}

// TestCoverageByClass looks at each class: without ByClass the rare ones are covered less.
func TestCoverageByClass(t *testing.T) {
	const draws = 400
	w := world{example.Tree(2, 3), rand.New(rand.NewPCG(3, 1)), 1}
	least := func(s conformal.Settings) float64 {
		covered, of := make(map[int]float64), make(map[int]float64)
		for range draws {
			p, labels := w.draw(120)
			sets, err := s.LearnProbabilities(t.Context(), w.t, p, labels)
			if err != nil {
				t.Fatal(err)
			}
			p, labels = w.draw(30)
			found, err := sets.PredictProbabilities(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			for i, set := range found {
				of[labels[i]]++
				if slices.Contains(set.Leaves, labels[i]) {
					covered[labels[i]]++
				}
			}
		}
		share := 1.0
		for leaf, n := range of {
			share = min(share, covered[leaf]/n)
		}
		return share
	}
	all, each := least(conformal.Settings{Coverage: 0.8}), least(conformal.Settings{Coverage: 0.8, ByClass: true})
	if all > 0.76 || each < 0.77 {
		t.Errorf("the least covered class: %v, by class %v; want 0.8 by class alone", all, each)
	}
	if each := least(conformal.Settings{Coverage: 0.8, ByClass: true, Nodes: 2}); each < 0.77 {
		t.Errorf("the least covered class with two nodes: %v; want 0.8", each)
	}
}

// TestSetsAreTheSmallest compares sets with those that plain loops find by the definition.
func TestSetsAreTheSmallest(t *testing.T) {
	for name, w := range worlds(2) {
		below := func(n int) []int {
			var leaves []int
			for _, m := range w.t.Descendants(n) {
				if w.t.IsLeaf(m) {
					leaves = append(leaves, m)
				}
			}
			return leaves
		}
		for _, s := range []conformal.Settings{{}, {Nodes: 1}, {Nodes: 2}, {Nodes: 4, Most: 5}} {
			p, labels := w.draw(200)
			sets, err := s.LearnProbabilities(t.Context(), w.t, p, labels)
			if err != nil {
				t.Fatal(err)
			}
			found, err := sets.PredictProbabilities(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			in := 0
			for i, set := range found {
				row := p.RawRowView(i)
				var union []int
				var mass, likeliest float64
				for _, n := range set.Nodes {
					union = append(union, below(n)...)
					for _, m := range set.Nodes {
						if m != n && slices.Contains(w.t.Ancestors(n), m) {
							t.Fatalf("%s: %v has a node above another", name, set.Nodes)
						}
					}
				}
				slices.Sort(union)
				union = slices.Compact(union)
				for y, leaf := range w.t.Leaves() {
					likeliest = max(likeliest, row[y])
					if slices.Contains(union, leaf) {
						mass += row[y]
					}
				}
				if !slices.Equal(union, set.Leaves) || math.Abs(mass-set.Probability) > 1e-9 || s.Nodes > 0 && len(set.Nodes) > s.Nodes && len(set.Leaves) < len(row) {
					t.Fatalf("%s, %+v: row %d: %+v", name, s, i, set)
				}
				if best := w.t.Leaves()[slices.Index(row, likeliest)]; !slices.Contains(set.Leaves, best) {
					t.Fatalf("%s: row %d: %v is without the likeliest leaf %d", name, i, set.Leaves, best)
				}
				if set.Rejected != (len(set.Leaves) == len(row) || s.Most > 0 && len(set.Leaves) > s.Most) {
					t.Fatalf("%s: row %d: %+v with at most %d", name, i, set, s.Most)
				}
				if slices.Contains(set.Leaves, labels[i]) {
					in++
				}
				// Every other set of one node, or of the likeliest leaves, that is within this
				// one is too unlikely: so the smaller sets have less probability than the
				// largest of these.
				if s.Nodes == 0 {
					for y, leaf := range w.t.Leaves() {
						if !slices.Contains(set.Leaves, leaf) && slices.ContainsFunc(set.Leaves, func(other int) bool { return row[w.t.LeafIndex(other)] < row[y] }) {
							t.Fatalf("%s: row %d: %v is without leaf %d, which is likelier", name, i, set.Leaves, leaf)
						}
					}
				}
			}
			// Of the held-out instances themselves, no fewer are covered than the threshold says.
			if in < 181 {
				t.Errorf("%s, %+v: %d of 200 held-out instances are covered; want 181", name, s, in)
			}
		}
	}
}

// TestThresholdByHand has three held-out rows and the threshold that the definition gives.
func TestThresholdByHand(t *testing.T) {
	g := example.Tree(2, 2)
	leaves := g.Leaves()
	p := mat.NewDense(3, 4, []float64{
		0.7, 0.1, 0.1, 0.1, // the label is the likeliest: before it there is 0
		0.5, 0.3, 0.1, 0.1, // the second: 0.5
		0.1, 0.2, 0.6, 0.1, // the second: 0.6
	})
	labels := []int{leaves[0], leaves[1], leaves[1]}
	sets, err := conformal.Settings{Coverage: 0.5}.LearnProbabilities(t.Context(), g, p, labels)
	if err != nil {
		t.Fatal(err)
	}
	// Of 0, 0.5, 0.6, the threshold is the second: ceil(4 * 0.5).
	found, err := sets.PredictProbabilities(t.Context(), mat.NewDense(2, 4, []float64{0.5, 0.2, 0.2, 0.1, 0.51, 0.29, 0.2, 0}))
	if err != nil {
		t.Fatal(err)
	}
	if got := found[0].Leaves; !slices.Equal(got, leaves[:2]) {
		t.Errorf("%v; want the two likeliest, as 0.5 is not above the threshold", got)
	}
	if got := found[1].Leaves; !slices.Equal(got, leaves[:1]) {
		t.Errorf("%v; want the likeliest alone", got)
	}
	sets, err = conformal.Settings{Coverage: 0.5, Nodes: 1}.LearnProbabilities(t.Context(), g, p, labels)
	if err != nil {
		t.Fatal(err)
	}
	// With one node, the third grows from the other side: 0.6 below its parent, 0.7 with its
	// sibling.
	found, err = sets.PredictProbabilities(t.Context(), mat.NewDense(1, 4, []float64{0.4, 0.05, 0.35, 0.2}))
	if err != nil {
		t.Fatal(err)
	}
	if got := found[0]; len(got.Nodes) != len(g.Roots()) || !got.Rejected {
		t.Errorf("%+v; want all, as 0.45 below one node is not above 0.5", got)
	}
}

func TestPredictOfModels(t *testing.T) {
	g := example.Tree(3, 3)
	d := example.Texts(g, 900, 300, 12, 5)
	rows := func(lo, hi int) *dataset.Dataset {
		var some []int
		for i := lo; i < hi; i++ {
			some = append(some, i)
		}
		return d.Subset(some)
	}
	train, held, test := rows(0, 400), rows(400, 600), rows(600, 900)
	calibrated, err := svm.Calibration{Folds: 3, Form: svm.Temperature}.Fit(t.Context(), svm.Flat{}, train)
	if err != nil {
		t.Fatal(err)
	}
	softmax, err := svm.HierarchicalSoftmax{}.Fit(t.Context(), train)
	if err != nil {
		t.Fatal(err)
	}
	recursive, err := svm.Recursive{}.Fit(t.Context(), train)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []conformal.Settings{{}, {Nodes: 1}, {Nodes: 2, ByClass: true, Coverage: 0.8}} {
		sets, err := s.Learn(t.Context(), calibrated, held)
		if err != nil {
			t.Fatal(err)
		}
		r, err := sets.Evaluate(t.Context(), test)
		if err != nil {
			t.Fatal(err)
		}
		// Four deviations of the share among 300, of the coverage that 200 held-out instances give.
		if least := cmp.Or(s.Coverage, 0.9) - 4*math.Sqrt(0.1*(1./300+1./200)); r.Covered < least || r.Leaves >= 9 || !(r.Low < r.Covered && r.Covered < r.High) {
			t.Errorf("%+v:\n%v\n%v", s, sets, r)
		}
		for _, want := range []string{"covered", "rejected", "least covered class"} {
			if !strings.Contains(r.String(), want) || !strings.Contains(r.HTML(), want) {
				t.Errorf("no %q in\n%v\n%s", want, r, r.HTML())
			}
		}
		if !strings.Contains(sets.String(), "200 held-out instances") || !strings.Contains(sets.HTML(), "coverage") {
			t.Error(sets)
		}
		if _, err := s.Learn(t.Context(), softmax, held); err != nil {
			t.Error(err)
		}
		if _, err := s.Learn(t.Context(), recursive, held); err == nil || !strings.Contains(err.Error(), "svm.Calibrate") {
			t.Errorf("error %v", err)
		}
	}
}

func TestRefuses(t *testing.T) {
	g := example.Tree(2, 2)
	d := example.Texts(g, 40, 50, 8, 1)
	m, err := svm.HierarchicalSoftmax{}.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	several, weighted, inner := *d, *d, *d
	several.Labels = slices.Clone(d.Labels)
	several.Labels[3] = g.Leaves()[:2]
	weighted.Weights = slices.Repeat([]float64{2}, d.Len())
	inner.Labels = slices.Clone(d.Labels)
	inner.Labels[2] = []int{g.Roots()[0]}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		s    conformal.Settings
		ctx  context.Context
		d    *dataset.Dataset
		says string
	}{
		"coverage":  {conformal.Settings{Coverage: 1}, t.Context(), d, "above 0 and below 1"},
		"nodes":     {conformal.Settings{Nodes: -1}, t.Context(), d, "neither may be negative"},
		"too few":   {conformal.Settings{Coverage: 0.99}, t.Context(), d, "40 held-out instances are too few for a coverage of 0.99; hold out 99"},
		"several":   {conformal.Settings{}, t.Context(), &several, "row 3 has 2 labels"},
		"weights":   {conformal.Settings{}, t.Context(), &weighted, "has weights"},
		"inner":     {conformal.Settings{}, t.Context(), &inner, "Dataset.Leafed"},
		"none":      {conformal.Settings{}, t.Context(), nil, "needs held-out instances"},
		"cancelled": {conformal.Settings{}, cancelled, d, "canceled"},
	} {
		if p, err := c.s.Learn(c.ctx, m, c.d); p != nil || err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, %v", name, p, err)
		}
	}
	if _, err := (conformal.Settings{}).Learn(t.Context(), nil, d); err == nil {
		t.Error("no error without a model")
	}
	p, err := conformal.Settings{}.LearnProbabilities(t.Context(), g, mat.NewDense(9, 4, slices.Repeat([]float64{0.25}, 36)), slices.Repeat([]int{g.Leaves()[0]}, 9))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Predict(t.Context(), d.X); err == nil || !strings.Contains(err.Error(), "no model") {
		t.Errorf("error %v", err)
	}
	for _, bad := range []*mat.Dense{nil, mat.NewDense(1, 3, nil), mat.NewDense(1, 4, []float64{0, 0, 0, 2}), mat.NewDense(1, 4, []float64{0, 0, 0, math.NaN()})} {
		if _, err := p.PredictProbabilities(t.Context(), bad); err == nil {
			t.Errorf("%v: no error", bad)
		}
	}
	for name, err := range map[string]error{
		"coverage near 0": second(conformal.Settings{Coverage: 1e-13}.Learn(t.Context(), m, d)),
		"nil model":       second(conformal.Settings{}.Learn(t.Context(), (*svm.Calibrated)(nil), d)),
		"empty model":     second(conformal.Settings{}.Learn(t.Context(), new(svm.Calibrated), d)),
		"no leaf":         third(p.Measure([]conformal.Set{{Leaves: g.Leaves()}}, []int{g.Roots()[0]})),
		"label 999":       third(p.Measure([]conformal.Set{{Leaves: g.Leaves()}}, []int{999})),
		"empty set":       third(p.Measure([]conformal.Set{{}}, g.Leaves()[:1])),
		"empty predictor": third(new(conformal.Predictor).Measure([]conformal.Set{{}}, g.Leaves()[:1])),
	} {
		if (err == nil) != (name == "coverage near 0") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if text := new(conformal.Predictor).String(); !strings.Contains(text, "Settings.Learn") {
		t.Error(text)
	}
	if _, err := p.Measure(nil, nil); err == nil {
		t.Error("no error for no sets")
	}
}

func second(_ *conformal.Predictor, err error) error { return err }
func third(_ *conformal.Report, err error) error     { return err }
