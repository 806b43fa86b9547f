package metric

import (
	"slices"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// labels are the labels of a taxonomy as in the data: a leaf that Leafed added is replaced by the
// inner node above. Measures along the taxonomy use these.
type labels struct {
	t     *taxonomy.Taxonomy
	nodes *taxonomy.Taxonomy // without such leaves
	to    []int              // the node there, by node of t
}

func labelsOf(t *taxonomy.Taxonomy) labels {
	nodes, to := t.WithoutMiscellaneous()
	return labels{t, nodes, to}
}

// set appends the labels as in the data to the empty dst, ascending and without those that others
// imply.
func (l labels) set(dst, labels []int) []int {
	for _, y := range labels {
		dst = append(dst, l.to[y])
	}
	slices.Sort(dst)
	dst = slices.Compact(dst)
	for i := len(dst) - 1; i >= 0; i-- {
		if implied(l.nodes, dst[i], dst) {
			dst = slices.Delete(dst, i, i+1)
		}
	}
	return dst
}

// sets returns those of several instances.
func (l labels) sets(all [][]int) [][]int {
	mapped := make([][]int, len(all))
	for i, set := range all {
		mapped[i] = l.set(make([]int, 0, len(set)), set)
	}
	return mapped
}

// own returns the values by node of t as values by node of the taxonomy without the added leaves.
func (l labels) own(values []float64) []float64 {
	own := make([]float64, l.nodes.Len())
	for n, k := range l.to {
		if l.t.Label(n) == n {
			own[k] = values[n]
		}
	}
	return own
}

// implied reports whether a label of the set is below y.
func implied(t *taxonomy.Taxonomy, y int, set []int) bool {
	if t.IsLeaf(y) {
		return false
	}
	for _, other := range set {
		if _, below := slices.BinarySearch(t.Ancestors(other), y); below && other != y {
			return true
		}
	}
	return false
}
