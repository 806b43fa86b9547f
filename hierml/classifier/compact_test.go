package classifier_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
)

// value is the objective of a flat SVM with 0/1 loss from its definition.
func value(m *classifier.Model, d *dataset.Dataset) float64 {
	var sum float64
	for n := range m.Taxonomy.Len() {
		for _, w := range m.Weights(n) {
			sum += w * w / 2
		}
	}
	scores := m.LeafScores(d.X)
	for i, set := range d.Labels {
		truth := m.Taxonomy.LeafIndex(set[0])
		worst := 0.0
		for y := range m.Taxonomy.Leaves() {
			if y != truth {
				worst = max(worst, 1+scores.At(i, y)-scores.At(i, truth))
			}
		}
		sum += m.C * worst
	}
	return sum
}

func TestCompactIsCertified(t *testing.T) {
	d := example.Texts(example.Tree(4, 5), 300, 2000, 30, 1)
	m := fit(t, svm.Flat{}, d)
	before := len(saved(t, m, classifier.Format{}))
	size := before
	for _, rise := range []float64{0, 1e-3, 1e-2, 0.1} {
		c, err := m.Compact(context.Background(), rise)
		if err != nil {
			t.Fatal(err)
		}
		if rise == 0 {
			rise = classifier.DefaultRise
		}
		r := c.Training.Certificate
		if want := value(c, d); math.Abs(r.Primal-want) > 1e-6*want {
			t.Errorf("rise %v: primal %v; by its definition %v", rise, r.Primal, want)
		}
		if r.Primal > m.Training.Certificate.Primal*(1+rise) || r.Dual != m.Training.Certificate.Dual || math.Abs(r.Gap-(r.Primal-r.Dual)/r.Primal) > 1e-12 {
			t.Errorf("rise %v: %v from %v", rise, r, m.Training.Certificate)
		}
		b := saved(t, c, classifier.Format{})
		if len(b) > size || len(b) > before*6/10 {
			t.Errorf("rise %v: %d bytes after %d", rise, len(b), size)
		}
		size = len(b)
		if got, err := loaded(b); err != nil || math.Abs(value(got, d)-r.Primal) > 1e-6*r.Primal {
			t.Errorf("rise %v: the file: %v", rise, err)
		}
		if _, err := c.Compact(context.Background(), rise); err == nil {
			t.Error("compacted twice")
		}
	}
	// As much as the allowed rise is used, more or less.
	c, err := m.Compact(context.Background(), 0.1)
	if err != nil || c.Training.Certificate.Primal < m.Training.Certificate.Primal*1.02 {
		t.Errorf("%v from %v, %v", c.Training.Certificate, m.Training.Certificate, err)
	}
}

func TestCompactRefuses(t *testing.T) {
	d := example.Texts(example.Tree(4), 50, 200, 10, 1)
	m := fit(t, svm.Hierarchical{Settings: solver.Settings{Gap: 2e-5}}, d)
	for _, rise := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := m.Compact(context.Background(), rise); err == nil {
			t.Errorf("rise %v: no error", rise)
		}
	}
	if _, err := m.Compact(context.Background(), 1e-15); err == nil || !strings.Contains(err.Error(), "rounded to half precision") {
		t.Errorf("error %v", err)
	}
	l, err := loaded(saved(t, m, classifier.Format{}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Compact(context.Background(), 0); err == nil || !strings.Contains(err.Error(), "was loaded") {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := m.Compact(ctx, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	m.Training.Certificate.Weights.Set(0, 3, 1e6)
	if _, err := m.Compact(context.Background(), 0); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("error %v", err)
	}
}

// What needs the weights of features says so of a model that has a kernel.
func TestKernelModelsAreRefused(t *testing.T) {
	d := example.Dense(example.Tree(2, 2), 20, 3, 1)
	m := fit(t, svm.Hierarchical{Kernel: gram.RBF{}}, d)
	_, compact := m.Compact(context.Background(), 0)
	_, beam := m.NewBeam(2)
	_, explain := m.Explain(d.X, 0)
	for name, err := range map[string]error{"compact": compact, "beam": beam, "explain": explain} {
		if err == nil || !strings.Contains(err.Error(), "kernel") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if ranked := m.Rank(d.X, 2); ranked[3][0].Node != m.Predict(d.X)[3] {
		t.Errorf("ranked %v", ranked[3])
	}
}
