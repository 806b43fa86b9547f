package dataset_test

import (
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/taxonomy"
)

func ExampleFromDense() {
	t, err := taxonomy.FromPaths([]string{"cat", "dog"}, "/")
	if err != nil {
		log.Fatal(err)
	}
	labels, err := dataset.LabelSets(t, [][]string{{"cat"}, {"cat"}, {"dog"}})
	if err != nil {
		log.Fatal(err)
	}
	d, err := dataset.FromDense("pets", t, mat.NewDense(3, 2, []float64{4, 25, 5, 25, 30, 55}), labels)
	if err != nil {
		log.Fatal(err)
	}
	d.Vocabulary = []string{"weight", "height"}
	fmt.Println(d.X)
	// Output: sparse matrix, 3 x 2, 6 entries (2.0 a row)
}
