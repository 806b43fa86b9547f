package taxonomy_test

import (
	"slices"
	"testing"

	"github.com/hierml/notebook/hierml/taxonomy"
)

func TestMostSpecific(t *testing.T) {
	tax, err := taxonomy.New([]string{"a", "b", "c", "d", "e"}, [][2]int{{0, 1}, {1, 2}, {3, 2}})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ nodes, want []int }{
		{nil, nil}, {[]int{0}, []int{0}}, {[]int{2, 0, 1, 3}, []int{2}}, {[]int{4, 3, 1, 0}, []int{1, 3, 4}}, {[]int{3, 1, 3}, []int{1, 3}},
	} {
		if got := tax.MostSpecific(slices.Clone(test.nodes)); !slices.Equal(got, test.want) {
			t.Errorf("of %v: %v, want %v", test.nodes, got, test.want)
		}
	}
}
