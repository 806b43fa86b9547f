package svm_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/orthogonal"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

func ExampleOrthogonal() {
	t, err := taxonomy.FromPaths([]string{"science/computer/compiler", "science/computer/kernel", "science/physics", "sports"}, "/")
	if err != nil {
		fmt.Println(err)
		return
	}
	id := func(name string) int {
		n, _ := t.Node(name)
		return n
	}
	data := &dataset.Dataset{
		Taxonomy:   t,
		Vocabulary: []string{"computer", "parsing", "scheduler", "particle", "goal"},
		X: &dataset.Matrix{
			Rows: 4, Cols: 5,
			Indptr:  []int{0, 2, 4, 5, 6},
			Indices: []int32{0, 1, 0, 2, 3, 4},
			Values:  []float32{1, 1, 1, 1, 1, 1},
		},
		Labels: [][]int{{id("science/computer/compiler")}, {id("science/computer/kernel")}, {id("science/physics")}, {id("sports")}},
	}

	// With three levels alpha = 1 does not leave the problem convex.
	_, err = svm.Orthogonal{Alpha: 1}.Fit(context.Background(), data)
	var refused *orthogonal.ConvexityError
	if errors.As(err, &refused) {
		fmt.Printf("alpha is to be below %.3f\n", refused.MaxAlpha)
	}

	model, err := svm.Orthogonal{C: 10}.Fit(context.Background(), data)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, n := range model.Predict(data.X) {
		fmt.Println(t.Name(n))
	}
	fmt.Println(model.Training.Status)
	// Output:
	// alpha is to be below 0.827
	// science/computer/compiler
	// science/computer/kernel
	// science/physics
	// sports
	// converged
}
