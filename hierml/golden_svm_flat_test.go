package hierml_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/golden"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// TestGoldenFlatSeveralLabels runs the cases of the family svm_flat in which an instance has
// several labels.
func TestGoldenFlatSeveralLabels(t *testing.T) {
	cases, err := golden.Read("svm_flat")
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, c := range cases {
		var want struct {
			instances
			Classes []int
			C       float64
		}
		decode(t, c, &want)
		if !want.multiLabel() {
			continue
		}
		ran++
		t.Run(c.ID, func(t *testing.T) {
			names := make([]string, len(want.Classes))
			for k, y := range want.Classes {
				names[k] = fmt.Sprint(y)
			}
			g, err := taxonomy.New(names, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, set := range want.Labels {
				for k, y := range set {
					set[k] = slices.Index(want.Classes, y)
				}
			}
			want.compare(t, want.Objective, g, func(gap float64, d *dataset.Dataset) (*classifier.Model, error) {
				return svm.Flat{C: want.C, Settings: solver.Settings{Gap: gap, MaxEpochs: 100000}}.Fit(context.Background(), d)
			})
		})
	}
	if ran == 0 {
		t.Error("no case has several labels")
	}
}
