package loss

import (
	"sync/atomic"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// Tree returns the number of edges between two labels, Taxonomy.Distance. On graphs with several
// parents per node it differs from Symdiff.
func Tree(t *taxonomy.Taxonomy) Loss { return newDistance(t, 1) }

// HalfGraph returns half of Tree: the tree loss in the papers.
func HalfGraph(t *taxonomy.Taxonomy) Loss { return newDistance(t, 0.5) }

type distance struct {
	t     *taxonomy.Taxonomy
	scale float64
	// known has the distances from labels asked for before, where one distance costs as much as
	// all: of at most room labels, so that it doesn't outgrow the graph.
	known []atomic.Pointer[[]int32]
	room  atomic.Int64
	path  *path // the same on trees
}

// maxKnown bounds the memory of known distances, in nodes: 64 MiB.
const maxKnown = 1 << 24

func newDistance(t *taxonomy.Taxonomy, scale float64) *distance {
	l := &distance{t: t, scale: scale, path: newPath(t, nil, scale, scale, false)}
	if !t.IsTree() {
		l.known = make([]atomic.Pointer[[]int32], t.Len())
		l.room.Store(int64(maxKnown / t.Len()))
	}
	return l
}

func (l *distance) Cost(truth, predicted int) float64 {
	if l.known == nil {
		return l.scale * float64(l.t.Distance(truth, predicted))
	}
	if row := l.known[truth].Load(); row != nil {
		return l.scale * float64((*row)[predicted])
	}
	d := l.t.Distances(truth)
	if l.room.Add(-1) >= 0 {
		row := make([]int32, len(d))
		for n, v := range d {
			row[n] = int32(v)
		}
		l.known[truth].Store(&row)
	}
	return l.scale * float64(d[predicted])
}

func (l *distance) Taxonomy() *taxonomy.Taxonomy { return l.t }

func (l *distance) NodeRow(truth int, dst []float64) {
	if l.t.IsTree() {
		l.path.nodeRow(truth, dst)
		return
	}
	for n, d := range l.t.Distances(truth) {
		dst[n] = l.scale * float64(d)
	}
}

func (l *distance) leafRow(truth int, dst []float64) { l.path.leafRow(truth, dst) }
