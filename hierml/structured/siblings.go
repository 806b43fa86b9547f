package structured

import (
	"fmt"
	"math"
	"slices"

	"github.com/hierml/notebook/hierml/loss"
)

// SiblingOptions determine the nodes that are compared with their siblings and the cost of a wrong
// order. The zero value compares every node with a parent at or above a label, with cost 1: the
// score of the node must exceed that of the sibling by at least 1.
type SiblingOptions struct {
	// Roots makes the roots siblings of each other, children of a root that is not a node [ZXW11].
	Roots bool
	// InnerOnly compares only nodes that have children, as in [QGH09], where the siblings of leaves
	// are among the labels.
	InnerOnly bool
	// Loss is l(z, sibling) for nodes z at or above a label. When nil, it is 1.
	Loss loss.Loss
	// Rescaling is Margin or Slack and determines how the loss enters. They agree for a loss of 1.
	Rescaling Rescaling
}

// Siblings compares nodes with their siblings: for an example with label set Y, every node z at or
// above a label with every sibling of z that is not itself at or above a label, so both orders of
// two nodes are never required. A node's score is <its attribute vector, scores of the columns>;
// the candidates of the attributes must include the nodes compared.
//
// One block is one example, all of whose comparisons share a slack variable; examples without a
// comparison have no block. Within a block competitors are numbered in the order of the nodes z,
// parents before children, and of the siblings' ids.
type Siblings struct {
	attributes *Attributes
	c          float64
	examples   []int32
	sets       []int32 // of each block
	pairs      []siblingSet
}

// siblingSet are the comparisons that all examples with one label set share.
type siblingSet struct {
	nodes []int32 // candidates compared
	pairs []siblingPair
}

// siblingPair asks <node - sibling> times scale to be at least the cost.
type siblingPair struct {
	node, sibling int32 // positions in siblingSet.nodes
	cost, scale   float64
}

// NewSiblings returns the comparisons for examples with the given label sets, node ids of the
// attributes' taxonomy, inner nodes included. c is the weight of every example.
func NewSiblings(a *Attributes, labels [][]int, options SiblingOptions, c float64) (*Siblings, error) {
	if a == nil {
		return nil, fmt.Errorf("structured: comparing siblings needs Attributes")
	}
	if err := CheckC(c); err != nil {
		return nil, fmt.Errorf("structured: %w", err)
	}
	if err := loss.Check(options.Loss, a.taxonomy); err != nil {
		return nil, err
	}
	if options.Rescaling != Margin && options.Rescaling != Slack {
		return nil, fmt.Errorf("structured: siblings are compared with structured.Margin or structured.Slack rescaling, not %v", options.Rescaling)
	}
	rank := make([]int, a.taxonomy.Len())
	for k, n := range a.taxonomy.Topological() {
		rank[n] = k
	}
	s := &Siblings{attributes: a, c: c}
	known := make(map[string]int32)
	for i, set := range labels {
		for _, n := range set {
			if n < 0 || n >= a.taxonomy.Len() {
				return nil, fmt.Errorf("structured: row %d has label %d; the taxonomy has nodes 0..%d", i, n, a.taxonomy.Len()-1)
			}
		}
		above := a.taxonomy.Closure(set)
		key := fmt.Sprint(above)
		at, ok := known[key]
		if !ok {
			compared, err := compare(a, above, rank, options)
			if err != nil {
				return nil, err
			}
			at = int32(len(s.pairs))
			s.pairs = append(s.pairs, compared)
			known[key] = at
		}
		if len(s.pairs[at].pairs) > 0 {
			s.examples = append(s.examples, int32(i))
			s.sets = append(s.sets, at)
		}
	}
	return s, nil
}

// compare returns the comparisons of a closed label set.
func compare(a *Attributes, above, rank []int, options SiblingOptions) (siblingSet, error) {
	t := a.taxonomy
	var s siblingSet
	position := make(map[int]int32)
	place := func(n int) (int32, error) {
		at, ok := position[n]
		if !ok {
			candidate := a.Candidate(n)
			if candidate < 0 {
				return 0, fmt.Errorf("structured: node %q is compared with siblings, but the attributes have no vector for it", t.Name(n))
			}
			at = int32(len(s.nodes))
			position[n] = at
			s.nodes = append(s.nodes, int32(candidate))
		}
		return at, nil
	}
	downwards := slices.Clone(above)
	slices.SortFunc(downwards, func(n, m int) int { return rank[n] - rank[m] })
	for _, z := range downwards {
		if options.InnerOnly && t.IsLeaf(z) {
			continue
		}
		siblings := t.Siblings(z)
		if options.Roots {
			siblings = t.SiblingsOrRoots(z)
		}
		for _, sibling := range siblings {
			if _, both := slices.BinarySearch(above, sibling); both {
				continue
			}
			p := siblingPair{cost: 1, scale: 1}
			if options.Loss != nil {
				p.cost = options.Loss.Cost(z, sibling)
				if !(p.cost >= 0) || math.IsInf(p.cost, 1) {
					return s, fmt.Errorf("structured: loss of taking %q for %q is %v; a loss must be finite and not negative", t.Name(sibling), t.Name(z), p.cost)
				}
				if options.Rescaling == Slack {
					p.scale = p.cost
				}
			}
			var err error
			if p.node, err = place(z); err != nil {
				return s, err
			}
			if p.sibling, err = place(sibling); err != nil {
				return s, err
			}
			s.pairs = append(s.pairs, p)
		}
	}
	return s, nil
}

// With returns the same comparisons under other attributes of the same candidates. Competitors keep
// their names.
func (s *Siblings) With(a *Attributes) (*Siblings, error) {
	if a == nil || a.taxonomy != s.attributes.taxonomy || !slices.Equal(a.candidates, s.attributes.candidates) {
		return nil, fmt.Errorf("structured: With needs attributes with the same candidates")
	}
	moved := *s
	moved.attributes = a
	return &moved, nil
}

// Attributes returns the attribute vectors.
func (s *Siblings) Attributes() *Attributes { return s.attributes }

// Blocks returns the number of examples with a comparison.
func (s *Siblings) Blocks() int { return len(s.examples) }

// Example returns the example of a block.
func (s *Siblings) Example(b int) int { return int(s.examples[b]) }

// C returns the weight of the training error.
func (s *Siblings) C(int) float64 { return s.c }

// Competitor returns the nodes that a competitor compares.
func (s *Siblings) Competitor(b int, id int32) (node, sibling int) {
	set := &s.pairs[s.sets[b]]
	p := set.pairs[id]
	candidates := s.attributes.candidates
	return candidates[set.nodes[p.node]], candidates[set.nodes[p.sibling]]
}

// Known reports whether the id names a pair of the example's.
func (s *Siblings) Known(b int, id int32) bool {
	return id >= 0 && int(id) < len(s.pairs[s.sets[b]].pairs)
}

// Cost returns the required lead.
func (s *Siblings) Cost(b int, id int32) float64 { return s.pairs[s.sets[b]].pairs[id].cost }

// Direct adds scale times the difference of the two attribute vectors, itself times the loss under
// Slack rescaling.
func (s *Siblings) Direct(b int, id int32, scale float64, step *Step) {
	set := &s.pairs[s.sets[b]]
	p := set.pairs[id]
	s.attributes.direct(set.nodes[p.node], scale*p.scale, step)
	s.attributes.direct(set.nodes[p.sibling], -scale*p.scale, step)
}

// Product returns the inner product of two competitors' directions.
func (s *Siblings) Product(b int, k, l int32) float64 {
	a, set := s.attributes, &s.pairs[s.sets[b]]
	p, q := set.pairs[k], set.pairs[l]
	n, m := set.nodes[p.node], set.nodes[p.sibling]
	v, w := set.nodes[q.node], set.nodes[q.sibling]
	return p.scale * q.scale * (a.product(n, v) - a.product(n, w) - a.product(m, v) + a.product(m, w))
}

// NewSearch returns a search that scores the nodes of a block's comparisons.
func (s *Siblings) NewSearch() Search { return &siblingSearch{siblings: s} }

type siblingSearch struct {
	siblings *Siblings
	set      *siblingSet
	scores   []float64 // by position in set.nodes
}

func (s *siblingSearch) Load(b int, scores []float64) float64 {
	a := s.siblings.attributes
	s.set = &s.siblings.pairs[s.siblings.sets[b]]
	s.scores = slices.Grow(s.scores[:0], len(s.set.nodes))[:len(s.set.nodes)]
	for k, y := range s.set.nodes {
		var f float64
		for at := a.colptr[y]; at < a.colptr[y+1]; at++ {
			f += a.vals[at] * scores[a.cols[at]]
		}
		s.scores[k] = f
	}
	worst := 0.0
	for id := range s.set.pairs {
		worst = max(worst, s.Violation(int32(id)))
	}
	return worst
}

func (s *siblingSearch) Violation(id int32) float64 {
	p := &s.set.pairs[id]
	return p.cost - p.scale*(s.scores[p.node]-s.scores[p.sibling])
}

func (s *siblingSearch) Worst(n int, floor float64, known []int32, dst []int32) []int32 {
	floor = max(floor, 0)
	if n <= 0 {
		return dst
	}
	worst := dst[len(dst):]
	for id := range int32(len(s.set.pairs)) {
		if v := s.Violation(id); v > floor && !slices.Contains(known, id) {
			worst, floor = insertWorst(s, worst, n, id, v, floor)
		}
	}
	return append(dst, worst...)
}
