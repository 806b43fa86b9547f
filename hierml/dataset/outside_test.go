package dataset_test

import (
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// TestOutside asks for rows and nodes that are not there, and of data that are nil.
func TestOutside(t *testing.T) {
	tree, err := taxonomy.New([]string{"a", "b", "c"}, [][2]int{{0, 1}, {0, 2}})
	if err != nil {
		t.Fatal(err)
	}
	d := &dataset.Dataset{Taxonomy: tree, X: &dataset.Matrix{Rows: 1, Cols: 1, Indptr: []int{0, 0}}, Labels: [][]int{{1}}}
	var none *dataset.Dataset
	var nowhere *taxonomy.Taxonomy
	const nodes, rows = "the taxonomy has the nodes 0 to 2", "there is no row 5; the matrix has the rows 0 to 0"
	for name, c := range map[string]struct {
		ask  func()
		says string
	}{
		"Name":          {func() { tree.Name(99) }, "there is no node 99; " + nodes},
		"NamesOf":       {func() { tree.NamesOf(0, -1) }, "there is no node -1; " + nodes},
		"Parents":       {func() { tree.Parents(3) }, nodes},
		"Children":      {func() { tree.Children(3) }, nodes},
		"IsLeaf":        {func() { tree.IsLeaf(3) }, nodes},
		"LeafIndex":     {func() { tree.LeafIndex(3) }, nodes},
		"Ancestors":     {func() { tree.Ancestors(3) }, nodes},
		"Descendants":   {func() { tree.Descendants(3) }, nodes},
		"Closure":       {func() { tree.Closure([]int{3}) }, nodes},
		"Siblings":      {func() { tree.Siblings(3) }, nodes},
		"Depth":         {func() { tree.Depth(3) }, nodes},
		"ShortestDepth": {func() { tree.ShortestDepth(3) }, nodes},
		"Distance":      {func() { tree.Distance(0, 3) }, nodes},
		"Distances":     {func() { tree.Distances(3) }, nodes},
		"Len of nil":    {func() { nowhere.Len() }, "the taxonomy is nil"},
		"Name of nil":   {func() { nowhere.Name(0) }, "the taxonomy is nil"},
		"Leaves of nil": {func() { nowhere.Leaves() }, "the taxonomy is nil"},
		"Row":           {func() { d.X.Row(5) }, rows},
		"Subset":        {func() { d.Subset([]int{0, 5}) }, rows},
		"Divide":        {func() { d.Divide(dataset.Division{Test: []int{5}}) }, rows},
		"Len":           {func() { none.Len() }, "the data set is nil"},
		"PerClass":      {func() { none.PerClass(1, 1) }, "the data set is nil"},
		"Transposed":    {func() { new(dataset.Dataset).X.Transposed() }, "the matrix is nil"},
		"no matrix":     {func() { (&dataset.Dataset{}).Subset(nil) }, "the matrix is nil"},
	} {
		func() {
			defer func() {
				if err, ok := recover().(error); !ok || !strings.Contains(err.Error(), c.says) {
					t.Errorf("%s: %v, want %q", name, err, c.says)
				}
			}()
			c.ask()
		}()
	}
	_, err = none.Folds(2, 1)
	if _, _, split := none.Split(0.5, 1); err == nil || split == nil {
		t.Errorf("of nil: Folds %v, Split %v", err, split)
	}
}
