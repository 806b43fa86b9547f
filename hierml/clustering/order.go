package clustering

import (
	"container/heap"
	"context"
	"math"
	"sort"
)

// agglomerate merges the n things of m, the nearest two clusters at a time and of several such
// pairs the one whose smaller number is smallest, then the one whose other is, until one is left.
// Things are numbered from 0, the cluster of link t is number n+t. m is used up.
func agglomerate(ctx context.Context, m *matrix, progress func(done int) error) ([]Link, error) {
	found, cluster, err := m.chain(ctx, progress)
	if err != nil {
		return nil, err
	}
	o := &order{
		matrix: m, found: found, number: make([]int, m.n+len(found)), size: make([]int, m.n+len(found)),
		above: make([]int, m.n+len(found)), place: make(map[int]int),
		near: make([]int, m.n), distance: make([]float64, m.n), others: make([]float64, m.n), stale: make([]bool, m.n), id: make([]int, m.n),
	}
	for i := range o.number {
		o.number[i], o.above[i] = -1, -1
	}
	for k, f := range found {
		o.above[f.a], o.above[f.b] = k, k
	}
	for _, place := range m.live {
		o.place[cluster[place]] = place
	}
	for i := range m.n {
		o.appear(i, i, 1)
	}
	for len(o.links) < m.n-1 {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		if err := o.next(progress); err != nil {
			return nil, err
		}
	}
	if m.linkage == Ward {
		for t, l := range o.links {
			o.links[t].Height = math.Sqrt(l.Height)
		}
	}
	return o.links, nil
}

// order goes through the mergers by distance and numbers them. Those that the chain found are
// merged in the matrix already; it lets their clusters appear when their turn has come. Pairs that
// have one of their members are farther apart than they are, and so are pairs with a cluster that
// has not appeared: none of these is missed. What the chain left because of ties is merged here.
//
// For every cluster it knows the nearest of those with greater numbers, and a lower bound on the
// distances of the others. When the nearest is merged and comes back farther than that, the bound
// takes its place, and only when it is the smallest of all distances the nearest one is looked for
// again. This takes O(n^2) operations unless, time after time, most clusters lose the two that are
// nearest to them.
type order struct {
	*matrix
	links []Link

	found  []merger
	number []int // of things and found mergers, -1 until they appear
	size   []int
	above  []int // the found merger that merges it, or -1
	ready  readiness
	place  map[int]int // of the clusters that the chain left, by their position in number

	// Of the clusters that have appeared and that no found merger merges, by place.
	near     []int // or -1
	distance []float64
	others   []float64 // lower bound on the distances of those that are not the nearest
	stale    []bool    // the nearest is not known, and distance is a lower bound
	id       []int
	present  []int // places of these clusters, by ascending id
}

// appear gives a thing or found merger its number.
func (o *order) appear(k, number, size int) {
	o.number[k], o.size[k] = number, size
	if up := o.above[k]; up >= 0 {
		f := o.found[up]
		if a, b := o.number[f.a], o.number[f.b]; a >= 0 && b >= 0 {
			heap.Push(&o.ready, candidate{f.height, min(a, b), max(a, b), up})
		}
		return
	}
	o.enter(o.place[k], number)
}

// enter makes the cluster in a place, which has the greatest number, one to be merged.
func (o *order) enter(place, number int) {
	o.id[place] = number
	o.forget(place)
	for _, p := range o.present {
		o.consider(p, place)
	}
	o.present = append(o.present, place)
}

// forget drops what is known of the nearest of the cluster in a place.
func (o *order) forget(place int) {
	o.near[place], o.distance[place], o.others[place], o.stale[place] = -1, math.Inf(1), math.Inf(1), false
}

// consider compares the nearest cluster known with one whose number is greater than those of all
// considered before.
func (o *order) consider(place, other int) {
	if d := o.matrix.distance(place, other); d < o.distance[place] {
		o.near[place], o.distance[place], o.others[place], o.stale[place] = other, d, o.distance[place], false
	} else {
		o.others[place] = min(o.others[place], d)
	}
}

// next merges the nearest two clusters.
func (o *order) next(progress func(done int) error) error {
	n := len(o.number) - len(o.found)
	pair, here := o.nearestPair()
	if len(o.ready) > 0 && (!here || o.ready[0].before(pair)) {
		c := heap.Pop(&o.ready).(candidate)
		f := o.found[c.merger]
		size := o.size[f.a] + o.size[f.b]
		o.links = append(o.links, Link{c.a, c.b, c.height, size})
		o.appear(n+c.merger, n+len(o.links)-1, size)
		return nil
	}
	a, b := o.find(pair.a), o.find(pair.b)
	place := o.merge(a, b)
	kept := o.present[:0]
	for _, p := range o.present {
		if p == a || p == b {
			continue
		}
		kept = append(kept, p)
		if o.near[p] == a || o.near[p] == b {
			o.distance[p], o.stale[p] = o.others[p], true
		}
	}
	o.present = kept
	o.links = append(o.links, Link{pair.a, pair.b, pair.height, int(o.matrix.size[place])})
	o.enter(place, n+len(o.links)-1)
	return progress(n - len(o.live))
}

// nearestPair returns the nearest two clusters of those present, if there are two.
func (o *order) nearestPair() (pair candidate, ok bool) {
	for {
		best := -1
		for _, p := range o.present {
			if o.near[p] >= 0 && (best < 0 || o.distance[p] < o.distance[best]) {
				best = p
			}
		}
		if best < 0 {
			return candidate{}, false
		}
		if !o.stale[best] {
			return candidate{o.distance[best], o.id[best], o.id[o.near[best]], -1}, true
		}
		o.search(best)
	}
}

// search looks for the nearest cluster with a greater number.
func (o *order) search(place int) {
	o.forget(place)
	after := sort.Search(len(o.present), func(i int) bool { return o.id[o.present[i]] > o.id[place] })
	for _, p := range o.present[after:] {
		o.consider(place, p)
	}
}

// find returns the place of the cluster present with the given number.
func (o *order) find(number int) int {
	return o.present[sort.Search(len(o.present), func(i int) bool { return o.id[o.present[i]] >= number })]
}

// candidate is a pair of clusters, by their numbers.
type candidate struct {
	height float64
	a, b   int
	merger int
}

func (c candidate) before(d candidate) bool {
	if c.height != d.height {
		return c.height < d.height
	}
	if c.a != d.a {
		return c.a < d.a
	}
	return c.b < d.b
}

// readiness is a heap of the found mergers of which both clusters have appeared.
type readiness []candidate

func (r readiness) Len() int           { return len(r) }
func (r readiness) Less(i, j int) bool { return r[i].before(r[j]) }
func (r readiness) Swap(i, j int)      { r[i], r[j] = r[j], r[i] }
func (r *readiness) Push(c any)        { *r = append(*r, c.(candidate)) }
func (r *readiness) Pop() any {
	last := len(*r) - 1
	c := (*r)[last]
	*r = (*r)[:last]
	return c
}
