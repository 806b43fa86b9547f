package loss

import (
	"fmt"
	"sync"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// Rower is a Loss that computes the costs of all predictions at once faster than by single calls of
// Cost. On trees and forests the losses of this package take one pass over the nodes.
type Rower interface {
	Loss

	// Taxonomy returns the taxonomy of the costs, or nil for any taxonomy.
	Taxonomy() *taxonomy.Taxonomy

	// NodeRow writes Cost(truth, n) into dst[n] for every node n of the taxonomy; dst has one entry
	// per node. It must be safe for concurrent use.
	NodeRow(truth int, dst []float64)
}

// Row writes the cost of predicting each leaf when the node truth is true into dst, which has one
// entry per leaf, in the order of Taxonomy.Leaves. It takes one pass over the nodes if the loss is
// a Rower of this taxonomy, otherwise it calls Cost for every leaf. Training reads a loss with it,
// because the table of a large taxonomy would not fit into memory.
func Row(l Loss, t *taxonomy.Taxonomy, truth int, dst []float64) {
	leaves := t.Leaves()
	dst = dst[:len(leaves)]
	if _, ok := l.(zeroOne); ok && t.IsLeaf(truth) {
		for j := range dst {
			dst[j] = 1
		}
		dst[t.LeafIndex(truth)] = 0
		return
	}
	r, ok := rower(l, t)
	if !ok {
		for j, n := range leaves {
			dst[j] = l.Cost(truth, n)
		}
		return
	}
	if byLeaf, ok := r.(leafRower); ok && t.IsTree() {
		byLeaf.leafRow(truth, dst)
		return
	}
	nodes := borrow(t.Len())
	r.NodeRow(truth, *nodes)
	for j, n := range leaves {
		dst[j] = (*nodes)[n]
	}
	scratch.Put(nodes)
}

// NodeRow is Row for all nodes: dst has one entry per node, by id.
func NodeRow(l Loss, t *taxonomy.Taxonomy, truth int, dst []float64) {
	dst = dst[:t.Len()]
	if r, ok := rower(l, t); ok {
		r.NodeRow(truth, dst)
		return
	}
	costs(l, truth, dst)
}

// Check returns an error if l was made for a taxonomy with other nodes than t, so that costs would
// be wrong or missing; the edges may differ. Losses without a known taxonomy pass.
func Check(l Loss, t *taxonomy.Taxonomy) error { return check(l, t) }

// CheckSets is Check for a loss of sets.
func CheckSets(l SetLoss, t *taxonomy.Taxonomy) error { return check(l, t) }

func check(l any, t *taxonomy.Taxonomy) error {
	about, ok := l.(interface{ Taxonomy() *taxonomy.Taxonomy })
	if !ok || about.Taxonomy() == nil || about.Taxonomy() == t {
		return nil
	}
	own := about.Taxonomy()
	if own.Len() != t.Len() {
		return fmt.Errorf("loss: the loss was made for a taxonomy of %d nodes, and this one has %d; make it for this one", own.Len(), t.Len())
	}
	for n, name := range own.Names() {
		if name != t.Name(n) {
			return fmt.Errorf("loss: the loss was made for another taxonomy, where node %d is %q; here it is %q; make it for this one", n, name, t.Name(n))
		}
	}
	return nil
}

func rower(l Loss, t *taxonomy.Taxonomy) (Rower, bool) {
	r, ok := l.(Rower)
	return r, ok && (r.Taxonomy() == nil || r.Taxonomy() == t)
}

// leafRower computes the costs of the leaves of a tree or forest without those of the other nodes.
type leafRower interface {
	leafRow(truth int, dst []float64)
}

// scratch holds rows over nodes.
var scratch sync.Pool

func borrow(n int) *[]float64 {
	if row, ok := scratch.Get().(*[]float64); ok && cap(*row) >= n {
		*row = (*row)[:n]
		return row
	}
	row := make([]float64, n)
	return &row
}

// costs is NodeRow where there is no faster way.
func costs(l Loss, truth int, dst []float64) {
	for n := range dst {
		dst[n] = l.Cost(truth, n)
	}
}
