package classifier

import (
	"fmt"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// Rule turns the scores of an instance into a label.
type Rule int

const (
	// Highest is the leaf with the highest score, in case of a tie the smallest id.
	Highest Rule = iota
	// Descend goes from the top to a leaf, at every node to the child with the highest node score,
	// in case of a tie to the smallest id: [ZXW11, (1)]; [Cai08, section 7.4.2].
	Descend
	// BestSet is the set of leaves with the highest score, which Model.LabelSets finds. A single
	// prediction is the leaf with the highest score, as for Highest.
	BestSet
	// ClosedSet is the set of nodes with the highest score among those that contain all ancestors
	// of their nodes. Model.ClosedSets finds it; it may end at inner nodes or be empty. Predictions
	// of leaves are as for BestSet.
	ClosedSet
	// TopDown is the set of nodes whose scores, and those of all ancestors, are not negative;
	// Model.ClosedSets returns it. A predicted set of leaves has the leaves among them; a single
	// prediction is the leaf with the highest score, as for Highest.
	TopDown
	// BottomUp is the set of nodes with a positive score at or below them: those with positive
	// Model.CoherentScores. Model.ClosedSets returns it. Predictions of leaves are as for TopDown.
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

// highest returns the node with the highest score, in case of a tie the first.
func highest(of []int, nodes []float64) int {
	best := of[0]
	for _, n := range of[1:] {
		if nodes[n] > nodes[best] || nodes[n] == nodes[best] && n < best {
			best = n
		}
	}
	return best
}
