package labelset

import (
	"math"
	"slices"
)

// On a graph in which few nodes have several parents, the best set is found by eliminating one
// variable after the other. An inner node is in a set when a child of it is, so that a set is told
// by its leaves, and the part of a graph below a node is told to the rest by whether the node is in
// the set, and by which of the nodes of several parents are that have further parents elsewhere:
// the open ones. A table has the best value of a part for each of these; the tables of the children
// of a node are merged one by one, and a node of several parents is open until all of them are in
// one table.
//
// The number of entries doubles with each node that is open, so that a plan may have too many.

// maxEntries bounds the entries of all tables of a plan.
const maxEntries = 1 << 16

// A table has an entry for each set of the open nodes and either value of the flag, whether the set
// has a child of the node that the table is of, or, once the table is complete, the node:
// values[at+2*mask+flag].
type table struct {
	at   int
	open []int32 // nodes; bit k of a mask is whether open[k] is in the set
	seen []int   // how many parents of each are in the part
}

func (t *table) entries() int { return 2 << len(t.open) }

// A step makes a table, the entries of which are in the same order as those of the inputs except as
// said.
type step struct {
	kind        stepKind
	node        int32
	at, entries int // of the table that is made
	first       int // table that it is made from
	second      int // merge: the other one
	// merge: by mask of the table made, that of the first; close: with the bit unset
	firstMask  []int32
	secondMask []int32 // merge: that of the second; close: with the bit set
}

type stepKind uint8

const (
	begin  stepKind = iota // nothing is in the set: before the children of a node
	leaf                   // a leaf
	child                  // a node of several parents that another table has the rewards of
	open                   // first, whose node becomes the last open one
	merge                  // first and second, with a flag where one has it
	closed                 // first without an open node, all parents of which are there
	reward                 // first, with the reward of its node
)

// A plan has the steps that find the best set, children before parents; the last table is the
// root's.
type plan struct {
	steps   []step
	entries int
}

// newPlan returns nil for a graph that has too many nodes of several parents.
func newPlan(g *graph) *plan {
	p := &planner{graph: g, plan: new(plan), done: make([]*table, len(g.order))}
	for k := len(g.order) - 1; k >= 0; k-- {
		if !p.node(g.order[k]) {
			return nil
		}
	}
	return p.plan
}

type planner struct {
	graph *graph
	*plan
	done []*table // by node, until a parent takes it
}

// add adds a step that makes a table.
func (p *planner) add(s step, t *table) *table {
	t.at = p.entries
	s.at, s.entries = t.at, t.entries()
	p.entries += s.entries
	p.steps = append(p.steps, s)
	return t
}

// node plans the table of a node, and reports whether the plan is small enough.
func (p *planner) node(n int32) bool {
	if p.graph.leaf[n] {
		p.done[n] = p.add(step{kind: leaf, node: n}, new(table))
		return p.entries <= maxEntries
	}
	var parts []*table
	for e, to := p.graph.edges(n); e < to; e++ {
		parts = append(parts, p.part(p.graph.child[e]))
	}
	// The tables grow with what is open, so that comes last.
	slices.SortStableFunc(parts, func(a, b *table) int { return len(a.open) - len(b.open) })
	t := p.add(step{kind: begin}, new(table))
	for _, part := range parts {
		if t = p.merge(t, part); p.entries > maxEntries {
			return false
		}
	}
	p.done[n] = p.add(step{kind: reward, node: n, first: t.at}, &table{open: t.open, seen: t.seen})
	return p.entries <= maxEntries
}

// part returns the table of a child as a parent of it has to merge it.
func (p *planner) part(c int32) *table {
	t := p.done[c]
	p.done[c] = nil
	switch {
	case len(p.graph.into(c)) == 1:
		return t
	case t == nil: // another parent has taken it
		return p.add(step{kind: child, node: c}, &table{open: []int32{c}, seen: []int{1}})
	}
	return p.add(step{kind: open, node: c, first: t.at}, &table{
		open: append(slices.Clone(t.open), c),
		seen: append(slices.Clone(t.seen), 1),
	})
}

// merge merges two tables, and closes the nodes all of whose parents are there.
func (p *planner) merge(a, b *table) *table {
	t := &table{open: slices.Clone(a.open), seen: slices.Clone(a.seen)}
	for k, n := range b.open {
		if at := slices.Index(t.open, n); at >= 0 {
			t.seen[at] += b.seen[k]
		} else {
			t.open, t.seen = append(t.open, n), append(t.seen, b.seen[k])
		}
	}
	if len(t.open) > 30 || p.entries+t.entries() > maxEntries {
		p.entries = maxEntries + 1
		return t
	}
	p.add(step{kind: merge, first: a.at, second: b.at, firstMask: masks(t.open, a.open), secondMask: masks(t.open, b.open)}, t)
	for k := 0; k < len(t.open); {
		if t.seen[k] < len(p.graph.into(t.open[k])) {
			k++
			continue
		}
		without := &table{open: slices.Delete(slices.Clone(t.open), k, k+1), seen: slices.Delete(slices.Clone(t.seen), k, k+1)}
		unset := masksWithin(without.open, t.open)
		set := slices.Clone(unset)
		for i := range set {
			set[i] |= 1 << k
		}
		t = p.add(step{kind: closed, first: t.at, firstMask: unset, secondMask: set}, without)
	}
	return t
}

// masks returns, for each set of the nodes, the set of some of them that it has.
func masks(nodes, some []int32) []int32 {
	all := make([]int32, 1<<len(nodes))
	for k, n := range some {
		bit := slices.Index(nodes, n)
		for m := range all {
			all[m] |= int32(m>>bit&1) << k
		}
	}
	return all
}

// masksWithin returns, for each set of some of the nodes, that set among the nodes.
func masksWithin(some, nodes []int32) []int32 {
	all := make([]int32, 1<<len(some))
	for k, n := range some {
		bit := slices.Index(nodes, n)
		for m := range all {
			all[m] |= int32(m>>k&1) << bit
		}
	}
	return all
}

// eliminate chooses by a plan.
func (s *Searcher) eliminate(rewards []float64) {
	p := s.space.plan
	for i := range p.steps {
		st := &p.steps[i]
		s.fill(st, rewards)
	}
	// Back from the root, which is in the set.
	last := p.steps[len(p.steps)-1]
	s.entry[last.at] = 1
	clear(s.chosen)
	for i := len(p.steps) - 1; i >= 0; i-- {
		s.follow(&p.steps[i])
	}
}

// fill fills the table of a step.
func (s *Searcher) fill(st *step, rewards []float64) {
	values := s.values[st.at : st.at+st.entries]
	switch st.kind {
	case begin:
		values[0], values[1] = 0, math.Inf(-1)
	case leaf:
		values[0], values[1] = 0, rewards[st.node]
	case child:
		values[0], values[1] = 0, math.Inf(-1)
		values[2], values[3] = math.Inf(-1), 0
	case open:
		half := st.entries / 2
		for i, v := range s.values[st.first : st.first+half] {
			values[i], values[half+i] = v, math.Inf(-1)
			if i&1 == 1 {
				values[i], values[half+i] = math.Inf(-1), v
			}
		}
	case merge:
		for m, first := range st.firstMask {
			a := s.values[st.first+2*int(first):][:2]
			b := s.values[st.second+2*int(st.secondMask[m]):][:2]
			values[2*m] = a[0] + b[0]
			values[2*m+1] = max(a[1]+max(b[0], b[1]), a[0]+b[1])
		}
	case closed:
		for m, unset := range st.firstMask {
			a := s.values[st.first+2*int(unset):][:2]
			b := s.values[st.first+2*int(st.secondMask[m]):][:2]
			values[2*m], values[2*m+1] = max(a[0], b[0]), max(a[1], b[1])
		}
	case reward:
		r := 0.0
		if int(st.node) < len(rewards) { // and not the root
			r = rewards[st.node]
		}
		for i, v := range s.values[st.first : st.first+st.entries] {
			values[i] = v + r*float64(i&1)
		}
	}
}

// follow notes which entries of its inputs the entry of a step's table was made from that is part
// of the best set, and which node is in that.
func (s *Searcher) follow(st *step) {
	entry := s.entry[st.at]
	flag, mask := entry&1, entry>>1
	switch st.kind {
	case leaf:
		s.chosen[st.node] = flag == 1
	case open:
		s.entry[st.first] = entry &^ int32(st.entries/2)
	case merge:
		a, b := st.firstMask[mask], st.secondMask[mask]
		first, second := s.values[st.first+2*int(a):][:2], s.values[st.second+2*int(b):][:2]
		x, y := int32(0), int32(0)
		if flag == 1 {
			x, y = 1, 0
			if second[1] > second[0] {
				y = 1
			}
			if first[0]+second[1] > first[1]+max(second[0], second[1]) {
				x, y = 0, 1
			}
		}
		s.entry[st.first], s.entry[st.second] = 2*a+x, 2*b+y
	case closed:
		a, b := 2*st.firstMask[mask]+flag, 2*st.secondMask[mask]+flag
		if s.values[st.first+int(b)] > s.values[st.first+int(a)] {
			a = b
		}
		s.entry[st.first] = a
	case reward:
		s.chosen[st.node] = flag == 1
		s.entry[st.first] = entry
	}
}
