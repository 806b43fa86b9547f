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
	// method        settings             rounds  accuracy ↑                                           tree loss ↓
	// flat          C=0.1                3       0.7013 ± 0.1027 best                                 0.9408 ± 0.4015 best
	// hierarchical  C=0.1 (2); C=10 (1)  3       0.6739 ± 0.0496 (-0.0274 [-0.1595, 0.1047], p=0.47)  1.0503 ± 0.2178 (+0.1095 [-0.3839, 0.6029], p=0.44)
	// p: the paired t-test against flat, two-sided, not corrected for the number of tests; before p the difference, with its interval of 95 % confidence
}
