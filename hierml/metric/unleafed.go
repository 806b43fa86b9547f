package metric

import (
	"errors"
	"fmt"
	"slices"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// unleafed maps the leaves of a taxonomy with miscellaneous leaves to the nodes they came from.
type unleafed struct {
	original *taxonomy.Taxonomy
	to       []int // by node
}

func newUnleafed(leafed, original *taxonomy.Taxonomy) (*unleafed, error) {
	if leafed == nil || original == nil {
		return nil, errors.New("metric: miscellaneous leaves need the taxonomy that has them and the one before")
	}
	u := &unleafed{original: original, to: make([]int, leafed.Len())}
	for n := range u.to {
		u.to[n] = n
		if n >= original.Len() {
			parents := leafed.Parents(n)
			if !leafed.IsLeaf(n) || len(parents) != 1 || parents[0] >= original.Len() {
				return nil, fmt.Errorf("metric: node %q is not a miscellaneous leaf of the original taxonomy, which is the one before Leafed", leafed.Name(n))
			}
			u.to[n] = parents[0]
		} else if leafed.Name(n) != original.Name(n) {
			return nil, fmt.Errorf("metric: node %d is %q, and in the original taxonomy %q; take the one before Leafed", n, leafed.Name(n), original.Name(n))
		}
	}
	if leafed.Len() < original.Len() {
		return nil, fmt.Errorf("metric: the original taxonomy has %d nodes, more than the %d with miscellaneous leaves", original.Len(), leafed.Len())
	}
	return u, nil
}

// set appends the labels in the original taxonomy to dst, which is empty: without those that others
// imply, ascending.
func (u *unleafed) set(dst, labels []int) []int {
	for _, y := range labels {
		dst = append(dst, u.to[y])
	}
	slices.Sort(dst)
	for i := len(dst) - 1; i >= 0; i-- {
		if implied(u.original, dst[i], dst) {
			dst = slices.Delete(dst, i, i+1)
		}
	}
	return dst
}

// implied is true if a label of the set is below y.
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

// Unleafed returns sets of leaves of a taxonomy to which Leafed has added miscellaneous leaves as
// sets of nodes of the original one, without those that others imply: what LabelSets compares with
// the labels as they were.
func Unleafed(sets [][]int, leafed, original *taxonomy.Taxonomy) ([][]int, error) {
	u, err := newUnleafed(leafed, original)
	if err != nil {
		return nil, err
	}
	mapped := make([][]int, len(sets))
	for i, labels := range sets {
		if err := checkLeaves(leafed, labels, i); err != nil {
			return nil, err
		}
		mapped[i] = u.set(make([]int, 0, len(labels)), labels)
	}
	return mapped, nil
}
