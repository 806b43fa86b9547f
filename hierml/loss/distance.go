package loss

import (
	"sync/atomic"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// Tree returns the number of edges between two labels, Taxonomy.Distance. On graphs with several
// parents a node it differs from Symdiff.
func Tree(t *taxonomy.Taxonomy) Loss { return newDistance(t, 1) }

// HalfGraph returns half of Tree: the tree loss that the papers report.
func HalfGraph(t *taxonomy.Taxonomy) Loss { return newDistance(t, 0.5) }

type distance struct {
	t     *taxonomy.Taxonomy
	scale float64
	// known has the distances from every label asked for, where one distance costs as much as all.
	known []atomic.Pointer[[]int]
}

func newDistance(t *taxonomy.Taxonomy, scale float64) *distance {
	l := &distance{t: t, scale: scale}
	if !t.IsTree() {
		l.known = make([]atomic.Pointer[[]int], t.Len())
	}
	return l
}

func (l *distance) Cost(truth, predicted int) float64 {
	if l.known == nil {
		return l.scale * float64(l.t.Distance(truth, predicted))
	}
	row := l.known[truth].Load()
	if row == nil {
		d := l.t.Distances(truth)
		row = &d
		l.known[truth].Store(row)
	}
	return l.scale * float64((*row)[predicted])
}
