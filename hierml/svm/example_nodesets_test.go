package svm_test

import (
	"context"
	"fmt"
	"log"

	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Data whose labels are leaves and inner nodes, one or several an instance.
func ExampleNodeSets() {
	t, err := taxonomy.FromPaths([]string{"sport/ski", "sport/golf", "music/rock", "music/jazz"}, "/")
	if err != nil {
		log.Fatal(err)
	}
	all := example.Texts(t, 400, 200, 20, 1)
	train, test := all.Subset(span(0, 300)), all.Subset(span(300, 400))
	model, err := svm.NodeSets{Folds: 3}.Fit(context.Background(), train)
	if err != nil {
		log.Fatal(err)
	}
	sets := model.Predict(test.X)
	f, err := metric.LabelSets(test.Labels, sets, t)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("F1 %.1f, as held out %.1f, for example %s\n", f.Hierarchical, model.HeldOut, t.Name(sets[0][0]))
	// Output: F1 0.8, as held out 0.8, for example sport/ski
}
