package decision_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/decision"
	"github.com/hierml/notebook/hierml/forest"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/svm"
)

// noisy returns texts, a third of whose labels are those of other rows.
func noisy(rows int) (train, test *dataset.Dataset) {
	g := example.Tree(3, 3)
	d := example.Texts(g, rows, 200, 12, 4)
	for i := range d.Labels {
		d.Labels[i] = d.Labels[i][:1]
	}
	for i := 0; i+3 < len(d.Labels); i += 3 {
		d.Labels[i] = d.Labels[i+3]
	}
	var one, other []int
	for i := range rows {
		if i%2 == 0 {
			one = append(one, i)
		} else {
			other = append(other, i)
		}
	}
	return d.Subset(one), d.Subset(other)
}

// TestModels evaluates decisions by the probabilities of models of all types, and compares them
// with the rule itself, and what is expected with the model's own predictions.
func TestModels(t *testing.T) {
	ctx := context.Background()
	train, test := noisy(400)
	softmax, err := svm.HierarchicalSoftmax{}.Fit(ctx, train)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := svm.PLT{}.Fit(ctx, train)
	if err != nil {
		t.Fatal(err)
	}
	calibrated, err := svm.Calibrate(ctx, svm.Flat{}, train)
	if err != nil {
		t.Fatal(err)
	}
	trees, err := forest.Forest{Trees: 20}.Fit(ctx, train)
	if err != nil {
		t.Fatal(err)
	}
	leaf := func(m *classifier.Model) *mat.Dense {
		p, err := m.LeafProbabilities(test.X)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for name, c := range map[string]struct {
		scorer metric.Scorer
		p      *mat.Dense
	}{
		"softmax": {softmax, leaf(softmax)}, "label tree": {tree, leaf(tree)}, "calibrated": {calibrated, calibrated.LeafProbabilities(test.X)},
		"forest": {trees, trees.LeafScores(test.X)},
	} {
		likeliest := make([][]int, test.Len())
		for i := range likeliest {
			best := 0
			for y, v := range c.p.RawRowView(i) {
				if v > c.p.At(i, best) {
					best = y
				}
			}
			likeliest[i] = []int{test.Taxonomy.Leaves()[best]}
		}
		changed := 0
		for _, rule := range []decision.Rule{nil, decision.LeastLoss{Inner: true}, decision.LargestF{}} {
			m := &decision.Model{Scorer: c.scorer, Rule: rule, Taxonomy: test.Taxonomy}
			sets, values, err := m.Sets(ctx, test.X)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			own := rule
			if own == nil {
				own = decision.LeastLoss{}
			}
			wantSets, wantValues, err := own.Decide(ctx, test.Taxonomy, c.p)
			if err != nil || !reflect.DeepEqual(sets, wantSets) || !reflect.DeepEqual(values, wantValues) {
				t.Errorf("%s, %T: other decisions than those of the rule (%v)", name, rule, err)
			}
			got, err := metric.Evaluate(m, test)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			want, err := metric.Settings{}.EvaluateSets(m.ChoiceScores(test.X), sets, test.Labels, test.Taxonomy)
			if err != nil {
				t.Fatal(err)
			}
			for _, measure := range []string{"accuracy", "tree loss", "hierarchical F1", "hierarchical samples F1", "average precision"} {
				a, _ := got.Value(measure)
				if b, ok := want.Value(measure); !ok || math.Abs(a-b) > 1e-12 {
					t.Errorf("%s, %T: %s is %v, of the sets %v", name, rule, measure, a, b)
				}
			}
			for i := range sets {
				if !reflect.DeepEqual(sets[i], likeliest[i]) {
					changed++
				}
			}
			text := m.String() + m.HTML()
			if !strings.Contains(text, "decides by") || !strings.Contains(text, "expected") {
				t.Errorf("%s", text)
			}
		}
		if changed == 0 {
			t.Errorf("%s: every decision is the likeliest leaf", name)
		}
	}
}

// TestBy trains models that decide, and compares them with the model itself.
func TestBy(t *testing.T) {
	ctx := context.Background()
	train, test := noisy(200)
	m, err := decision.By{Estimator: svm.Flat{}, Calibration: &svm.Calibration{Seed: 3}, Rule: decision.LargestF{}}.Fit(ctx, train)
	if err != nil {
		t.Fatal(err)
	}
	calibrated, err := svm.Calibration{Seed: 3}.Fit(ctx, svm.Flat{}, train)
	if err != nil {
		t.Fatal(err)
	}
	own := &decision.Model{Scorer: calibrated, Rule: decision.LargestF{}, Taxonomy: test.Taxonomy}
	sets, values, err := m.Sets(ctx, test.X)
	if err != nil {
		t.Fatal(err)
	}
	if want, expected, err := own.Sets(ctx, test.X); err != nil || !reflect.DeepEqual(sets, want) || !reflect.DeepEqual(values, expected) {
		t.Errorf("other decisions than those of Calibration and Model (%v)", err)
	}
	if m, err = (decision.By{Estimator: svm.HierarchicalSoftmax{}}).Fit(ctx, train); err != nil {
		t.Fatal(err)
	}
	if r, err := metric.Evaluate(m, test); err != nil || r.LogLoss <= 0 || r.InnerPredictions > 0 {
		t.Errorf("%v, %v", r, err)
	}
	if sets, values, err := m.Sets(ctx, &dataset.Matrix{Cols: test.X.Cols, Indptr: []int{0}}); err != nil || len(sets) != 0 || len(values) != 0 {
		t.Errorf("of no rows: %v, %v, %v", sets, values, err)
	}
	if _, _, err := m.Sets(ctx, &dataset.Matrix{Rows: 1, Cols: 3, Indptr: []int{0, 0}}); err == nil {
		t.Error("other features: no error")
	}

	// Thresholds are those of held-out probabilities.
	folds, err := train.Folds(5, 2)
	if err != nil {
		t.Fatal(err)
	}
	p := mat.NewDense(train.Len(), len(train.Taxonomy.Leaves()), nil)
	for _, fold := range folds {
		own, err := svm.HierarchicalSoftmax{}.Fit(ctx, train.Subset(fold.Train))
		if err != nil {
			t.Fatal(err)
		}
		held, err := own.LeafProbabilities(train.Subset(fold.Test).X)
		if err != nil {
			t.Fatal(err)
		}
		for j, i := range fold.Test {
			p.SetRow(i, held.RawRowView(j))
		}
	}
	for _, learner := range []decision.Learner{decision.TopDown{}, decision.NodeThresholds{}} {
		want, err := learner.Learn(ctx, train.Taxonomy, p, train.Labels)
		if err != nil {
			t.Fatal(err)
		}
		m, err := decision.By{Estimator: svm.HierarchicalSoftmax{}, Rule: learner, Seed: 2}.Fit(ctx, train)
		if err != nil || !reflect.DeepEqual(m.Rule, want) {
			t.Errorf("%v, want %v (%v)", m, want, err)
		}
		if _, err := metric.Evaluate(m, test); err != nil {
			t.Error(err)
		}
	}

	// Given thresholds are not learned, and are checked before anything is trained.
	for _, rule := range []decision.Rule{decision.TopDown{Threshold: 0.1}, decision.TopDown{Threshold: 0.9}, decision.NodeThresholds{Thresholds: make([]float64, 13)}} {
		m, err := decision.By{Estimator: svm.HierarchicalSoftmax{}, Rule: rule}.Fit(ctx, train)
		if err != nil || !reflect.DeepEqual(m.Rule, rule) {
			t.Errorf("%v, want the rule %v (%v)", m, rule, err)
		}
	}
	other, _ := noisy(20)
	for want, rule := range map[string]decision.Rule{
		"the threshold is 2":        decision.TopDown{Threshold: 2},
		"the threshold is NaN":      decision.TopDown{Threshold: math.NaN()},
		"2 thresholds for 13 nodes": decision.NodeThresholds{Thresholds: []float64{0, 1}},
		"made for a taxonomy of 7":  decision.LeastLoss{Loss: loss.Tree(example.Tree(3, 1))},
	} {
		if _, err := (decision.By{Estimator: untrained{t}, Rule: rule}).Fit(ctx, other); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v", rule, err)
		}
	}

	several := *train
	several.Labels = append([][]int{{train.Labels[0][0], train.Labels[0][0] + 1}}, train.Labels[1:]...)
	for want, c := range map[string]struct {
		by decision.By
		d  *dataset.Dataset
	}{
		"needs an Estimator":                        {decision.By{}, train},
		"dataset with its taxonomy":                 {decision.By{Estimator: svm.Flat{}}, nil},
		"has 2 labels, and the rule needs":          {decision.By{Estimator: svm.HierarchicalSoftmax{}}, &several},
		"svm.Flat, flat SVM, have scores and no pr": {decision.By{Estimator: svm.Flat{}}, train},
	} {
		if _, err := c.by.Fit(ctx, c.d); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", want, err)
		}
	}
	flat, err := svm.Flat{}.Fit(ctx, train)
	if err != nil {
		t.Fatal(err)
	}
	for want, m := range map[string]*decision.Model{
		"has scores and no probabilities": {Scorer: flat, Taxonomy: test.Taxonomy},
		"needs a Scorer and its Taxonomy": {Scorer: flat},
	} {
		if _, err := metric.Evaluate(m, test); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", want, err)
		}
	}
}

// untrained is an estimator of rules that are refused before anything is trained.
type untrained struct{ t *testing.T }

func (u untrained) Fit(context.Context, *dataset.Dataset) (*classifier.Model, error) {
	u.t.Error("a model is trained")
	return nil, errors.New("not trained")
}

// TestSetModels decides for sets of labels by the probabilities of nodes of all models that have
// some, and compares with the rule.
func TestSetModels(t *testing.T) {
	ctx := context.Background()
	g := example.Tree(3, 3)
	d := example.Texts(g, 300, 200, 12, 4)
	for i := range d.Labels {
		y := d.Labels[i][0]
		d.Labels[i] = []int{y}
		if other := g.Leaves()[i%len(g.Leaves())]; i%3 == 0 && other > y {
			d.Labels[i] = append(d.Labels[i], other)
		}
	}
	calibrated, err := svm.Calibrate(ctx, svm.OneVsRest{}, d)
	if err != nil {
		t.Fatal(err)
	}
	trees, err := forest.Forest{Trees: 20}.Fit(ctx, d)
	if err != nil {
		t.Fatal(err)
	}
	by, err := decision.By{Estimator: svm.PLT{}, Rule: decision.SetF{}}.Fit(ctx, d)
	if err != nil {
		t.Fatal(err)
	}
	given, err := by.Scorer.(*classifier.Model).ConditionalProbabilities(d.X)
	if err != nil {
		t.Fatal(err)
	}
	ratio := func(nodes *mat.Dense) *mat.Dense {
		return apply(nodes, func(i, n int, v float64) float64 {
			if parents := g.Parents(n); len(parents) > 0 {
				if nodes.At(i, parents[0]) == 0 {
					return 0
				}
				return v / nodes.At(i, parents[0])
			}
			return v
		})
	}
	for name, c := range map[string]struct {
		m *decision.Model
		p *mat.Dense
	}{
		"label tree": {by, given},
		"calibrated": {&decision.Model{Scorer: calibrated, Rule: decision.SetF{}, Taxonomy: g}, ratio(calibrated.NodeProbabilities(d.X))},
		"forest":     {&decision.Model{Scorer: trees, Rule: decision.SetF{}, Taxonomy: g}, ratio(trees.NodeProbabilities(d.X))},
	} {
		sets, values, err := c.m.Sets(ctx, d.X)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want, expected, err := decision.SetF{}.Decide(ctx, g, c.p)
		if err != nil || !reflect.DeepEqual(sets, want) || !reflect.DeepEqual(values, expected) {
			t.Errorf("%s: other decisions than those of the rule (%v)", name, err)
		}
		r, err := metric.Evaluate(c.m, d)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		of, err := metric.LabelSets(d.Labels, sets, g)
		if err != nil || math.Abs(r.HierarchicalSamplesF1-of.HierarchicalSamples) > 1e-12 || of.RootlessSamples != r.RootlessSamplesF1 {
			t.Errorf("%s: the report has %v, the sets %v (%v)", name, r.HierarchicalSamplesF1, of.HierarchicalSamples, err)
		}
	}
	ridge, err := svm.NodeSets{}.Fit(ctx, d)
	if err != nil {
		t.Fatal(err)
	}
	for name, scorer := range map[string]metric.Scorer{"calibrated": calibrated, "forest": trees, "node sets": ridge} {
		for _, rule := range []decision.Rule{nil, decision.LargestF{}, decision.TopDown{}} {
			m := &decision.Model{Scorer: scorer, Rule: rule, Taxonomy: g}
			if _, _, err := m.Sets(ctx, d.X); err == nil || !strings.Contains(err.Error(), "several labels, and the rule chooses one; use SetF") {
				t.Errorf("%s, %T: error %v", name, rule, err)
			}
			if _, err := metric.Evaluate(m, d); err == nil || !strings.Contains(err.Error(), "several labels") {
				t.Errorf("%s, %T: error %v of Evaluate", name, rule, err)
			}
		}
	}
	one, _ := noisy(100)
	for want, rule := range map[string]decision.Rule{
		"the set of labels with the largest expected hierarchical F1\n":               decision.SetF{},
		"the set of labels with the largest expected hierarchical F1 without roots\n": decision.SetF{Rootless: true},
	} {
		if text := (&decision.Model{Rule: rule}).String() + "\n"; !strings.Contains(text, want) || strings.Contains(text, "nil") {
			t.Errorf("a model without a scorer is shown as %q", text)
		}
	}
	flat, err := svm.Flat{}.Fit(ctx, one)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := (&decision.Model{Scorer: flat, Rule: decision.SetF{}, Taxonomy: one.Taxonomy}).Sets(ctx, one.X); err == nil || !strings.Contains(err.Error(), "no probabilities") {
		t.Errorf("of scores: %v", err)
	}
}

// apply returns a function of the entries of a matrix.
func apply(m *mat.Dense, f func(i, j int, v float64) float64) *mat.Dense {
	var made mat.Dense
	made.Apply(f, m)
	return &made
}
