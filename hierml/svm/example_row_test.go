package svm_test

import (
	"context"
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// C is chosen on instances held out, the model is trained on all, and says of a new row of numbers
// what it is.
func ExampleSearch_ChooseC() {
	t, err := taxonomy.FromPaths([]string{"pet/cat", "pet/dog", "farm/cow"}, "/")
	if err != nil {
		log.Fatal(err)
	}
	x := mat.NewDense(6, 2, []float64{4, 25, 5, 26, 30, 55, 28, 60, 600, 140, 650, 150})
	labels, err := dataset.LabelSets(t, [][]string{{"pet/cat"}, {"pet/cat"}, {"pet/dog"}, {"pet/dog"}, {"farm/cow"}, {"farm/cow"}})
	if err != nil {
		log.Fatal(err)
	}
	d, err := dataset.FromDense("animals", t, x, labels)
	if err != nil {
		log.Fatal(err)
	}
	choice, err := svm.Search{HeldOut: 0.5}.ChooseC(context.Background(), svm.Flat{}, d)
	if err != nil {
		log.Fatal(err)
	}
	row, err := dataset.MatrixOf([]float64{620, 145})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(t.NamesOf(choice.Model.Predict(row)...))
	// Output: [farm/cow]
}
