package metric_test

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/internal/golden"
	"github.com/hierml/notebook/hierml/metric"
)

// averages are the fields that a case of the golden family has once an instance and once in the
// mean.
type averages struct {
	Accuracy         float64 `json:"acc"`
	AveragePrecision float64 `json:"prec"`
	RankingLoss      float64 `json:"rloss"`
	MaximalLoss      float64 `json:"max_loss_half"`
	TopLoss          float64 `json:"top_loss_half"`
	ParentAccuracy   float64 `json:"pacc"`
}

func (w averages) check(t *testing.T, got func(measure string) float64) {
	t.Helper()
	for name, want := range map[string]float64{
		"accuracy": w.Accuracy, "average precision": w.AveragePrecision, "ranking loss": w.RankingLoss,
		"maximal loss": w.MaximalLoss, "top loss": w.TopLoss, "parent accuracy": w.ParentAccuracy,
	} {
		near(t, name, got(name), want)
	}
}

func TestGolden(t *testing.T) {
	cases, err := golden.Read("metrics")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			var want struct {
				averages
				Taxonomy      golden.Taxonomy
				Leaves        []int
				Scores        [][]float64
				Labels        [][]int
				PredictedSets [][]int `json:"predicted_sets"`
				TieRule       string  `json:"tie_rule"`
				OneError      float64 `json:"one_error"`
				PerInstance   []struct {
					averages
					Top     int
					Exact   float64 `json:"set_exact"`
					Symdiff float64 `json:"set_symdiff"`
				} `json:"per_instance"`
				ZeroOneSets float64 `json:"zero_one_sets"`
				LeafPRF     struct {
					P     float64 `json:"micro_p"`
					R     float64 `json:"micro_r"`
					Micro float64 `json:"micro_f1"`
					Macro float64 `json:"macro_f1"`
				} `json:"leaf_prf"`
				Nodes    prf `json:"hier_prf_all_nodes"`
				Rootless prf `json:"hier_prf_without_roots"`
				Single   struct {
					Y, Pred   []int
					ZeroOne   float64 `json:"zero_one"`
					HalfGraph float64 `json:"half_graph"`
					MicroF1   float64 `json:"micro_f1"`
				}
			}
			if err := c.Decode(&want); err != nil {
				t.Fatal(err)
			}
			g, err := want.Taxonomy.New()
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(g.Leaves(), want.Leaves) || want.TieRule != "argmax: smallest id" {
				t.Fatalf("leaves %v, want %v; ties: %q", g.Leaves(), want.Leaves, want.TieRule)
			}
			scores := matrix(want.Scores)
			got, err := metric.EvaluateScores(scores, want.Labels, g)
			if err != nil {
				t.Fatal(err)
			}
			// The golden values have 0 for labels without parents, which are left out here.
			sum, defined := 0.0, 0.0
			for i := range want.PerInstance {
				w := &want.PerInstance[i].ParentAccuracy
				if !slices.ContainsFunc(want.Labels[i], func(y int) bool { return len(g.Parents(y)) > 0 }) {
					*w = math.NaN()
					continue
				}
				sum, defined = sum+*w, defined+1
			}
			if int(defined) == len(want.Labels) {
				near(t, "mean of the golden values", sum/defined, want.ParentAccuracy)
			}
			want.ParentAccuracy = sum / defined
			want.averages.check(t, func(name string) float64 { return value(t, got, name) })
			near(t, "one-error", 1-got.Accuracy, want.OneError)
			predictions, err := got.Confusion()
			if err != nil {
				t.Fatal(err)
			}
			sets, err := metric.Settings{}.EvaluateSets(scores, want.PredictedSets, want.Labels, g)
			if err != nil {
				t.Fatal(err)
			}
			for i, w := range want.PerInstance {
				w.averages.check(t, func(name string) float64 { return got.PerInstance(name)[i] })
				if predictions.Predicted[i] != w.Top {
					t.Errorf("instance %d is predicted as %d, want %d", i, predictions.Predicted[i], w.Top)
				}
				near(t, "exact set of an instance", sets.PerInstance("exact sets")[i], w.Exact)
				near(t, "symmetric difference of an instance", sets.PerInstance("symmetric difference")[i], w.Symdiff)
			}
			f, err := metric.LabelSets(want.Labels, want.PredictedSets, g)
			if err != nil {
				t.Fatal(err)
			}
			for _, got := range []metric.F1{f, {
				MicroPrecision: sets.MicroPrecision, MicroRecall: sets.MicroRecall, Micro: sets.MicroF1, Macro: sets.MacroF1,
				HierarchicalPrecision: sets.HierarchicalPrecision, HierarchicalRecall: sets.HierarchicalRecall, Hierarchical: sets.HierarchicalF1,
				RootlessPrecision: sets.RootlessPrecision, RootlessRecall: sets.RootlessRecall, Rootless: sets.RootlessF1, Exact: sets.ExactSets,
			}} {
				near(t, "micro precision", got.MicroPrecision, want.LeafPRF.P)
				near(t, "micro recall", got.MicroRecall, want.LeafPRF.R)
				near(t, "micro F1", got.Micro, want.LeafPRF.Micro)
				near(t, "macro F1", got.Macro, want.LeafPRF.Macro)
				near(t, "hierarchical precision", got.HierarchicalPrecision, want.Nodes.P)
				near(t, "hierarchical recall", got.HierarchicalRecall, want.Nodes.R)
				near(t, "hierarchical F1", got.Hierarchical, want.Nodes.F)
				near(t, "hierarchical precision without roots", got.RootlessPrecision, want.Rootless.P)
				near(t, "hierarchical recall without roots", got.RootlessRecall, want.Rootless.R)
				near(t, "hierarchical F1 without roots", got.Rootless, want.Rootless.F)
				near(t, "exact sets", got.Exact, 1-want.ZeroOneSets)
			}

			single := make([][]int, len(want.Single.Y))
			for i, y := range want.Single.Y {
				single[i] = []int{y}
			}
			one, err := metric.EvaluateScores(scores, single, g)
			if err != nil {
				t.Fatal(err)
			}
			near(t, "accuracy with single labels", one.Accuracy, 1-want.Single.ZeroOne)
			near(t, "half tree loss with single labels", one.TreeLoss/2, want.Single.HalfGraph)
			near(t, "micro F1 with single labels", one.MicroF1, want.Single.MicroF1)
			if predictions, err = one.Confusion(); err != nil || !slices.Equal(predictions.Predicted, want.Single.Pred) || !slices.Equal(predictions.Truth, want.Single.Y) {
				t.Errorf("predictions %v of %v, want %v (%v)", predictions.Predicted, predictions.Truth, want.Single.Pred, err)
			}
		})
	}
}

type prf struct {
	P float64 `json:"hp"`
	R float64 `json:"hr"`
	F float64 `json:"hf"`
}

func value(t *testing.T, r *metric.Report, name string) float64 {
	t.Helper()
	v, ok := r.Value(name)
	if !ok {
		t.Fatalf("the report has no %s", name)
	}
	return v
}

func matrix(rows [][]float64) *mat.Dense {
	m := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, r := range rows {
		m.SetRow(i, r)
	}
	return m
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-12*max(1, math.Abs(want)) || math.IsNaN(got) != math.IsNaN(want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}
