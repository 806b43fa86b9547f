package features_test

import (
	"context"
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/features"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Cats weigh up to 6, dogs from 10 on. Without an intercept a linear model gives all of one sign
// the same label.
func ExampleScaling_intercept() {
	t, err := taxonomy.FromPaths([]string{"cat", "dog"}, "/")
	if err != nil {
		log.Fatal(err)
	}
	pets, err := dataset.FromDense("pets", t, mat.NewDense(4, 1, []float64{4, 6, 10, 12}), [][]int{{0}, {0}, {1}, {1}})
	if err != nil {
		log.Fatal(err)
	}
	intercept, err := features.Scaling{Columns: features.Unscaled, Constant: 1}.Fit(pets)
	if err != nil {
		log.Fatal(err)
	}
	with, err := intercept.Transform(pets)
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range []*dataset.Dataset{pets, with} {
		model, err := svm.Flat{C: 10}.Fit(context.Background(), d)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(model.Predict(d.X))
	}
	// Output:
	// [1 1 1 1]
	// [0 0 1 1]
}

func ExampleScaling() {
	t, err := taxonomy.FromPaths([]string{"cat", "dog"}, "/")
	if err != nil {
		log.Fatal(err)
	}
	train, err := dataset.FromDense("train", t, mat.NewDense(4, 2, []float64{4, 20, 6, 20, 4, 60, 6, 60}), make([][]int, 4))
	if err != nil {
		log.Fatal(err)
	}
	test, err := dataset.FromDense("test", t, mat.NewDense(1, 2, []float64{8, 30}), make([][]int, 1))
	if err != nil {
		log.Fatal(err)
	}
	scaler, err := features.Scaling{Columns: features.ZScore}.Fit(train)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(scaler)
	scaled, err := scaler.Transform(test)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(mat.Formatted(scaled.X.Dense()))
	// Output:
	// z-score of 2 columns, measured on 4 instances
	// [   3  -0.5]
}
