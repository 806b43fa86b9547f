package svm_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/hierml/notebook/hierml/calibration"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// places are three functions in two packages, each with words of its own.
func places() *dataset.Dataset {
	t, err := taxonomy.FromPaths([]string{"net/http", "net/url", "fmt"}, "/")
	if err != nil {
		fmt.Println(err)
		return nil
	}
	d := &dataset.Dataset{Taxonomy: t, X: &dataset.Matrix{
		Rows: 3, Cols: 3, Indptr: []int{0, 2, 4, 5}, Indices: []int32{0, 1, 0, 2, 1}, Values: []float32{1, 1, 1, 1, 1},
	}}
	for _, name := range []string{"net/http", "net/url", "fmt"} {
		n, _ := t.Node(name)
		d.Labels = append(d.Labels, []int{n})
	}
	return d
}

// ExamplePLT trains a probabilistic label tree, and takes all leaves whose probability is above a
// threshold.
func ExamplePLT() {
	data := places()
	model, err := svm.PLT{C: 10}.Fit(context.Background(), data)
	if err != nil {
		fmt.Println(err)
		return
	}
	probabilities, err := model.LeafProbabilities(data.X)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range data.X.Rows {
		var leaves []string
		for _, y := range calibration.Above(0.2).Choose(probabilities.RawRowView(i), nil) {
			leaves = append(leaves, fmt.Sprintf("%s %.2f", data.Taxonomy.Name(data.Taxonomy.Leaves()[y]), probabilities.At(i, y)))
		}
		fmt.Println(strings.Join(leaves, "  "))
	}
	// Output:
	// net/http 0.67
	// net/url 0.79
	// net/http 0.23  fmt 0.71
}

// ExampleHierarchicalSoftmax trains probabilities of leaves that add up to 1.
func ExampleHierarchicalSoftmax() {
	data := places()
	model, err := svm.HierarchicalSoftmax{C: 10, Settings: solver.Settings{Gap: 1e-4}}.Fit(context.Background(), data)
	if err != nil {
		fmt.Println(err)
		return
	}
	probabilities, err := model.LeafProbabilities(data.X)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range data.X.Rows {
		var leaves []string
		for y, n := range data.Taxonomy.Leaves() {
			leaves = append(leaves, fmt.Sprintf("%s %.2f", data.Taxonomy.Name(n), probabilities.At(i, y)))
		}
		fmt.Println(strings.Join(leaves, "  "))
	}
	// Output:
	// net/http 0.77  net/url 0.09  fmt 0.14
	// net/http 0.10  net/url 0.87  fmt 0.02
	// net/http 0.18  net/url 0.02  fmt 0.80
}
