package perceptron

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// all are estimators of every kind.
func all(s Settings) []estimator {
	return []estimator{
		Flat{Settings: s}, Flat{Averaged: true, Settings: s}, Flat{Minover: true, Settings: s}, Flat{Kernel: gram.RBF{}, Settings: s},
		Hierarchical{Settings: s}, Hierarchical{Averaged: true, Settings: s}, Hierarchical{Minover: true, Settings: s},
		Hierarchical{Kernel: gram.Polynomial{Offset: 1}, Averaged: true, Settings: s}, Hierarchical{Kernel: gram.RBF{}, Minover: true, Settings: s},
		Hieron{Settings: s}, Hieron{Averaged: true, Settings: s}, Hieron{Kernel: gram.RBF{}, Settings: s}, Hieron{Flat: true, Settings: s},
	}
}

// TestModel: what is returned is a model as any other.
func TestModel(t *testing.T) {
	names := make(map[string]bool)
	for seed := range uint64(4) {
		for _, e := range all(Settings{Epochs: 3}) {
			d := random(t, seed, true)
			d.Vocabulary = []string{"a", "b", "c", "d"}
			m, err := fitModel(t.Context(), e, d)
			if err != nil {
				t.Fatal(err)
			}
			names[m.Name] = true
			if m.Instances != d.Len() || m.Training.Epochs < 1 || m.Training.Certificate != nil {
				t.Errorf("%s: %d instances, training %+v", m.Name, m.Instances, m.Training)
			}
			if s := m.String(); !strings.HasPrefix(s, m.Name) || strings.Contains(s, "NaN") {
				t.Errorf("described as %s", s)
			}
			path := filepath.Join(t.TempDir(), "model")
			if err := m.Save(path); err != nil {
				t.Fatalf("%s: %v", m.Name, err)
			}
			loaded, err := classifier.Load(path)
			if err != nil {
				t.Fatalf("%s: %v", m.Name, err)
			}
			sameScores(t, m.Name+", loaded", loaded, m, d)
			if got, want := loaded.Predict(d.X), m.Predict(d.X); !slices.Equal(got, want) {
				t.Errorf("%s: predicts %v when loaded, want %v", m.Name, got, want)
			}
			if ranked := m.Rank(d.X, 2); len(ranked) != d.Len() || len(ranked[0]) != 2 {
				t.Errorf("%s: ranks %v", m.Name, ranked)
			}
			if m.Weights(0) != nil {
				if _, err := m.Explain(d.X, 0); err != nil {
					t.Errorf("%s: %v", m.Name, err)
				}
			}
			if _, err := metric.Evaluate(m, d); err != nil {
				t.Errorf("%s: %v", m.Name, err)
			}
		}
	}
	if len(names) != 9 {
		t.Errorf("%d names of methods: %v", len(names), names)
	}
}

// TestSeparable: on data of which every method can rank all labels first, it does.
func TestSeparable(t *testing.T) {
	g, err := taxonomy.New([]string{"top", "left", "right", "a", "b", "c", "d"}, [][2]int{{0, 1}, {0, 2}, {1, 3}, {1, 4}, {2, 5}, {2, 6}})
	if err != nil {
		t.Fatal(err)
	}
	x := &dataset.Matrix{Cols: 4, Indptr: []int{0}}
	d := &dataset.Dataset{Name: "corners", Taxonomy: g, X: x}
	for k := range 40 {
		x.Rows++
		x.Indices, x.Values = append(x.Indices, int32(k%4)), append(x.Values, 1+float32(k)/40)
		x.Indptr = append(x.Indptr, len(x.Values))
		d.Labels = append(d.Labels, []int{3 + k%4})
	}
	for _, e := range all(Settings{Epochs: 50}) {
		m, err := fitModel(t.Context(), e, d)
		if err != nil {
			t.Fatal(err)
		}
		if _, hieron := e.(Hieron); !hieron && m.Training.Status != solver.Converged {
			t.Errorf("%s: %v", m.Name, m.Training.Status)
		}
		if !slices.EqualFunc(m.Predict(x), d.Labels, func(got int, want []int) bool { return got == want[0] }) {
			t.Errorf("%s predicts %v", m.Name, m.Predict(x))
		}
	}
}

func TestInterrupted(t *testing.T) {
	stop := errors.New("enough")
	for _, e := range all(Settings{}) {
		d := random(t, 2, true)
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(stop)
		m, err := fitModel(ctx, e, d)
		if !errors.Is(err, stop) || m == nil || m.Training.Status != solver.Cancelled {
			t.Fatalf("%T: error %v, model %v", e, err, m)
		}
		if s := m.LeafScores(d.X).At(0, 0); s != 0 {
			t.Errorf("%s, stopped before the first step, scores %v", m.Name, s)
		}
		m, err = fitModel(t.Context(), withSettings(e, Settings{Progress: func(Progress) error { return stop }}), d)
		if !errors.Is(err, stop) || m == nil || m.Training.Epochs != 1 {
			t.Errorf("%T: error %v, model %v", e, err, m)
		}
	}
}

func withSettings(e estimator, s Settings) estimator {
	switch e := e.(type) {
	case Flat:
		e.Settings = s
		return e
	case Hierarchical:
		e.Settings = s
		return e
	case Hieron:
		e.Settings = s
		return e
	}
	panic("another estimator")
}

func TestProgress(t *testing.T) {
	for _, e := range all(Settings{}) {
		d := random(t, 5, true)
		updates, observed := 0, 0
		var last Progress
		m, err := fitModel(t.Context(), withSettings(e, Settings{
			Epochs:   7,
			Observe:  func(Update) { observed++ },
			Progress: func(p Progress) error { updates += p.Updates; last = p; return nil },
		}), d)
		if err != nil {
			t.Fatal(err)
		}
		if updates != observed || last.Epoch != m.Training.Epochs || last.Done() != 1 || last.Epochs != 7 {
			t.Errorf("%s: %d updates reported, %d observed, last report %v of %d epochs", m.Name, updates, observed, last, m.Training.Epochs)
		}
	}
}

// TestShuffle: the order is that of the data, or that of the seed.
func TestShuffle(t *testing.T) {
	d := random(t, 6, true)
	order := func(s Settings) (rows []int) {
		s.Observe = func(u Update) { rows = append(rows, u.Instance) }
		if _, err := (Hierarchical{Settings: s}).Fit(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		return rows
	}
	plain := order(Settings{})
	if !slices.Equal(plain, order(Settings{Seed: 7})) {
		t.Error("a seed changes the order of the data")
	}
	first := order(Settings{Shuffle: true})
	if slices.Equal(plain, first) || !slices.Equal(first, order(Settings{Shuffle: true})) || slices.Equal(first, order(Settings{Shuffle: true, Seed: 1})) {
		t.Error("orders are not those of the seeds")
	}
}

// TestNothingToCompare: instances with all leaves or none as labels, and a taxonomy of one leaf.
func TestNothingToCompare(t *testing.T) {
	d := random(t, 0, false)
	for i := range d.Labels {
		d.Labels[i] = nil
		if i%2 == 0 {
			d.Labels[i] = d.Taxonomy.Leaves()
		}
	}
	one, err := taxonomy.New([]string{"only"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	lonely := &dataset.Dataset{Taxonomy: one, X: d.X}
	for range d.X.Rows {
		lonely.Labels = append(lonely.Labels, []int{0})
	}
	for _, e := range all(Settings{}) {
		for _, d := range []*dataset.Dataset{d, lonely} {
			if _, hieron := e.(Hieron); hieron && d != lonely {
				continue
			}
			o, err := fit(t.Context(), e, d)
			if err != nil {
				t.Fatal(err)
			}
			if o.updates != 0 || o.model.Training.Status != solver.Converged {
				t.Errorf("%s: %d updates, %v", o.model.Name, o.updates, o.model.Training.Status)
			}
		}
	}
}

type badLoss float64

func (b badLoss) Cost(truth, predicted int) float64 {
	if truth == predicted {
		return 0
	}
	return float64(b)
}

func TestErrors(t *testing.T) {
	d := random(t, 0, true)
	g := d.Taxonomy
	with := func(change func(d *dataset.Dataset)) *dataset.Dataset {
		c := *d
		c.Labels = slices.Clone(d.Labels)
		change(&c)
		return &c
	}
	inner := 0
	for g.IsLeaf(inner) {
		inner++
	}
	other := random(t, 4, true).Taxonomy
	for name, try := range map[string]struct {
		e estimator
		d *dataset.Dataset
		s string // in the error
	}{
		"no taxonomy":        {Flat{}, with(func(d *dataset.Dataset) { d.Taxonomy = nil }), "taxonomy"},
		"no data":            {Flat{}, nil, "instances"},
		"no instances":       {Flat{}, &dataset.Dataset{Taxonomy: g, X: &dataset.Matrix{Indptr: []int{0}}}, "no instances"},
		"labels missing":     {Flat{}, with(func(d *dataset.Dataset) { d.Labels = d.Labels[1:] }), "labels for"},
		"no labels":          {Flat{}, with(func(d *dataset.Dataset) { clear(d.Labels) }), "no instance"},
		"inner label":        {Flat{}, with(func(d *dataset.Dataset) { d.Labels[1] = []int{inner} }), "Leafed"},
		"no node":            {Flat{}, with(func(d *dataset.Dataset) { d.Labels[1] = []int{g.Len()} }), "nodes 0.."},
		"labels twice":       {Flat{}, with(func(d *dataset.Dataset) { d.Labels[1] = []int{d.Labels[1][0], d.Labels[1][0]} }), "ascend"},
		"Hieron, two labels": {Hieron{}, with(func(d *dataset.Dataset) { d.Labels[1] = g.Leaves()[:2] }), "needs exactly one per instance"},
		"epochs":             {Flat{Settings: Settings{Epochs: -1}}, d, "Epochs"},
		"attributes":         {Hierarchical{Attributes: structured.Flat(other)}, d, "another taxonomy"},
		"loss":               {Hierarchical{Loss: loss.Symdiff(other)}, d, "loss"},
		"Minover averaged":   {Hierarchical{Minover: true, Averaged: true}, d, "one of them"},
		"kernel":             {Hierarchical{Kernel: gram.RBF{Gamma: -1}}, d, "Gamma"},
		"kernel value":       {Hierarchical{Kernel: gram.Func(func(a, b gram.Vector) float64 { return math.Inf(1) })}, d, "finite"},
		"negative loss":      {Hierarchical{Loss: badLoss(-1)}, d, "loss"},
		"loss not a number":  {Hierarchical{Loss: badLoss(math.NaN()), Averaged: true}, d, "loss"},
		"Hieron's loss":      {Hieron{Loss: badLoss(-1), Averaged: true}, d, "loss"},
		"value not a number": {Flat{}, with(func(d *dataset.Dataset) {
			x := *d.X
			x.Values = slices.Clone(x.Values)
			x.Values[0] = float32(math.NaN())
			d.X = &x
		}), "finite"},
	} {
		m, err := fitModel(t.Context(), try.e, try.d)
		if err == nil || m != nil {
			t.Errorf("%s: error %v, model %v", name, err, m)
		} else if !strings.Contains(err.Error(), try.s) {
			t.Errorf("%s: error %q says nothing of %q", name, err, try.s)
		}
	}
}

func TestBoundErrors(t *testing.T) {
	d := random(t, 0, true)
	h := Hierarchical{}
	for _, gamma := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if b, err := h.Bound(d, gamma); err == nil {
			t.Errorf("bound %v for a margin of %v", b, gamma)
		}
	}
	if _, err := Bound(nil, nil, 1, 1); err == nil {
		t.Error("no attributes: no error")
	}
	if _, err := Bound(structured.Flat(d.Taxonomy), loss.ZeroOne(), math.NaN(), 1); err == nil {
		t.Error("a radius that is no number: no error")
	}
	if b, err := Bound(structured.Flat(d.Taxonomy), loss.ZeroOne(), 3, 0.5); err != nil || b != 144 {
		t.Errorf("bound %v, error %v, want 144", b, err)
	}
	m, err := Hierarchical{Kernel: gram.RBF{}}.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Margin(m, d); err == nil {
		t.Error("the margin of a kernel model: no error")
	}
}

// TestTooManyScores: what would not fit into memory is an error, and is not tried.
func TestTooManyScores(t *testing.T) {
	names := make([]string, 1<<15)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	g, err := taxonomy.New(names, nil)
	if err != nil {
		t.Fatal(err)
	}
	const rows = 1 << 16
	d := &dataset.Dataset{Taxonomy: g, X: &dataset.Matrix{Rows: rows, Cols: 1, Indptr: make([]int, rows+1)}, Labels: slices.Repeat([][]int{{7}}, rows)}
	for _, e := range []estimator{Flat{Minover: true}, Flat{Kernel: gram.RBF{}}} {
		if _, err := fitModel(t.Context(), e, d); err == nil || !strings.Contains(err.Error(), "16 GiB") {
			t.Errorf("%T: error %v", e, err)
		}
	}
}
