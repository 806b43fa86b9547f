package classifier_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

func ExampleModel_LabelSets() {
	t, err := taxonomy.FromPaths([]string{"animal/bird", "animal/fish", "plant/tree", "plant/moss"}, "/")
	if err != nil {
		fmt.Println(err)
		return
	}
	// One feature a leaf: what an instance is about.
	leaves := t.Leaves()
	x := &dataset.Matrix{Rows: 6, Cols: 4, Indptr: []int{0}}
	labels := make([][]int, 6)
	for i, about := range [][]int32{{0}, {1}, {2}, {3}, {0, 1}, {1, 3}} {
		for _, k := range about {
			x.Indices, x.Values = append(x.Indices, k), append(x.Values, 1)
			labels[i] = append(labels[i], leaves[k])
		}
		x.Indptr = append(x.Indptr, len(x.Values))
	}
	m, err := svm.Normalized{C: 100}.Fit(context.Background(), &dataset.Dataset{Name: "kinds", Taxonomy: t, X: x, Labels: labels})
	if err != nil {
		fmt.Println(err)
		return
	}
	sets, err := m.LabelSets(x)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, set := range sets[3:] {
		var names []string
		for _, n := range set {
			names = append(names, t.Name(n))
		}
		fmt.Println(strings.Join(names, ", "))
	}
	// Output:
	// plant/moss
	// animal/bird, animal/fish
	// animal/fish, plant/moss
}
