package labelset

import "math"

// branchSweeps limits the passes of messages in a branch.
const branchSweeps = 8

// solve finds the best label set by branch and bound, writes its nodes to chosen, and returns the
// number of branches and a bound on all label sets.
func (s *messages) solve(rewards []float64, limit int, hints *Hints, chosen []bool) (branches int, bound float64) {
	s.start(rewards)
	s.limit = limit
	if hints != nil && hints.messages != nil {
		s.recall(hints)
	} else {
		s.round()
	}
	s.branch(s.sweeps, hints)
	s.rounding.closure(s.best, chosen)
	if hints != nil {
		hints.leaves = hints.leaves[:0]
		for k, has := range s.best {
			if has {
				hints.leaves = append(hints.leaves, int32(k))
			}
		}
	}
	return s.branches, max(s.value, s.left)
}

// recall begins with what an earlier search learned.
func (s *messages) recall(hints *Hints) {
	for k, m := range hints.messages {
		e := &s.edge[k]
		e.m = float64(m)
		s.family[e.child].h -= e.m
	}
	r := &s.rounding
	r.clear()
	for _, k := range hints.leaves {
		r.add(int(k))
	}
	s.keep()
}

// branch searches the sets that agree with the decisions made, and takes back its own. The messages
// at its beginning are the hints for later, if it is to leave any.
func (s *messages) branch(sweeps int, hints *Hints) {
	s.branches++
	decided := len(s.trail)
	defer s.undo(decided)
	s.tighten(sweeps)
	if hints != nil {
		hints.messages = hints.messages[:0]
		for k := range s.edge {
			hints.messages = append(hints.messages, float32(s.edge[k].m))
		}
	}
	if len(s.free) == 0 {
		s.round()
	}
	if len(s.free) == 0 || s.enough() {
		s.left = max(s.left, s.bound)
		return
	}
	if s.branches >= s.limit {
		s.left = max(s.left, s.bound)
		return
	}
	c := s.pick()
	first, second := in, out
	if s.belief[c] <= 0 {
		first, second = out, in
	}
	before := len(s.trail)
	for _, to := range [2]state{first, second} {
		s.decide(c, to)
		s.branch(branchSweeps, nil)
		s.undo(before)
		s.refresh()
		if s.enough() {
			s.left = max(s.left, s.bound)
			return
		}
	}
}

// enough reports whether no set of the branch is better than the best one found by more than the
// slack.
func (s *messages) enough() bool { return s.bound <= s.value+s.slack() }

// tighten passes messages up and down until the bound no longer pays or says that there is nothing
// better here.
func (s *messages) tighten(sweeps int) {
	s.refresh()
	for k := range sweeps {
		if s.enough() {
			return
		}
		before, undecidedBefore := s.bound, len(s.free)
		for i := len(s.free) - 1; i >= 0; i-- {
			if n := s.free[i]; s.family[n].state == undecided {
				s.update(n)
			}
		}
		if k%4 == 0 {
			s.refresh()
			s.round()
		}
		for _, n := range s.free {
			if s.family[n].state == undecided {
				s.update(n)
			}
		}
		s.refresh()
		if len(s.free) == 0 {
			return
		}
		if len(s.free) == undecidedBefore && before-s.bound < 0.01*(s.bound-s.value) {
			return
		}
	}
}

// pick returns the undecided node of which the bound knows least.
func (s *messages) pick() int32 {
	least, at := math.Inf(1), s.free[0]
	for _, n := range s.free {
		if b := math.Abs(s.belief[n]); b < least {
			least, at = b, n
		}
	}
	return at
}

// round makes a label set of the beliefs, improves it, and keeps it if it is the best so far.
func (s *messages) round() {
	r := &s.rounding
	r.clear()
	for k, l := range s.g.leaves {
		if s.family[l].state == in || s.family[l].state == undecided && s.belief[l] > 0 {
			r.add(k)
		}
	}
	s.keep()
}

// keep improves the set that is being rounded and keeps it if it is the best so far.
func (s *messages) keep() {
	r := &s.rounding
	r.improve(s.reward)
	if v := r.value(s.reward); v > s.value {
		s.value = v
		copy(s.best, r.has)
	}
}

// rounding is a set of leaves under local search. It may leave the decisions of the branch: better
// is better.
type rounding struct {
	g     *graph
	has   []bool  // by position of the leaf
	count []int32 // by node: leaves of the set below it
	size  int
}

func newRounding(g *graph) rounding {
	return rounding{g: g, has: make([]bool, len(g.leaves)), count: make([]int32, len(g.order))}
}

func (r *rounding) clear() {
	clear(r.has)
	clear(r.count)
	r.size = 0
}

func (r *rounding) add(k int) {
	r.has[k] = true
	r.size++
	for _, n := range r.g.ancestors(k) {
		r.count[n]++
	}
}

func (r *rounding) remove(k int) {
	r.has[k] = false
	r.size--
	for _, n := range r.g.ancestors(k) {
		r.count[n]--
	}
}

func (r *rounding) value(rewards []float64) float64 {
	var sum float64
	for n, c := range r.count {
		if c > 0 {
			sum += rewards[n]
		}
	}
	return sum
}

// gain returns what adding the k-th leaf adds, or what removing it does.
func (r *rounding) gain(rewards []float64, k int) float64 {
	var sum float64
	if r.has[k] {
		for _, n := range r.g.ancestors(k) {
			if r.count[n] == 1 {
				sum -= rewards[n]
			}
		}
		return sum
	}
	for _, n := range r.g.ancestors(k) {
		if r.count[n] == 0 {
			sum += rewards[n]
		}
	}
	return sum
}

// improve adds and removes leaves, one at a time, as long as that helps.
func (r *rounding) improve(rewards []float64) {
	if r.size == 0 {
		best, at := math.Inf(-1), 0
		for k := range r.has {
			if v := r.gain(rewards, k); v > best {
				best, at = v, k
			}
		}
		r.add(at)
	}
	for range 20 {
		changed := false
		for k, has := range r.has {
			if has && r.size == 1 || r.gain(rewards, k) <= 0 {
				continue
			}
			changed = true
			if has {
				r.remove(k)
			} else {
				r.add(k)
			}
		}
		if r.size == 1 {
			changed = r.exchange(rewards) || changed
		}
		if !changed {
			return
		}
	}
}

// exchange replaces the only leaf of the set by the best one, and reports whether that is another.
func (r *rounding) exchange(rewards []float64) bool {
	old := 0
	for k, has := range r.has {
		if has {
			old = k
		}
	}
	r.remove(old)
	best, at := r.gain(rewards, old), old
	for k := range r.has {
		if v := r.gain(rewards, k); v > best {
			best, at = v, k
		}
	}
	r.add(at)
	return at != old
}

// closure writes the closed node set of the leaves.
func (r *rounding) closure(leaves, nodes []bool) {
	clear(nodes)
	nodes[r.g.root] = true
	for k, has := range leaves {
		if has {
			for _, n := range r.g.ancestors(k) {
				nodes[n] = true
			}
		}
	}
}
