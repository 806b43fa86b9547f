package svm_test

import (
	"context"
	"fmt"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

func ExampleHM3() {
	t, err := taxonomy.New([]string{"animal", "bird", "fish", "owl", "duck"}, [][2]int{{0, 1}, {0, 2}, {1, 3}, {1, 4}})
	if err != nil {
		fmt.Println(err)
		return
	}
	// Features: feathers, scales, webbed feet. Labels may be inner nodes, several, or none.
	d := &dataset.Dataset{Name: "animals", Taxonomy: t,
		X: &dataset.Matrix{
			Rows: 4, Cols: 3, Indptr: []int{0, 1, 3, 4, 4},
			Indices: []int32{0, 0, 2, 1}, Values: []float32{1, 1, 1, 1},
		},
		Labels: [][]int{{1}, {4}, {2}, {}},
	}
	m, err := svm.HM3{C: 10}.Fit(context.Background(), d)
	if err != nil {
		fmt.Println(err)
		return
	}
	sets, err := m.ClosedSets(d.X)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, set := range sets {
		fmt.Println(t.NamesOf(set...))
	}
	// Output:
	// [bird]
	// [duck]
	// [fish]
	// []
}
