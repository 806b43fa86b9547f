package classifier

import (
	"fmt"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// Rule says how the scores of an instance become a label.
type Rule int

const (
	// Highest is the leaf with the highest score, of equal ones that with the smallest id.
	Highest Rule = iota
	// Descend goes from the top to a leaf, at every node to the child with the highest node score,
	// of equal ones to that with the smallest id: [ZXW11, (1)]; [Cai08, section 7.4.2].
	Descend
	// BestSet is the set of leaves with the highest score, which Model.LabelSets finds; where one
	// leaf is asked for it is that with the highest score, as for Highest.
	BestSet
	// ClosedSet is the set of nodes with the highest score that has all nodes above its nodes,
	// which Model.ClosedSets finds; it may end at inner nodes or be empty. Where leaves are asked
	// for it is as BestSet.
	ClosedSet
	// TopDown is the set of nodes whose own scores, and those of all nodes above, are not negative;
	// Model.ClosedSets gives it. Where a set of leaves is asked for it is the leaves among them,
	// where one leaf is, that with the highest score, as for Highest.
	TopDown
	// BottomUp is the set of nodes at or below which there is a node with a positive score: those
	// with positive Model.CoherentScores. Model.ClosedSets gives it. Where leaves are asked for it
	// is as TopDown.
	BottomUp
)

// String returns the name of the rule.
func (r Rule) String() string {
	switch r {
	case Highest:
		return "highest"
	case Descend:
		return "descend"
	case BestSet:
		return "best set"
	case ClosedSet:
		return "closed set"
	case TopDown:
		return "top down"
	case BottomUp:
		return "bottom up"
	}
	return fmt.Sprintf("Rule(%d)", int(r))
}

// descend follows the highest node scores from the roots to a leaf.
func descend(t *taxonomy.Taxonomy, nodes []float64) int {
	at := highest(t.Roots(), nodes)
	for !t.IsLeaf(at) {
		at = highest(t.Children(at), nodes)
	}
	return at
}

// highest returns the node with the highest score, the first of equal ones.
func highest(of []int, nodes []float64) int {
	best := of[0]
	for _, n := range of[1:] {
		if nodes[n] > nodes[best] || nodes[n] == nodes[best] && n < best {
			best = n
		}
	}
	return best
}
