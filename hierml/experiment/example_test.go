package experiment_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/experiment"
	"github.com/hierml/notebook/hierml/features"
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
	// flat          C=10 (2); C=0.1 (1)  3       0.6960 ± 0.0702 best                                 0.9730 ± 0.2556 best
	// hierarchical  C=0.1 (2); C=10 (1)  3       0.6738 ± 0.0648 (-0.0222 [-0.0855, 0.0410], p=0.27)  1.0395 ± 0.2546 (+0.0665 [-0.0170, 0.1500], p=0.076)
	// p: the paired t-test against flat, two-sided, not corrected for the number of tests; before p the difference, with its interval of 95 % confidence
}

// A table with a missing number. Its settings are chosen together with C within what is trained on.
func Example_table() {
	weight, origin, label := dataset.Numbers("weight"), dataset.Words("origin"), dataset.Words("label")
	for i := range 40 {
		weight.Numbers = append(weight.Numbers, float64(i*i))
		origin.Words = append(origin.Words, []string{"Japan", "India", "Kenya", "Brazil"}[i%4])
		label.Words = append(label.Words, []string{"tea", "tea", "coffee", "coffee"}[i%4])
	}
	weight.Numbers[7] = math.NaN()
	table, err := dataset.NewTable("drinks", weight, origin, label)
	if err == nil {
		table, err = table.WithLabels("label", nil)
	}
	if err != nil {
		log.Fatal(err)
	}
	study := experiment.Study{
		Data: []experiment.Data{{Table: table, Columns: features.Columns{Number: features.Number{Missing: features.Mean, Scale: features.ZScore}}}},
		Methods: []experiment.Method{
			{Name: "numbers", Estimator: svm.Flat{}, Grid: experiment.Grid{"C": {0.1, 10}, "Data.Columns.Only": {[]string{"weight"}}}},
			{Name: "both", Estimator: svm.Flat{}, Grid: experiment.Grid{"C": {0.1, 10}, "Data.Columns.Number.Log": {false, true}}},
		},
		Split: experiment.Split{HeldOut: 0.5}, Inner: experiment.Split{Folds: 2}, Measures: []string{"accuracy"},
	}
	results, err := study.Run(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(results)
	// Output:
	// method   settings                             rounds  accuracy ↑
	// numbers  C=0.1, Data.Columns.Only=[weight]    1       0.4500
	// both     C=10, Data.Columns.Number.Log=false  1       1.0000 best
}

// A method on five folds, in which no group is both trained on and tested on.
func ExampleCrossValidate() {
	d, err := synthetic.LinearTree{Depth: 2, Instances: 200, Seed: 1}.Generate(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for i := range d.Len() {
		d.Groups = append(d.Groups, fmt.Sprint("author ", i%40))
	}
	v, err := experiment.CrossValidate(context.Background(), svm.Flat{}, d, 5)
	if err != nil {
		log.Fatal(err)
	}
	accuracy, err := v.Measure("accuracy")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(accuracy.Interval)
	// Output: 0.8550, with 95 % confidence between 0.8040 and 0.9060
}
