package experiment_test

import (
	"context"
	"fmt"
	"log"

	"github.com/hierml/notebook/hierml/experiment"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/synthetic"
)

// Two methods, each with the C that is best within what is trained on, on three draws of synthetic
// data.
func Example() {
	settings := solver.Settings{Gap: 0.05}
	study := experiment.Study{
		Name: "synthetic",
		Data: []experiment.Data{{Name: "tree", Generator: synthetic.LinearTree{Depth: 2, Instances: 120}}},
		Methods: []experiment.Method{
			{Name: "flat", Estimator: svm.Flat{Settings: settings}, Grid: experiment.Grid{"C": {0.1, 10}}},
			{Name: "hierarchical", Estimator: svm.Hierarchical{Settings: settings}, Grid: experiment.Grid{"C": {0.1, 10}}},
		},
		Split:    experiment.Split{HeldOut: 0.5},
		Inner:    experiment.Split{Folds: 2},
		Repeats:  3,
		Seed:     1,
		Measures: []string{"accuracy", "tree loss"},
		Baseline: "flat",
	}
	results, err := study.Run(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(results)
	// Output:
	// synthetic
	// method        settings             rounds  accuracy ↑                                            tree loss ↓
	// flat          C=10 (2); C=0.1 (1)  3       0.6960 ± 0.0702 best                                  0.9730 ± 0.2556 best
	// hierarchical  C=0.1 (2); C=10 (1)  3       0.6628 ± 0.0547 (-0.0332 [-0.0746, 0.0083], p=0.075)  1.0614 ± 0.2369 (+0.0883 [0.0417, 0.1350], p=0.015)
	// p: the paired t-test against flat, two-sided, not corrected for the number of tests; before p the difference, with its interval of 95 % confidence
}
