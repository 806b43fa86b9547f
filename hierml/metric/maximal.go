package metric

import (
	"sync/atomic"

	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// costs are the costs of predicting each leaf when a leaf is true. It caches rows up to a limit.
type costs struct {
	labels
	loss loss.Loss
	// the loss is between labels as in the data; otherwise between leaves of t
	between bool
	known   []atomic.Pointer[[]float64] // by position of the true leaf
	room    atomic.Int64                // rows
}

// maxKnown bounds the memory of cached costs: 64 MiB.
const maxKnown = 1 << 23

func newCosts(of labels, l loss.Loss, between bool) *costs {
	c := &costs{labels: of, loss: l, between: between && of.t != of.nodes, known: make([]atomic.Pointer[[]float64], len(of.t.Leaves()))}
	c.room.Store(int64(maxKnown / len(c.known)))
	return c
}

// row returns the costs when the leaf is true, in the order of the leaves. It may be scratch.
func (c *costs) row(leaf int, scratch []float64) []float64 {
	known := &c.known[c.t.LeafIndex(leaf)]
	if row := known.Load(); row != nil {
		return *row
	}
	if c.room.Add(-1) < 0 {
		c.fill(leaf, scratch)
		return scratch
	}
	row := make([]float64, len(c.known))
	c.fill(leaf, row)
	known.Store(&row)
	return row
}

// fill writes the costs when the leaf is true.
func (c *costs) fill(leaf int, row []float64) {
	if !c.between {
		loss.Row(c.loss, c.t, leaf, row)
		return
	}
	byNode := make([]float64, c.nodes.Len())
	loss.NodeRow(c.loss, c.nodes, c.to[leaf], byNode)
	for k, y := range c.t.Leaves() {
		row[k] = byNode[c.to[y]]
	}
}

// maximal is the maximal loss [Cai08, (4.18)] of an instance that has misordered labels. Half the
// distance on trees takes O(leaves · depth) for all true labels together. Other losses take
// O(leaves) for each, plus the time to compute their costs.
func (w *worker) maximal(scores []float64) float64 {
	const (
		fewLabels = 3  // up to which costs are computed one by one
		fewShare  = 16 // a 16th of all leaves, up to which costs are computed separately
	)
	if w.halfed && w.nodes.IsTree() && len(w.own) > fewLabels {
		return w.farthest(scores) / 2
	}
	worst, wrong := 0.0, 0
	for j := len(w.own) - 1; j >= 0; j-- {
		wrong += w.above[j+1]
		if wrong == 0 {
			continue
		}
		y := w.own[j]
		var row []float64
		if wrong > len(scores)/fewShare {
			row = w.costs.row(y.leaf, w.row)
		}
		for k, s := range scores {
			if s < y.score || w.isTrue[k] {
				continue
			}
			if row != nil {
				worst = max(worst, row[k])
			} else {
				worst = max(worst, w.cost(y.leaf, w.leaves[k]))
			}
		}
	}
	return worst
}

// cost is the loss of predicting f when y is true.
func (w *worker) cost(y, f int) float64 {
	switch {
	case w.halfed && w.nodes.IsTree():
		return float64(w.nodes.Distance(w.to[y], w.to[f])) / 2
	case w.halfed:
		return w.loss.Cost(w.to[y], w.to[f])
	}
	return w.loss.Cost(y, f)
}

// span represents a set of nodes of a tree by the two that are farthest apart: for any node, one of
// them is a farthest node of the set.
type span struct {
	a, b int // -1 in an empty set
	long int
}

// include adds a node.
func (s *span) include(t *taxonomy.Taxonomy, n int) {
	if s.a < 0 {
		s.a, s.b = n, n
		return
	}
	toA, toB := t.Distance(s.a, n), t.Distance(s.b, n)
	switch {
	case toA > s.long && toA >= toB:
		s.b, s.long = n, toA
	case toB > s.long:
		s.a, s.long = n, toB
	}
}

// farthest returns the largest distance of a true label to a wrong leaf with its score or a higher
// one, on a tree or forest.
func (w *worker) farthest(scores []float64) float64 {
	w.spans = w.spans[:0]
	for range len(w.own) + 1 {
		w.spans = append(w.spans, span{a: -1})
	}
	lowest := w.own[0].score
	for k, s := range scores {
		if s >= lowest && !w.isTrue[k] {
			w.spans[w.reached(s)].include(w.nodes, w.to[w.leaves[k]])
		}
	}
	farthest := 0
	all := span{a: -1}
	for j := len(w.own) - 1; j >= 0; j-- {
		if s := w.spans[j+1]; s.a >= 0 {
			all.include(w.nodes, s.a)
			all.include(w.nodes, s.b)
		}
		if all.a >= 0 {
			y := w.to[w.own[j].leaf]
			farthest = max(farthest, w.nodes.Distance(y, all.a), w.nodes.Distance(y, all.b))
		}
	}
	return float64(farthest)
}
