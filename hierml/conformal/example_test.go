package conformal_test

import (
	"context"
	"fmt"

	"github.com/hierml/notebook/hierml/conformal"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/svm"
)

// A set of 80 % coverage is one node: where the texts leave it open, an inner one.
func ExampleSettings_Learn() {
	ctx := context.Background()
	data := example.Texts(example.Tree(3, 3), 900, 300, 12, 5)
	train, rest, err := data.Split(0.5, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	held, test, err := rest.Split(0.5, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	model, err := svm.Calibrate(ctx, svm.Flat{}, train)
	if err != nil {
		fmt.Println(err)
		return
	}
	sets, err := conformal.Settings{Coverage: 0.8, Nodes: 1}.Learn(ctx, model, held)
	if err != nil {
		fmt.Println(err)
		return
	}
	answers, err := sets.Predict(ctx, test.X)
	if err != nil {
		fmt.Println(err)
		return
	}
	covered := 0
	for i, set := range answers {
		for _, leaf := range set.Leaves {
			if leaf == test.Labels[i][0] {
				covered++
			}
		}
	}
	fmt.Printf("%d of %d sets have the label\n", covered, len(answers))
	for _, set := range answers[:6] {
		fmt.Println(test.Taxonomy.NamesOf(set.Nodes...), len(set.Leaves), "labels, rejected:", set.Rejected)
	}
	// Output:
	// 188 of 229 sets have the label
	// [1] 3 labels, rejected: false
	// [0] 9 labels, rejected: true
	// [0] 9 labels, rejected: true
	// [1] 3 labels, rejected: false
	// [0] 9 labels, rejected: true
	// [1] 3 labels, rejected: false
}
