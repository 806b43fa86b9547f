package labelset

import "math"

// messages is a point of the dual of the relaxation: every node c lends a part of its reward to each of
// its parents, m by edge, and keeps the rest, h. Each node n with its children is then a family of its
// own,
//
//	f_n = max(0, h_n + max over non-empty sets C of children { sum_{c in C} m_nc }),
//
// and the sum of f_n over all nodes is at least the value of every label set, whatever m is: a label
// set chooses in each family a feasible point, and what is lent cancels. The root's family is not
// bounded by zero, since the root is in every set; a leaf's is max(0, h).
//
// Moving what a node lends to the average of what its families would pay for it, update, never makes
// the sum larger. On a forest one pass from the leaves up finds the optimum.
type messages struct {
	g      *graph
	reward []float64
	h      []float64 // by node
	m      []float64 // by edge
	state  []state
	trail  []int32 // nodes in the order in which they were decided
	free   []int32 // undecided nodes, parents before children
	belief []float64

	// Of the children of an inner node that are not out: the sum of m of those that are in and of the
	// positive m of the others, and how many have a part in it.
	sum   []float64
	cover []int32

	bound     float64 // of the branch, at the last call of refresh
	tolerance float64
	branches  int
	limit     int
	left      float64 // the largest bound of what was not searched

	share, offset float64 // of the searcher

	rounding rounding
	value    float64 // of the best set found
	best     []bool  // by position of the leaf
	stack    []int32
}

type state int8

const (
	undecided state = iota
	in
	out
)

func newMessages(g *graph) *messages {
	n := len(g.order)
	return &messages{
		g: g, reward: make([]float64, n), h: make([]float64, n), m: make([]float64, len(g.child)),
		state: make([]state, n), trail: make([]int32, 0, n), free: make([]int32, 0, n), belief: make([]float64, n),
		sum: make([]float64, n), cover: make([]int32, n), stack: make([]int32, 0, n),
		rounding: newRounding(g), best: make([]bool, len(g.leaves)),
	}
}

// start sets the rewards and lends nothing.
func (s *messages) start(rewards []float64) {
	copy(s.reward, rewards)
	s.reward[s.g.root] = 0
	copy(s.h, s.reward)
	clear(s.m)
	clear(s.state)
	s.trail = s.trail[:0]
	s.state[s.g.root] = in
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
	for e, to := s.g.edges(p); e < to; e++ {
		if e != not && s.m[e] > most && s.state[s.g.child[e]] == undecided {
			most = s.m[e]
		}
	}
	return most
}

// children returns the most that a set of children adds to the family of n.
func (s *messages) children(n int32) float64 {
	switch {
	case s.g.leaf[n]:
		return 0
	case s.cover[n] > 0:
		return s.sum[n]
	}
	return s.largest(n, -1)
}

// refresh recomputes the sums of the families, the undecided nodes and the bound.
func (s *messages) refresh() {
	g := s.g
	s.free = s.free[:0]
	s.bound = 0
	for _, n := range g.order {
		if s.state[n] == out {
			continue
		}
		if s.state[n] == undecided {
			s.free = append(s.free, n)
		}
		var sum float64
		var cover int32
		for e, to := g.edges(n); e < to; e++ {
			switch m := s.m[e]; s.state[g.child[e]] {
			case in:
				sum += m
				cover++
			case undecided:
				if m > 0 {
					sum += m
					cover++
				}
			}
		}
		s.sum[n], s.cover[n] = sum, cover
		f := s.h[n] + s.children(n)
		if s.state[n] == undecided {
			f = max(0, f)
		}
		s.bound += f
	}
}

// set changes m of edge e to an undecided child.
func (s *messages) set(e int32, m float64) {
	p, before := s.g.parent[e], s.m[e]
	if before > 0 {
		s.sum[p] -= before
		s.cover[p]--
	}
	if m > 0 {
		s.sum[p] += m
		s.cover[p]++
	}
	s.m[e] = m
}

// gain returns what the family of p gains by having the undecided child of edge e.
func (s *messages) gain(e int32) float64 {
	p, m := s.g.parent[e], s.m[e]
	others, cover := s.sum[p], s.cover[p]
	if m > 0 {
		others -= m
		cover--
	}
	with, without := others+m, others
	if cover == 0 {
		with, without = m, s.largest(p, e)
	}
	if s.state[p] == in {
		return with - without
	}
	return s.h[p] + with - max(0, s.h[p]+without)
}

// update divides what all families of the undecided node c together gain by it evenly among them. It
// decides c if the other decision can't be better than the best set found, but for the slack.
func (s *messages) update(c int32) {
	g := s.g
	own := s.h[c] + s.children(c)
	if math.IsInf(own, -1) {
		s.decide(c, out)
		return
	}
	into := g.into(c)
	s.h[c] -= own
	all := own
	for _, e := range into {
		d := s.gain(e)
		if math.IsInf(d, 1) { // the only child left of a parent that is in
			s.h[c] += all
			s.decide(c, in)
			return
		}
		all += d
		s.set(e, s.m[e]-d)
	}
	s.belief[c] = all
	share := all / float64(len(into)+1)
	for _, e := range into {
		s.set(e, s.m[e]+share)
	}
	s.h[c] += share
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
		if s.state[n] != undecided {
			continue
		}
		for _, e := range g.into(n) {
			p, m := g.parent[e], s.m[e]
			switch {
			case to == in && m <= 0:
				s.sum[p] += m
				s.cover[p]++
			case to == out && m > 0:
				s.sum[p] -= m
				s.cover[p]--
			}
			if to == in {
				s.stack = append(s.stack, p)
			}
		}
		s.state[n] = to
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
		s.state[n] = undecided
	}
	s.trail = s.trail[:k]
}
