package labelset

import "math"

// messages is a point of the dual of the relaxation: every node c lends a part of its reward to
// each of its parents, m by edge, and keeps the rest, h. Each node n with its children is then a
// family of its own,
//
//	f_n = max(0, h_n + max over non-empty sets C of children { sum_{c in C} m_nc }),
//
// and the sum of f_n over all nodes is at least the value of every label set, whatever m is: a
// label set chooses in each family a feasible point, and what is lent cancels. The root's family is
// not bounded by zero, since the root is in every set; a leaf's is max(0, h).
//
// Moving what a node lends to the average of what its families would pay for it, update, never
// makes the sum larger. On a forest one pass from the leaves up finds the optimum.
type messages struct {
	g      *graph
	reward []float64
	family []family // by node
	edge   []edge
	trail  []int32 // nodes in the order in which they were decided
	free   []int32 // undecided nodes, parents before children
	belief []float64

	bound     float64 // of the branch, at the last call of refresh
	tolerance float64
	branches  int
	limit     int
	left      float64 // the largest bound of what was not searched

	share, offset float64 // of the searcher
	sweeps        int

	rounding rounding
	value    float64 // of the best set found
	best     []bool  // by position of the leaf
	stack    []int32
}

// family is a node with what it keeps.
type family struct {
	h float64
	// Of the children of an inner node that are not out: the sum of m of those that are in and of
	// the positive m of the others, and how many have a part in it.
	sum   float64
	cover int32
	state state
	leaf  bool
}

// edge is from a parent to a child that lends it m.
type edge struct {
	m             float64
	parent, child int32
}

type state int8

const (
	undecided state = iota
	in
	out
)

func newMessages(g *graph) *messages {
	n := len(g.order)
	s := &messages{
		g: g, reward: make([]float64, n), family: make([]family, n), edge: make([]edge, len(g.child)),
		trail: make([]int32, 0, n), free: make([]int32, 0, n), belief: make([]float64, n), stack: make([]int32, 0, n),
		rounding: newRounding(g), best: make([]bool, len(g.leaves)),
	}
	for e := range s.edge {
		s.edge[e].parent, s.edge[e].child = g.parent[e], g.child[e]
	}
	return s
}

// start sets the rewards and lends nothing.
func (s *messages) start(rewards []float64) {
	copy(s.reward, rewards)
	s.reward[s.g.root] = 0
	for n, r := range s.reward {
		s.family[n] = family{h: r, leaf: s.g.leaf[n]}
	}
	for e := range s.edge {
		s.edge[e].m = 0
	}
	s.trail = s.trail[:0]
	s.family[s.g.root].state = in
	s.tolerance = 0
	for n, r := range rewards {
		s.tolerance += math.Abs(r)
		s.belief[n] = r
	}
	s.tolerance = 1e-11*s.tolerance + math.SmallestNonzeroFloat64
	s.bound, s.left, s.value = math.Inf(1), math.Inf(-1), math.Inf(-1)
	s.branches = 0
}

// slack is by how much a set may be better than the best one found without being looked for.
func (s *messages) slack() float64 { return s.tolerance + s.share*max(0, s.value+s.offset) }

// largest returns the largest m of the undecided children of p other than by edge not, and minus
// infinity without any.
func (s *messages) largest(p, not int32) float64 {
	most := math.Inf(-1)
	from, to := s.g.edges(p)
	for k := range s.edge[from:to] {
		e := &s.edge[int(from)+k]
		if e.m > most && from+int32(k) != not && s.family[e.child].state == undecided {
			most = e.m
		}
	}
	return most
}

// children returns the most that a set of children adds to the family of n.
func (s *messages) children(n int32) float64 {
	f := &s.family[n]
	switch {
	case f.leaf:
		return 0
	case f.cover > 0:
		return f.sum
	}
	return s.largest(n, -1)
}

// refresh recomputes the sums of the families, the undecided nodes and the bound.
func (s *messages) refresh() {
	g := s.g
	s.free = s.free[:0]
	s.bound = 0
	for _, n := range g.order {
		f := &s.family[n]
		if f.state == out {
			continue
		}
		if f.state == undecided {
			s.free = append(s.free, n)
		}
		if !f.leaf {
			var sum float64
			var cover int32
			from, to := g.edges(n)
			for k := range s.edge[from:to] {
				e := &s.edge[int(from)+k]
				switch s.family[e.child].state {
				case in:
					sum += e.m
					cover++
				case undecided:
					if e.m > 0 {
						sum += e.m
						cover++
					}
				}
			}
			f.sum, f.cover = sum, cover
		}
		v := f.h + s.children(n)
		if f.state == undecided {
			v = max(0, v)
		}
		s.bound += v
	}
}

// lend changes m of an edge to an undecided child by d.
func (e *edge) lend(p *family, d float64) {
	if e.m > 0 {
		p.sum -= e.m
		p.cover--
	}
	e.m += d
	if e.m > 0 {
		p.sum += e.m
		p.cover++
	}
}

// gain returns what the family p of the k-th edge gains by having its undecided child.
func (s *messages) gain(k int32, e *edge, p *family) float64 {
	others, cover := p.sum, p.cover
	if e.m > 0 {
		others -= e.m
		cover--
	}
	with, without := others+e.m, others
	if cover == 0 {
		with, without = e.m, s.largest(e.parent, k)
	}
	if p.state == in {
		return with - without
	}
	return p.h + with - max(0, p.h+without)
}

// update divides what all families of the undecided node c together gain by it evenly among them.
// It decides c if the other decision can't be better than the best set found, but for the slack.
func (s *messages) update(c int32) {
	f := &s.family[c]
	own := f.h + s.children(c)
	if math.IsInf(own, -1) {
		s.decide(c, out)
		return
	}
	into := s.g.into(c)
	f.h -= own
	all := own
	for _, k := range into {
		e := &s.edge[k]
		p := &s.family[e.parent]
		d := s.gain(k, e, p)
		if d > math.MaxFloat64 { // the only child left of a parent that is in
			f.h += all
			s.decide(c, in)
			return
		}
		all += d
		e.lend(p, -d)
	}
	s.belief[c] = all
	share := all / float64(len(into)+1)
	for _, k := range into {
		e := &s.edge[k]
		e.lend(&s.family[e.parent], share)
	}
	f.h += share
	if other := s.bound - math.Abs(all); other <= s.value+s.slack() {
		s.left = max(s.left, other)
		if all > 0 {
			s.decide(c, in)
		} else {
			s.decide(c, out)
		}
	}
}

// decide puts an undecided node in, with all its ancestors, or out, with all its descendants.
func (s *messages) decide(c int32, to state) {
	g := s.g
	s.stack = append(s.stack[:0], c)
	for len(s.stack) > 0 {
		n := s.stack[len(s.stack)-1]
		s.stack = s.stack[:len(s.stack)-1]
		if s.family[n].state != undecided {
			continue
		}
		for _, k := range g.into(n) {
			e := &s.edge[k]
			p := &s.family[e.parent]
			switch {
			case to == in && e.m <= 0:
				p.sum += e.m
				p.cover++
			case to == out && e.m > 0:
				p.sum -= e.m
				p.cover--
			}
			if to == in {
				s.stack = append(s.stack, e.parent)
			}
		}
		s.family[n].state = to
		s.trail = append(s.trail, n)
		if to == out {
			for e, last := g.edges(n); e < last; e++ {
				s.stack = append(s.stack, g.child[e])
			}
		}
	}
}

// undo takes back the decisions after the first k.
func (s *messages) undo(k int) {
	for _, n := range s.trail[k:] {
		s.family[n].state = undecided
	}
	s.trail = s.trail[:k]
}
