package hierml_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/calibration"
	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/clustering"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/forest"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/svm"
)

// TestOtherWidthsAreRefused asks every method of every model that looks at instances for some with
// more and with fewer columns than the training data, without names: each says what to do.
func TestOtherWidthsAreRefused(t *testing.T) {
	g := example.Tree(2, 3)
	d := example.Texts(g, 60, 40, 8, 3)
	d.X.Vocabulary, d.Vocabulary = nil, nil
	matrix := func(rows, cols int) *dataset.Matrix {
		x := &dataset.Matrix{Rows: rows, Cols: cols, Indptr: []int{0}}
		rng := rand.New(rand.NewPCG(1, uint64(cols)))
		for range rows {
			x.Indices, x.Values = append(x.Indices, int32(rng.IntN(cols))), append(x.Values, 1)
			x.Indptr = append(x.Indptr, len(x.Indices))
		}
		return x
	}
	ctx := t.Context()
	asked := 0
	for name, e := range map[string]classifier.Estimator{
		"flat": svm.Flat{}, "recursive": svm.Recursive{}, "label tree": svm.PLT{}, "sets": svm.Hierarchical{Sets: true}, "kernel": svm.Flat{Kernel: gram.RBF{Gamma: 1}},
	} {
		m, err := e.Fit(ctx, d)
		if err != nil {
			t.Fatal(name, err)
		}
		calls := map[string]func(x *dataset.Matrix) error{
			"Predict":      func(x *dataset.Matrix) error { m.Predict(x); return nil },
			"Decide":       func(x *dataset.Matrix) error { _, err := m.Decide(x, nil); return err },
			"Decide by":    func(x *dataset.Matrix) error { _, err := m.Decide(x, mat.NewDense(3, 6, nil)); return err },
			"Rank":         func(x *dataset.Matrix) error { m.Rank(x, 2); return nil },
			"LeafScores":   func(x *dataset.Matrix) error { m.LeafScores(x); return nil },
			"ChoiceScores": func(x *dataset.Matrix) error { m.ChoiceScores(x); return nil },
			"NodeScores":   func(x *dataset.Matrix) error { m.NodeScores(x); return nil },
			"Scores":       func(x *dataset.Matrix) error { m.Scores(x, 1); return nil },
			"PredictSets":  func(x *dataset.Matrix) error { m.PredictSets(x, calibration.Above(0)); return nil },
			"Cutting": func(x *dataset.Matrix) error {
				_, err := classifier.Cutting{Model: m, Cut: calibration.Above(0)}.Decide(x, nil)
				return err
			},
			"Explain": func(x *dataset.Matrix) error { _, err := m.Explain(x, 0); return err },
			"Check":   m.Check,
			"Evaluate": func(x *dataset.Matrix) error {
				_, err := metric.Evaluate(m, &dataset.Dataset{Taxonomy: g, X: x, Labels: [][]int{d.Labels[0], d.Labels[1], d.Labels[2]}})
				return err
			},
		}
		if m.Link() == classifier.NoLink && m.Rule != classifier.Descend {
			calls["LabelSets"] = func(x *dataset.Matrix) error { _, err := m.LabelSets(x); return err }
			calls["ClosedSets"] = func(x *dataset.Matrix) error { _, err := m.ClosedSets(x); return err }
		}
		if m.Link() != classifier.NoLink {
			calls["LeafProbabilities"] = func(x *dataset.Matrix) error { _, err := m.LeafProbabilities(x); return err }
			calls["ConditionalProbabilities"] = func(x *dataset.Matrix) error { _, err := m.ConditionalProbabilities(x); return err }
			calls["LeastProbabilities"] = func(x *dataset.Matrix) error { _, err := m.LeastProbabilities(x); return err }
		}
		if name == "flat" {
			calls["MarginExcess"] = func(x *dataset.Matrix) error { _, err := m.MarginExcess(x); return err }
			translated, err := clustering.Translate(m, g, g)
			if err != nil {
				t.Fatal(err)
			}
			calls["Translated"] = func(x *dataset.Matrix) error { _, err := translated.Predict(x); return err }
			calibrated, err := svm.Calibration{Folds: 2}.Fit(ctx, e, d)
			if err != nil {
				t.Fatal(err)
			}
			calls["Calibrated"] = func(x *dataset.Matrix) error { calibrated.LeafProbabilities(x); return nil }
			calls["Calibrated, nodes"] = func(x *dataset.Matrix) error { calibrated.NodeProbabilities(x); return nil }
			sets, err := svm.NodeSets{}.Fit(ctx, d)
			if err != nil {
				t.Fatal(err)
			}
			calls["NodeSets"] = func(x *dataset.Matrix) error { sets.Predict(x); return nil }
			calls["NodeSets, Decide"] = func(x *dataset.Matrix) error { _, err := sets.Decide(x, nil); return err }
			trees, err := forest.Forest{Trees: 3}.Fit(ctx, d)
			if err != nil {
				t.Fatal(err)
			}
			calls["forest"] = func(x *dataset.Matrix) error { trees.Predict(x); return nil }
			calls["forest, Decide"] = func(x *dataset.Matrix) error { _, err := trees.Decide(x, nil); return err }
		}
		if beam, err := m.NewBeam(2); err == nil {
			calls["Beam"] = func(x *dataset.Matrix) error { beam.Predict(x); return nil }
		}
		for call, do := range calls {
			if name == "kernel" && call == "Explain" {
				continue // which is an error for all
			}
			for _, columns := range []int{2, d.X.Cols - 1, d.X.Cols + 1, 1 << 30} {
				asked++
				if says := refusal(func() error { return do(matrix(3, columns)) }); !strings.Contains(says, fmt.Sprintf("the matrix has %d columns, but the model was trained on %d", columns, d.X.Cols)) || !strings.Contains(says, "SVMLight{Columns:") {
					t.Errorf("%s, %s, %d columns: %q", name, call, columns, says)
				}
			}
			if says := refusal(func() error { return do(matrix(3, d.X.Cols)) }); says != "" {
				t.Errorf("%s, %s: refused as many columns: %s", name, call, says)
			}
		}
	}
	if asked < 200 {
		t.Errorf("%d questions", asked)
	}
}

// refusal returns the error of a function, or that it panics with.
func refusal(do func() error) (says string) {
	defer func() {
		if err, ok := recover().(error); ok {
			says = err.Error()
		}
	}()
	if err := do(); err != nil {
		return err.Error()
	}
	return ""
}
