package svm

import (
	"fmt"
	"slices"

	"github.com/hierml/notebook/hierml/internal/enum"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Policy says which instances are positive and which negative for the binary classifier of a node
// v, as in [SF11, section 3.2.1], for labels that are most specific. Below, an instance belongs to
// v if v is at or above one of its labels; it has v itself if v is one of its labels. All other
// instances are left out.
type Policy int

const (
	// ParentPositive takes the instances of v, and as negatives the others of its parent, at a root
	// all others. This makes a probabilistic label tree [JDBPKH16], because the classifier then
	// estimates the probability of v given its parent.
	ParentPositive Policy = iota
	// Siblings takes the instances of v, and as negatives the others of its siblings. Roots are
	// siblings of each other. It differs from ParentPositive where a parent itself is a label.
	Siblings
	// LessInclusive takes the instances of v, and all others as negatives.
	LessInclusive
	// Inclusive takes the instances of v, and as negatives all others but those that have an
	// ancestor of v.
	Inclusive
	// Exclusive takes the instances that have v itself, and all others as negatives.
	Exclusive
	// LessExclusive takes the instances that have v itself, and as negatives those that are not of
	// v.
	LessExclusive
	// ExclusiveSiblings takes the instances that have v itself, and as negatives the others that
	// have a sibling itself.
	ExclusiveSiblings
)

var policies = []string{"ParentPositive", "Siblings", "LessInclusive", "Inclusive", "Exclusive", "LessExclusive", "ExclusiveSiblings"}

// String returns the name of the constant.
func (p Policy) String() string {
	if p < ParentPositive || p > ExclusiveSiblings {
		return fmt.Sprintf("Policy(%d)", int(p))
	}
	return policies[p]
}

// MarshalText returns the name of the constant.
func (p Policy) MarshalText() ([]byte, error) { return enum.Marshal(p, policies) }

// UnmarshalText reads the name of a constant and ignores case.
func (p *Policy) UnmarshalText(text []byte) error { return enum.Unmarshal(p, policies, text) }

// exclusive reports whether the positives are those that have the node itself, so that the
// classifiers of its ancestors do not apply to it.
func (p Policy) exclusive() bool { return p >= Exclusive }

// Examples are the instances of the binary problem of one node, by their rows, ascending.
type Examples struct {
	Positive, Negative []int32
}

// all returns both, ascending.
func (e *Examples) all() []int32 {
	all := slices.Concat(e.Positive, e.Negative)
	slices.Sort(all)
	return all
}

// Examples returns the examples of node v among instances with the given labels, node ids of t,
// ascending.
func (p Policy) Examples(t *taxonomy.Taxonomy, labels [][]int, v int) (Examples, error) {
	if t == nil {
		return Examples{}, taxonomy.ErrNone
	}
	if v < 0 || v >= t.Len() {
		return Examples{}, fmt.Errorf("svm: node %d does not exist; the taxonomy has nodes 0..%d", v, t.Len()-1)
	}
	m, err := p.members(t, labels)
	if err != nil {
		return Examples{}, err
	}
	return m.examples(v), nil
}

// members are the instances of each node.
type members struct {
	policy     Policy
	t          *taxonomy.Taxonomy
	rows       int
	of, itself [][]int32 // by node: instances that belong to it, and that have it itself
}

func (p Policy) members(t *taxonomy.Taxonomy, labels [][]int) (*members, error) {
	if p < ParentPositive || p > ExclusiveSiblings {
		return nil, fmt.Errorf("svm: unknown Policy %d; use one from %v to %v", int(p), ParentPositive, ExclusiveSiblings)
	}
	m := &members{policy: p, t: t, rows: len(labels), of: make([][]int32, t.Len()), itself: make([][]int32, t.Len())}
	for i, set := range labels {
		for _, n := range set {
			if n < 0 || n >= t.Len() {
				return nil, fmt.Errorf("svm: row %d has label %d; the taxonomy has nodes 0..%d", i, n, t.Len()-1)
			}
			m.itself[n] = append(m.itself[n], int32(i))
		}
		for _, n := range t.Closure(set) {
			m.of[n] = append(m.of[n], int32(i))
		}
	}
	return m, nil
}

// examples returns the examples of a node.
func (m *members) examples(v int) Examples {
	e := Examples{Positive: m.of[v]}
	if m.policy.exclusive() {
		e.Positive = m.itself[v]
	}
	placed := make([]bool, m.rows)
	skip := func(rows []int32) {
		for _, i := range rows {
			placed[i] = true
		}
	}
	skip(e.Positive)
	negative := func(rows []int32) {
		for _, i := range rows {
			if !placed[i] {
				placed[i] = true
				e.Negative = append(e.Negative, i)
			}
		}
	}
	others := func() {
		for i, is := range placed {
			if !is {
				e.Negative = append(e.Negative, int32(i))
			}
		}
	}
	switch m.policy {
	case ParentPositive:
		for _, parent := range m.t.Parents(v) {
			negative(m.of[parent])
		}
		if len(m.t.Parents(v)) == 0 {
			others()
		}
	case Siblings:
		for _, s := range m.t.SiblingsOrRoots(v) {
			negative(m.of[s])
		}
	case ExclusiveSiblings:
		for _, s := range m.t.SiblingsOrRoots(v) {
			negative(m.itself[s])
		}
	case Inclusive:
		for _, above := range m.t.Ancestors(v) {
			if above != v {
				skip(m.itself[above])
			}
		}
		others()
	case LessExclusive:
		skip(m.of[v])
		others()
	default:
		others()
	}
	slices.Sort(e.Negative)
	return e
}
