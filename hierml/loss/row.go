package loss

import (
	"sync"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// Rower is a Loss that knows the costs of all predictions at once for less than their number times
// Cost. On trees and forests the losses of this package take one pass over the nodes.
type Rower interface {
	Loss

	// Taxonomy returns the taxonomy whose nodes the costs are about, nil where any will do.
	Taxonomy() *taxonomy.Taxonomy

	// NodeRow writes Cost(truth, n) into dst[n] for every node n of the taxonomy; dst has one entry a
	// node. It may be called from several goroutines at once.
	NodeRow(truth int, dst []float64)
}

// Row writes the cost of predicting each leaf when the node truth is true into dst, which has one
// entry a leaf, in the order of Taxonomy.Leaves. It takes one pass over the nodes where the loss is a
// Rower of this taxonomy, and asks for every cost by itself otherwise. It is how training reads a
// loss: the table of a large taxonomy would not fit into memory.
func Row(l Loss, t *taxonomy.Taxonomy, truth int, dst []float64) {
	leaves := t.Leaves()
	dst = dst[:len(leaves)]
	r, ok := rower(l, t)
	if !ok {
		for j, n := range leaves {
			dst[j] = l.Cost(truth, n)
		}
		return
	}
	nodes := borrow(t.Len())
	r.NodeRow(truth, *nodes)
	for j, n := range leaves {
		dst[j] = (*nodes)[n]
	}
	scratch.Put(nodes)
}

// NodeRow does what Row does for all nodes: dst has one entry a node, by id.
func NodeRow(l Loss, t *taxonomy.Taxonomy, truth int, dst []float64) {
	dst = dst[:t.Len()]
	if r, ok := rower(l, t); ok {
		r.NodeRow(truth, dst)
		return
	}
	costs(l, truth, dst)
}

func rower(l Loss, t *taxonomy.Taxonomy) (Rower, bool) {
	r, ok := l.(Rower)
	return r, ok && (r.Taxonomy() == nil || r.Taxonomy() == t)
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

// topDown writes into dst, for every node n of a tree or forest, the weights of the nodes in which
// the paths of truth and n differ: all of them, or only the topmost of either path. No weights are
// weights of 1.
func topDown(t *taxonomy.Taxonomy, truth int, weight []float64, topmost bool, dst []float64) {
	of := func(n int) float64 {
		if weight == nil {
			return 1
		}
		return weight[n]
	}
	depth := t.Depth(truth)
	path := make([]int, depth+1) // the ancestor of truth at each depth
	for d, n := depth, truth; ; d-- {
		path[d] = n
		if d == 0 {
			break
		}
		n = t.Parents(n)[0]
	}
	above := 0.0 // what truth alone has where n has no node in common with it
	dst[truth] = 0
	for d := depth; d >= 0; d-- {
		if topmost {
			above = 0
		}
		above += of(path[d])
		if d > 0 {
			dst[path[d-1]] = above
		}
	}
	for _, n := range t.Topological() {
		d := t.Depth(n)
		switch {
		case d <= depth && path[d] == n:
		case d == 0:
			dst[n] = above + of(n)
		default:
			p := t.Parents(n)[0]
			dst[n] = dst[p]
			if !topmost || d-1 <= depth && path[d-1] == p {
				dst[n] += of(n)
			}
		}
	}
}

// costs is NodeRow where there is no faster way.
func costs(l Loss, truth int, dst []float64) {
	for n := range dst {
		dst[n] = l.Cost(truth, n)
	}
}
