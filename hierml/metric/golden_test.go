package metric_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/internal/golden"
	"github.com/hierml/notebook/hierml/metric"
)

func TestGolden(t *testing.T) {
	cases, err := golden.Read("metrics")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			var want struct {
				Taxonomy      golden.Taxonomy
				Scores        [][]float64
				Labels        [][]int
				PredictedSets [][]int `json:"predicted_sets"`
				Acc, Pacc     float64
				Prec, Rloss   float64
				OneError      float64 `json:"one_error"`
				TopLossHalf   float64 `json:"top_loss_half"`
				PerInstance   []struct {
					Top         int
					Acc, Pacc   float64
					Prec, Rloss float64
					TopLossHalf float64 `json:"top_loss_half"`
				} `json:"per_instance"`
				LeafPRF struct {
					P     float64 `json:"micro_p"`
					R     float64 `json:"micro_r"`
					Micro float64 `json:"micro_f1"`
					Macro float64 `json:"macro_f1"`
				} `json:"leaf_prf"`
				ZeroOneSets float64 `json:"zero_one_sets"`
				Nodes       struct {
					P float64 `json:"hp"`
					R float64 `json:"hr"`
					F float64 `json:"hf"`
				} `json:"hier_prf_all_nodes"`
				Single struct {
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
			scores := matrix(want.Scores)
			got, err := metric.EvaluateScores(scores, want.Labels, g)
			if err != nil {
				t.Fatal(err)
			}
			near(t, "accuracy", got.Accuracy, want.Acc)
			near(t, "one-error", 1-got.Accuracy, want.OneError)
			near(t, "parent accuracy", got.ParentAccuracy, want.Pacc)
			near(t, "average precision", got.AveragePrecision, want.Prec)
			near(t, "ranking loss", got.RankingLoss, want.Rloss)
			if g.IsTree() {
				near(t, "half tree loss", got.TreeLoss/2, want.TopLossHalf)
			}
			for i, w := range want.PerInstance {
				r, err := metric.EvaluateScores(matrix(want.Scores[i:i+1]), want.Labels[i:i+1], g)
				if err != nil {
					t.Fatal(err)
				}
				near(t, "accuracy of one instance", r.Accuracy, w.Acc)
				near(t, "parent accuracy of one instance", r.ParentAccuracy, w.Pacc)
				near(t, "average precision of one instance", r.AveragePrecision, w.Prec)
				near(t, "ranking loss of one instance", r.RankingLoss, w.Rloss)
				if g.IsTree() {
					near(t, "half tree loss of one instance", r.TreeLoss/2, w.TopLossHalf)
				}
			}
			f, err := metric.LabelSets(want.Labels, want.PredictedSets, g)
			if err != nil {
				t.Fatal(err)
			}
			near(t, "micro precision", f.MicroPrecision, want.LeafPRF.P)
			near(t, "micro recall", f.MicroRecall, want.LeafPRF.R)
			near(t, "micro F1", f.Micro, want.LeafPRF.Micro)
			near(t, "macro F1", f.Macro, want.LeafPRF.Macro)
			near(t, "hierarchical precision", f.HierarchicalPrecision, want.Nodes.P)
			near(t, "hierarchical recall", f.HierarchicalRecall, want.Nodes.R)
			near(t, "hierarchical F1", f.Hierarchical, want.Nodes.F)
			near(t, "exact sets", f.Exact, 1-want.ZeroOneSets)

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
		})
	}
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
	if math.Abs(got-want) > 1e-12 {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}
