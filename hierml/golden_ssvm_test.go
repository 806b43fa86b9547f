package hierml_test

import (
	"testing"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/golden"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/hierml/svm"
)

// TestGoldenShared has the shared SVM, [CSS16, (14)]. Its minimiser is not unique: values are
// compared.
func TestGoldenShared(t *testing.T) {
	cases, err := golden.Read("ssvm")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			var want struct {
				instances
				Taxonomy golden.Taxonomy
				Loss     string
				Lambda   float64 `json:"lam"`
			}
			decode(t, c, &want)
			g := build(t, want.Taxonomy)
			delta, err := loss.Named(want.Loss, g)
			if err != nil {
				t.Fatal(err)
			}
			cost := structured.CFromLambda(want.Lambda)
			want.compare(t, want.Objective*cost, g, func(gap float64, d *dataset.Dataset) (*classifier.Model, error) {
				settings := solver.Settings{Gap: gap, MaxEpochs: 100000}
				return svm.Shared{C: cost, Loss: delta, Settings: settings}.Fit(t.Context(), d)
			})
		})
	}
}
