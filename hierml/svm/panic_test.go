package svm_test

import (
	"context"
	"testing"

	"github.com/hierml/notebook/hierml/calibration"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
)

type badLoss struct{}

func (badLoss) Cost(a, b int) float64 { panic("user") }

// TestPanicsReachTheCaller lets functions of the user panic, wherever they run: the caller can
// recover.
func TestPanicsReachTheCaller(t *testing.T) {
	g := example.Tree(3, 3)
	d := example.Texts(g, 400, 60, 12, 1)
	m := fit(t, svm.Flat{}, d)
	count := 0
	progress := func(solver.Progress) error {
		if count++; count == 2 {
			panic("user")
		}
		return nil
	}
	for name, f := range map[string]func(){
		"cut": func() { m.PredictSets(d.X, calibration.Thresholds{0}) },
		"kernel": func() {
			_, _ = svm.Flat{Kernel: gram.Func(func(a, b gram.Vector) float64 { panic("user") })}.Fit(context.Background(), d)
		},
		"loss": func() { _, _ = svm.Flat{Loss: badLoss{}}.Fit(context.Background(), d) },
		"progress": func() {
			_, _ = svm.OneVsRest{Settings: solver.Settings{Progress: progress}}.Fit(context.Background(), d)
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}
