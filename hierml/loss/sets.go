package loss

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// SetLoss is the cost of predicting one set of labels when another is true. Sets are slices of node
// ids in any order. A repeated label counts once, and losses on ancestors add these themselves.
// Sets may be empty.
type SetLoss interface {
	SetCost(truth, predicted []int) float64
}

// Decomposing is a SetLoss that is a sum over the nodes of the prediction, so a search for the best
// set needs only one value per node [CSS16, section 7.1].
type Decomposing interface {
	SetLoss

	// Decompose writes the contribution of every node to the cost, if it is at or above the
	// prediction and truth is true, into dst, and returns the cost of the empty prediction.
	// SetCost(truth, z) is that constant plus the sum of dst over the ancestors of z. dst has one
	// entry per node.
	Decompose(truth []int, dst []float64) (constant float64)
}

// LeafSymdiff returns the number of leaves that are in one set and not in the other: Delta_0 of
// [Cai08, section 3.3] and Delta_Ll of [CSS16, section 7.1], by which training replaces SqrtAlpha,
// which doesn't decompose. Labels that are inner nodes do not count. Between single leaves it is
// twice ZeroOne.
func LeafSymdiff(t *taxonomy.Taxonomy) Decomposing { return leafSymdiff{t} }

type leafSymdiff struct{ t *taxonomy.Taxonomy }

func (l leafSymdiff) Taxonomy() *taxonomy.Taxonomy { return l.t }

func (l leafSymdiff) SetCost(truth, predicted []int) float64 {
	var cost float64
	x, y := l.leaves(truth), l.leaves(predicted)
	for _, n := range x {
		if _, both := slices.BinarySearch(y, n); !both {
			cost++
		}
	}
	for _, n := range y {
		if _, both := slices.BinarySearch(x, n); !both {
			cost++
		}
	}
	return cost
}

// leaves returns the leaves in set, ascending, each once.
func (l leafSymdiff) leaves(set []int) []int {
	leaves := slices.DeleteFunc(slices.Clone(set), func(n int) bool { return !l.t.IsLeaf(n) })
	slices.Sort(leaves)
	return slices.Compact(leaves)
}

func (l leafSymdiff) Decompose(truth []int, dst []float64) float64 {
	for n := range dst {
		dst[n] = 0
		if l.t.IsLeaf(n) {
			dst[n] = 1
		}
	}
	leaves := l.leaves(truth)
	for _, n := range leaves {
		dst[n] = -1
	}
	return float64(len(leaves))
}

// sets are the losses of sets that need nothing but a taxonomy.
var sets = map[string]func(*taxonomy.Taxonomy) (SetLoss, error){
	"leaf_symdiff": func(t *taxonomy.Taxonomy) (SetLoss, error) { return LeafSymdiff(t), nil },
	"symdiff":      asSet(named["symdiff"]),
	"half":         asSet(named["half"]),
	"uni":          asSet(named["uni"]),
	"sib":          asSet(named["sib"]),
	"sub":          asSet(named["sub"]),
}

func asSet(of func(*taxonomy.Taxonomy) (Loss, error)) func(*taxonomy.Taxonomy) (SetLoss, error) {
	return func(t *taxonomy.Taxonomy) (SetLoss, error) {
		l, err := of(t)
		if err != nil {
			return nil, err
		}
		return l.(SetLoss), nil
	}
}

// SetNames returns the names that NamedSet accepts, sorted.
func SetNames() []string { return names(sets) }

// NamedSet returns the loss of sets with the given name on the taxonomy: leaf_symdiff, symdiff,
// half, uni, sib or sub.
func NamedSet(name string, t *taxonomy.Taxonomy) (SetLoss, error) {
	constructor, ok := sets[name]
	if !ok {
		return nil, fmt.Errorf("loss: no loss of sets is called %q; the names are %s", name, strings.Join(SetNames(), ", "))
	}
	return constructor(t)
}

// Ranking returns the loss of a ranking of the leaves when truth is the set of true labels: the sum
// of the costs, by l, over pairs of a leaf in truth and one not in it with a strictly larger score.
// With Symdiff it is [Cai08, (3.15)]. scores has one entry per leaf, in the order of
// Taxonomy.Leaves.
func Ranking(l Loss, t *taxonomy.Taxonomy, truth []int, scores []float64) float64 {
	leaves := t.Leaves()
	row := borrow(len(leaves))
	defer scratch.Put(row)
	var sum float64
	seen := make(map[int]bool, len(truth))
	for _, n := range truth {
		seen[n] = true
	}
	for y, n := range leaves {
		if !seen[n] {
			continue
		}
		Row(l, t, n, *row)
		for z, cost := range *row {
			if scores[z] > scores[y] && !seen[leaves[z]] {
				sum += cost
			}
		}
	}
	return sum
}
