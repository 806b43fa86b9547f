package loss

import (
	"sync"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// path is the loss between nodes of a tree or forest that sums the weights of the nodes in which
// their paths from the root differ. It gives the costs of all predictions for one truth in one pass
// down the tree, in arrays: training asks for one such row a visit to an example.
type path struct {
	t             *taxonomy.Taxonomy
	weight        []float64 // nil: 1 each
	missed, added float64   // factors of the weights on the path of the truth and of the prediction
	topmost       bool      // only the topmost node of either path counts

	once sync.Once // makes what follows when it is first needed
	// nodes are all nodes, level by level, so that the children of a node stand together. Places
	// count from 1 in them; place 0 is above the roots.
	nodes    []int
	place    []int32   // by node
	parent   []int32   // place of the parent, by place less 1
	own      []float64 // added times the weight, by place less 1
	children []int32   // the place of the first child, by place, and where the next node's begin
	leaves   []int32   // place of each leaf
	rows     sync.Pool // of costs by place
}

func newPath(t *taxonomy.Taxonomy, weight []float64, missed, added float64, topmost bool) *path {
	return &path{t: t, weight: weight, missed: missed, added: added, topmost: topmost}
}

func (l *path) of(n int) float64 {
	if l.weight == nil {
		return 1
	}
	return l.weight[n]
}

func (l *path) build() {
	t := l.t
	l.nodes = append(make([]int, 0, t.Len()), t.Roots()...)
	l.place, l.parent = make([]int32, t.Len()), make([]int32, len(l.nodes), t.Len())
	l.children = append(l.children, 1)
	for k := 0; k < len(l.nodes); k++ {
		n := l.nodes[k]
		l.place[n] = int32(k + 1)
		l.own = append(l.own, l.added*l.of(n))
		l.children = append(l.children, int32(len(l.nodes)+1))
		for _, c := range t.Children(n) {
			l.nodes, l.parent = append(l.nodes, c), append(l.parent, int32(k+1))
		}
	}
	l.children = append(l.children, int32(len(l.nodes)+1))
	for _, n := range t.Leaves() {
		l.leaves = append(l.leaves, l.place[n])
	}
	l.rows.New = func() any {
		row := make([]float64, t.Len()+1)
		return &row
	}
}

// nodeRow writes the costs of all nodes into dst.
func (l *path) nodeRow(truth int, dst []float64) {
	row := l.row(truth)
	for k, n := range l.nodes {
		dst[n] = (*row)[k+1]
	}
	l.rows.Put(row)
}

// leafRow writes the costs of all leaves into dst.
func (l *path) leafRow(truth int, dst []float64) {
	row := l.row(truth)
	for j, k := range l.leaves {
		dst[j] = (*row)[k]
	}
	l.rows.Put(row)
}

// row returns the costs by place.
func (l *path) row(truth int) *[]float64 {
	l.once.Do(l.build)
	row := l.rows.Get().(*[]float64)
	cost := *row
	// Upwards from the truth: what it has below each node above it, and in all.
	below := 0.0
	for p := l.place[truth]; p > 0; p = l.parent[p-1] {
		cost[p] = below
		if l.topmost {
			below = 0
		}
		below += l.missed * l.of(l.nodes[p-1])
	}
	cost[0] = below
	// Downwards: nodes below a node of the path, then the levels between.
	depth := l.t.Depth(truth)
	path := make([]int32, depth+2) // place of the node of the path in each level
	for p, d := l.place[truth], depth+1; d > 0; p, d = l.parent[p-1], d-1 {
		path[d] = p
	}
	done := int32(1)
	for d, p := range path {
		lo, hi := l.children[p], l.children[p+1]
		l.between(cost, done, lo)
		next := hi
		if d <= depth {
			next = path[d+1]
		}
		l.add(cost, lo, next)
		l.add(cost, min(next+1, hi), hi)
		done = hi
	}
	l.between(cost, done, int32(len(cost)))
	return row
}

// between gives places their cost that have no parent on the path of the truth.
func (l *path) between(cost []float64, lo, hi int32) {
	if !l.topmost {
		l.add(cost, lo, hi)
		return
	}
	if lo >= hi {
		return
	}
	parent := l.parent[lo-1 : hi-1]
	to := cost[lo:hi]
	for k, p := range parent {
		to[k] = cost[p]
	}
}

// add gives places the cost of their parent and their own weight.
func (l *path) add(cost []float64, lo, hi int32) {
	if lo >= hi {
		return
	}
	parent, own := l.parent[lo-1:hi-1], l.own[lo-1:hi-1]
	to := cost[lo:hi]
	for k, p := range parent {
		to[k] = cost[p] + own[k]
	}
}
