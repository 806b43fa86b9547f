package taxonomy

import "slices"

// ascending returns the positions of the edges in ascending order of parent, then child, edges that
// are equal in the order given. Its time is linear.
func ascending(nodes int, edges [][2]int) []int {
	order, spare := make([]int, len(edges)), make([]int, len(edges))
	for i := range order {
		order[i] = i
	}
	start := make([]int, nodes+1)
	for _, end := range [2]int{1, 0} {
		clear(start)
		for _, e := range edges {
			start[e[end]+1]++
		}
		for v := range nodes {
			start[v+1] += start[v]
		}
		for _, i := range order {
			v := edges[i][end]
			spare[start[v]] = i
			start[v]++
		}
		order, spare = spare, order
	}
	return order
}

// repetition is an edge that was given before, by the positions of both.
type repetition struct{ edge, of int }

// repeated returns the edges that were given before, in the order given.
func repeated(edges [][2]int, order []int) []repetition {
	var found []repetition
	first := 0
	for k := 1; k < len(order); k++ {
		if edges[order[k]] != edges[order[first]] {
			first = k
			continue
		}
		found = append(found, repetition{order[k], order[first]})
	}
	slices.SortFunc(found, func(a, b repetition) int { return a.edge - b.edge })
	return found
}

// build returns the taxonomy of distinct names, found in ids, and distinct edges in ascending
// order. It keeps all three. The only error is a *CycleError.
func build(names []string, ids map[string]int, edges [][2]int) (*Taxonomy, error) {
	n := len(names)
	t := &Taxonomy{names: names, ids: ids, edges: edges, leafIndex: make([]int, n)}
	t.connect()
	t.tree = true
	for v := range n {
		t.leafIndex[v] = -1
		if len(t.children[v]) == 0 {
			t.leafIndex[v] = len(t.leaves)
			t.leaves = append(t.leaves, v)
		}
		if len(t.parents[v]) == 0 {
			t.roots = append(t.roots, v)
		}
		if len(t.parents[v]) > 1 {
			t.tree = false
		}
	}
	if err := t.sort(); err != nil {
		return nil, err
	}
	t.measure()
	t.ancestors.init(n)
	t.descendants.init(n)
	return t, nil
}

// connect sorts the edges by parent and child.
func (t *Taxonomy) connect() {
	n := len(t.names)
	t.parents, t.children = make([][]int, n), make([][]int, n)
	above, below := make([]int, n), make([]int, n)
	for _, e := range t.edges {
		below[e[0]]++
		above[e[1]]++
	}
	up, down := make([]int, len(t.edges)), make([]int, len(t.edges))
	for v := range n {
		if k := above[v]; k > 0 {
			t.parents[v], up = up[:0:k], up[k:]
		}
		if k := below[v]; k > 0 {
			t.children[v], down = down[:0:k], down[k:]
		}
	}
	for _, e := range t.edges {
		t.children[e[0]] = append(t.children[e[0]], e[1])
		t.parents[e[1]] = append(t.parents[e[1]], e[0])
	}
}

// sort orders the nodes so that parents come before children.
func (t *Taxonomy) sort() error {
	missing := make([]int, len(t.names))
	for v := range missing {
		missing[v] = len(t.parents[v])
	}
	t.order = append(make([]int, 0, len(t.names)), t.roots...)
	for i := 0; i < len(t.order); i++ {
		for _, c := range t.children[t.order[i]] {
			if missing[c]--; missing[c] == 0 {
				t.order = append(t.order, c)
			}
		}
	}
	if len(t.order) < len(t.names) {
		return t.cycle(missing)
	}
	return nil
}

// cycle returns a cycle among the nodes that still lack a parent.
func (t *Taxonomy) cycle(missing []int) *CycleError {
	at := slices.IndexFunc(missing, func(m int) bool { return m > 0 })
	step := make(map[int]int)
	var up []int
	for {
		if first, ok := step[at]; ok {
			up = up[first:]
			break
		}
		step[at] = len(up)
		up = append(up, at)
		for _, p := range t.parents[at] {
			if missing[p] > 0 {
				at = p
				break
			}
		}
	}
	slices.Reverse(up)
	e := &CycleError{Nodes: up}
	for _, v := range up {
		e.Names = append(e.Names, t.names[v])
	}
	return e
}

// measure sets the depths of all nodes.
func (t *Taxonomy) measure() {
	t.longest = make([]int, len(t.names))
	t.shortest = make([]int, len(t.names))
	for _, v := range t.order {
		for i, p := range t.parents[v] {
			t.longest[v] = max(t.longest[v], t.longest[p]+1)
			if i == 0 || t.shortest[p]+1 < t.shortest[v] {
				t.shortest[v] = t.shortest[p] + 1
			}
		}
	}
}
