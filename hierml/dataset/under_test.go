package dataset_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/taxonomy"
)

func TestUnder(t *testing.T) {
	must := func(names []string, edges ...[2]int) *taxonomy.Taxonomy {
		t.Helper()
		tree, err := taxonomy.New(names, edges)
		if err != nil {
			t.Fatal(err)
		}
		return tree
	}
	flat := must([]string{"a", "b", "c", "d"})
	x := &dataset.Matrix{Rows: 2, Cols: 1, Indptr: []int{0, 0, 0}}
	d := &dataset.Dataset{Name: "small", Taxonomy: flat, X: x, Labels: [][]int{{0, 3}, {1}}}
	deep := must([]string{"d", "top", "b", "a"}, [2]int{1, 0}, [2]int{1, 2}, [2]int{1, 3})
	moved, err := d.Under(deep)
	if err != nil {
		t.Fatal(err)
	}
	if want := [][]int{{0, 3}, {2}}; !reflect.DeepEqual(moved.Labels, want) || moved.Taxonomy != deep || moved.X != x {
		t.Errorf("labels %v, want %v", moved.Labels, want)
	}
	if want := [][]int{{0, 3}, {1}}; !reflect.DeepEqual(d.Labels, want) || d.Taxonomy != flat {
		t.Errorf("the data set itself has labels %v now, want %v", d.Labels, want)
	}
	for _, c := range []struct {
		other *taxonomy.Taxonomy
		want  string
	}{
		{nil, "needed"},
		{must([]string{"a", "b"}), `row 0 of "small" has the label "d"`},
		{must([]string{"a", "b", "d"}, [2]int{0, 1}, [2]int{1, 2}), `labels "a" and "d"`},
	} {
		if _, err := d.Under(c.other); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
}
