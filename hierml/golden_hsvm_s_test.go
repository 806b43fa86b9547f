package hierml_test

import (
	"context"
	"math"
	"testing"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/golden"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
)

// TestGoldenGlobalMargin runs every case of the family hsvm_s, with several labels an instance too.
func TestGoldenGlobalMargin(t *testing.T) {
	cases, err := golden.Read("hsvm_s")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			var want struct {
				instances
				Taxonomy   golden.Taxonomy
				Attributes string
				Loss       string
				Table      [][]float64 `json:"loss_table_all_nodes"`
				C1, C2     float64
			}
			decode(t, c, &want)
			if want.Attributes != "indicator" {
				t.Fatalf("unknown attributes %q", want.Attributes)
			}
			g := build(t, want.Taxonomy)
			l, err := loss.Named(want.Loss, g)
			if err != nil {
				t.Fatal(err)
			}
			if len(want.Table) != g.Len() {
				t.Fatalf("losses of %d nodes for a taxonomy of %d", len(want.Table), g.Len())
			}
			row := make([]float64, g.Len())
			for a, costs := range want.Table {
				loss.NodeRow(l, g, a, row)
				for b, v := range costs {
					if math.Abs(row[b]-v) > 1e-12 || math.Abs(l.Cost(a, b)-v) > 1e-12 {
						t.Errorf("loss of node %d for node %d is %v, in the row %v, want %v", b, a, l.Cost(a, b), row[b], v)
					}
				}
			}
			want.compare(t, want.Objective, g, func(gap float64, d *dataset.Dataset) (*classifier.Model, error) {
				estimator := svm.GlobalMargin{C1: want.C1, C2: want.C2, Loss: l, Settings: solver.Settings{Gap: gap, MaxEpochs: 100000}}
				return estimator.Fit(context.Background(), d)
			})
		})
	}
}
