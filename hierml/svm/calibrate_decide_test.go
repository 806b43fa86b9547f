package svm_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/hierml/notebook/hierml/calibration"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/svm"
)

// TestReportOfProbabilities evaluates models with probabilities, of several labels an instance and
// of one: the sets are those with a probability of one half, the errors of the probabilities those
// of package calibration, and there are areas of nodes.
func TestReportOfProbabilities(t *testing.T) {
	g := example.Tree(2, 3)
	for name, single := range map[string]bool{"several": false, "one": true} {
		all := severalTexts(g, 500, 1)
		if single {
			for i, set := range all.Labels {
				all.Labels[i] = set[:1]
			}
		}
		train, test := all.Subset(span(0, 350)), all.Subset(span(350, 500))
		p, err := svm.Calibrate(context.Background(), svm.OneVsRest{}, train)
		if err != nil {
			t.Fatal(err)
		}
		r, err := metric.Evaluate(p, test)
		if err != nil {
			t.Fatal(err)
		}
		probabilities := p.LeafProbabilities(test.X)
		var events []float64
		var positive []bool
		right, logs := 0, 0.0
		for i := range test.Len() {
			set := []int{}
			for k, y := range g.Leaves() {
				v, is := probabilities.At(i, k), slices.Contains(test.Labels[i], y)
				events, positive = append(events, v), append(positive, is)
				if v >= 0.5 {
					set = append(set, y)
				}
				switch {
				case is:
					logs -= math.Log(v)
				case !single:
					logs -= math.Log(1 - v)
				}
			}
			if len(set) == 0 {
				set = p.Sets(probabilities)[i]
				if len(set) != 1 {
					t.Errorf("%s: the set %v of row %d, which has no likely label", name, set, i)
				}
			}
			if single {
				set = []int{p.Model.Predict(test.X)[i]}
			}
			if slices.Equal(set, test.Labels[i]) {
				right++
			}
		}
		by, err := calibration.NewReliability(events, positive, 0, calibration.EqualWidth)
		if err != nil {
			t.Fatal(err)
		}
		brier, logLoss := by.Brier, logs/float64(len(events))
		gotBrier, gotLogLoss := r.LabelsBrier, r.LabelsLogLoss
		if single {
			gotBrier, gotLogLoss = r.Brier, r.LogLoss
			brier, logLoss = by.Brier*float64(len(g.Leaves())), logs/float64(test.Len())
		}
		nodes, err := metric.NodeScores(p.NodeProbabilities(test.X), test.Labels, g)
		if err != nil {
			t.Fatal(err)
		}
		for what, pair := range map[string][2]float64{
			"Brier score": {gotBrier, brier}, "log loss": {gotLogLoss, logLoss}, "exact sets": {r.ExactSets, float64(right) / float64(test.Len())}, "AU(PRC)": {r.Nodes.Pooled, nodes.Pooled},
		} {
			if !(math.Abs(pair[0]-pair[1]) <= 1e-12*max(1, pair[1])) {
				t.Errorf("%s: %s %v, want %v", name, what, pair[0], pair[1])
			}
		}
		if err := p.CheckTaxonomy(example.Tree(3, 3)); err == nil {
			t.Errorf("%s: another taxonomy passes", name)
		}
	}
}
