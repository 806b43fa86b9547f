package structured

import (
	"fmt"
	"math"
	"slices"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// Given returns the attributes that have value[n] at node n for every leaf below n and for n
// itself, and zero elsewhere: [Cai08, (3.7)]. value has one finite entry per node.
func Given(t *taxonomy.Taxonomy, value []float64) (*Attributes, error) {
	if t == nil {
		return nil, taxonomy.ErrNone
	}
	if len(value) != t.Len() {
		return nil, fmt.Errorf("structured: %d attribute values for a taxonomy of %d nodes; pass one value per node", len(value), t.Len())
	}
	return ancestors(t, value)
}

// OfNodes returns the indicator attributes of Ancestors with all nodes as candidates, not only the
// leaves, for problems that compare inner nodes. Restrict returns those of the leaves over the same
// columns.
func OfNodes(t *taxonomy.Taxonomy) *Attributes {
	a, err := NewCandidates(t, allNodes(t), func(n int) ([]int, []float64) {
		above := t.Ancestors(n)
		return above, slices.Repeat([]float64{1}, len(above))
	})
	if err != nil {
		panic("structured: attributes of nodes: " + err.Error())
	}
	return a
}

// ByDepth returns the attributes that are value[d] at nodes of depth d, the longest path from a
// root [Cai08, section 3.2]. value has one entry per depth, from the roots on.
func ByDepth(t *taxonomy.Taxonomy, value []float64) (*Attributes, error) {
	if t == nil {
		return nil, taxonomy.ErrNone
	}
	values := make([]float64, t.Len())
	for n := range values {
		d := t.Depth(n)
		if d >= len(value) {
			return nil, fmt.Errorf("structured: %d attribute values, and node %q has depth %d; pass one value per depth, from 0 on", len(value), t.Name(n), d)
		}
		values[n] = value[d]
	}
	return ancestors(t, values)
}

// InvSqrtMaxDepth returns the attributes of [Cai08, section 7.2] for trees whose leaves are all
// equally deep: 0 at the roots, otherwise 1/sqrt(depth), with depth the largest number of ancestors
// of a leaf, without the leaf. Attribute vectors have norm 1 if all leaves have that many;
// otherwise use InvSqrtDepth. It returns an error if the taxonomy has only roots.
func InvSqrtMaxDepth(t *taxonomy.Taxonomy) (*Attributes, error) {
	if t == nil {
		return nil, taxonomy.ErrNone
	}
	depth := 0
	for _, leaf := range t.Leaves() {
		depth = max(depth, len(t.Ancestors(leaf))-1)
	}
	if depth == 0 {
		return nil, fmt.Errorf("structured: attributes divide by the depth, and all nodes are roots; put a node above them or use flat attributes")
	}
	values := make([]float64, t.Len())
	for n := range values {
		if len(t.Parents(n)) > 0 {
			values[n] = 1 / math.Sqrt(float64(depth))
		}
	}
	return ancestors(t, values)
}

// InvSqrtDepth returns the attributes of [Cai08, section 7.2] for taxonomies of unequal depth: for
// a leaf y 0 at the roots, otherwise 1/sqrt(depth(y)), with depth(y) the number of ancestors of y
// without y. Attribute vectors have norm 1 if every leaf is below only one root. It returns an
// error if a leaf is a root.
func InvSqrtDepth(t *taxonomy.Taxonomy) (*Attributes, error) {
	if t == nil {
		return nil, taxonomy.ErrNone
	}
	for _, leaf := range t.Leaves() {
		if len(t.Parents(leaf)) == 0 {
			return nil, fmt.Errorf("structured: attributes divide by the depth, and leaf %q is a root; put a node above it or use other attributes", t.Name(leaf))
		}
	}
	return NewAttributes(t, func(leaf int) ([]int, []float64) {
		nodes := t.Ancestors(leaf)
		values := make([]float64, len(nodes))
		for k, n := range nodes {
			if len(t.Parents(n)) > 0 {
				values[k] = 1 / math.Sqrt(float64(len(nodes)-1))
			}
		}
		return nodes, values
	})
}
