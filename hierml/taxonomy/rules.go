package taxonomy

import (
	"fmt"
	"slices"
)

// Rules are requirements on a taxonomy beyond a graph without cycles. The zero value requires
// nothing: several roots, nodes without edges, several parents and redundant edges are allowed. A
// violation is an error or, with repairs, is repaired in the order of the fields.
type Rules struct {
	// no node has several parents; repair: the first edge to it stays
	Tree bool
	// no edge from a node to a node below another child of it; repair: the edge is left out
	NoRedundant bool
	NoLone      bool // no node without any edge; repair: it is left out, unless there are no others
	OneRoot     bool // one root; repair: a new one, called "root", above all others
}

// Check returns an error with the first node or edge that breaks a rule, or nil.
func (r Rules) Check(t *Taxonomy) error {
	if t == nil {
		return ErrNone
	}
	_, err := r.apply(draftOf(t, nil), t)
	return err
}

// Repair returns a taxonomy that obeys the rules, and the repairs. If there are none, it returns t.
// Nodes keep their ids unless single ones are left out.
func (r Rules) Repair(t *Taxonomy) (*Taxonomy, *Faults) {
	var faults Faults
	repaired, err := r.apply(draftOf(t.given(), &faults), t)
	if err != nil {
		panic(fmt.Sprintf("taxonomy: a repair failed: %v", err)) // faults are counted, and edges are only taken away
	}
	return repaired, &faults
}

// draftOf returns the nodes and edges of t.
func draftOf(t *Taxonomy, repair *Faults) *draft {
	return &draft{
		file: "taxonomy", repair: repair, names: t.names, ids: t.ids, nodes: make([]place, len(t.names)),
		edges: slices.Clone(t.edges), lines: make([]place, len(t.edges)),
	}
}

// apply returns t, which is what the draft says, as the rules want it.
func (r Rules) apply(d *draft, t *Taxonomy) (*Taxonomy, error) {
	for _, rule := range [...]struct {
		asked bool
		apply func(*draft, *Taxonomy) (*Taxonomy, error)
	}{{r.Tree, oneParent}, {r.NoRedundant, noRedundant}, {r.NoLone, noLone}, {r.OneRoot, oneRoot}} {
		if !rule.asked {
			continue
		}
		var err error
		if t, err = rule.apply(d, t); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// without returns the taxonomy without the edges at the positions.
func (d *draft) without(t *Taxonomy, positions []int) (*Taxonomy, error) {
	if len(positions) == 0 {
		return t, nil
	}
	d.drop(positions)
	return d.build()
}

func oneParent(d *draft, t *Taxonomy) (*Taxonomy, error) {
	if t.tree {
		return t, nil
	}
	parent := slices.Repeat([]int{-1}, t.Len())
	var extra []int
	for i, e := range d.edges {
		first := parent[e[1]]
		if first < 0 {
			parent[e[1]] = e[0]
			continue
		}
		err := d.errorf(d.lines[i], "%s has the parents %s and %s, and a tree is required; remove one of the edges",
			d.quoted(e[1]), d.quoted(first), d.quoted(e[0]))
		if err := d.fault("further parent", "edge left out", err); err != nil {
			return nil, err
		}
		extra = append(extra, i)
	}
	return d.without(t, extra)
}

// noRedundant searches above every node with several parents, up to the highest of them.
func noRedundant(d *draft, t *Taxonomy) (*Taxonomy, error) {
	if t.tree {
		return t, nil
	}
	between := make(map[[2]int]int) // redundant edges, and a child of the parent that makes them so
	met := slices.Repeat([]int{-1}, t.Len())
	var queue []int
	for c, parents := range t.parents {
		if len(parents) < 2 {
			continue
		}
		top := t.Len()
		for _, p := range parents {
			top = min(top, t.longest[p])
		}
		queue = append(queue[:0], parents...)
		for i := 0; i < len(queue); i++ {
			v := queue[i]
			for _, p := range t.parents[v] {
				if met[p] != c && t.longest[p] >= top {
					met[p] = c
					queue = append(queue, p)
					if _, redundant := slices.BinarySearch(parents, p); redundant {
						between[[2]int{p, c}] = v
					}
				}
			}
		}
	}
	var extra []int
	for i, e := range d.edges {
		v, ok := between[e]
		if !ok {
			continue
		}
		err := d.errorf(d.lines[i], "the edge from %s to %s is redundant, because there is a path through %s; remove it",
			d.quoted(e[0]), d.quoted(e[1]), d.quoted(v))
		if err := d.fault("redundant edge", "left out", err); err != nil {
			return nil, err
		}
		extra = append(extra, i)
	}
	return d.without(t, extra)
}

func noLone(d *draft, t *Taxonomy) (*Taxonomy, error) {
	if len(t.edges) == 0 {
		return t, nil
	}
	id := make([]int, t.Len())
	var names []string
	var nodes []place
	for v := range id {
		if len(t.parents[v])+len(t.children[v]) > 0 {
			id[v] = len(names)
			names, nodes = append(names, d.names[v]), append(nodes, d.nodes[v])
			continue
		}
		err := d.errorf(d.nodes[v], "no edge connects %s to another node; give it a parent or a child, or remove it", d.quoted(v))
		if err := d.fault("lone node", "left out", err); err != nil {
			return nil, err
		}
	}
	if len(names) == t.Len() {
		return t, nil
	}
	ids := make(map[string]int, len(names))
	for v, name := range names {
		ids[name] = v
	}
	for i, e := range d.edges {
		d.edges[i] = [2]int{id[e[0]], id[e[1]]}
	}
	d.names, d.ids, d.nodes = names, ids, nodes
	return d.build()
}

func oneRoot(d *draft, t *Taxonomy) (*Taxonomy, error) {
	if len(t.roots) == 1 {
		return t, nil
	}
	second := t.roots[1]
	err := d.errorf(d.nodes[second], "%s is a root in addition to %s, of %d in all, and only one is allowed; give it a parent",
		d.quoted(second), d.quoted(t.roots[0]), len(t.roots))
	if err := d.fault("several roots", "a new root put above them", err); err != nil {
		return nil, err
	}
	name := "root"
	if _, taken := d.ids[name]; taken {
		name = d.free(name)
	}
	root := t.Len()
	names := append(slices.Clone(d.names), name)
	ids := make(map[string]int, len(names))
	for v, name := range names {
		ids[name] = v
	}
	edges, lines := slices.Clone(d.edges), slices.Clone(d.lines)
	for _, v := range t.roots {
		edges, lines = append(edges, [2]int{root, v}), append(lines, place{})
	}
	d.names, d.ids, d.nodes, d.edges, d.lines = names, ids, append(slices.Clone(d.nodes), place{}), edges, lines
	return d.build()
}
