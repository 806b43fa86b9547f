package svm_test

import (
	"context"
	"fmt"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
	"github.com/hierml/notebook/hierml/weighting"
)

// Fur tells animals from vehicles, so that one of the two parents is worth a weight.
func ExampleShared_Fit() {
	t, err := taxonomy.FromPaths([]string{"animal/cat", "animal/dog", "animal/fox", "vehicle/car", "vehicle/boat", "vehicle/sledge"}, "/")
	if err != nil {
		fmt.Println(err)
		return
	}
	data := &dataset.Dataset{
		Taxonomy:   t,
		Vocabulary: []string{"fur", "purrs", "barks", "yelps", "wheels", "sail", "runners"},
		X: &dataset.Matrix{
			Rows: 6, Cols: 7,
			Indptr:  []int{0, 2, 4, 6, 7, 8, 9},
			Indices: []int32{0, 1, 0, 2, 0, 3, 4, 5, 6},
			Values:  []float32{3, 1, 3, 1, 3, 1, 1, 1, 1},
		},
	}
	for _, l := range t.Leaves() {
		data.Labels = append(data.Labels, []int{l})
	}
	model, err := svm.Shared{Loss: loss.Symdiff(t)}.Fit(context.Background(), data)
	if err != nil {
		fmt.Println(err)
		return
	}
	parents := 0.0
	for n, alpha := range model.NodeWeights() {
		if !t.IsLeaf(n) {
			parents += alpha
		}
	}
	fmt.Printf("weight of the parents above 0.5: %v\n", parents > 0.5)
	even, err := svm.Normalized{Weighting: weighting.MaxMin{}, Loss: loss.Symdiff(t)}.Fit(context.Background(), data)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("smaller objective than with even weights: %v\n", model.Training.Certificate.Primal < even.Training.Certificate.Dual)
	// Output:
	// weight of the parents above 0.5: true
	// smaller objective than with even weights: true
}
