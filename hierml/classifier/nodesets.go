package classifier

import (
	"fmt"
	"math"
	"slices"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/internal/guarded"
	"github.com/hierml/notebook/hierml/labelset"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// NodeSet returns the nodes that are likelier than the level, and the likeliest one in any case, in
// their most specific form: ascending, none above another. row has the probability that a label is
// at or below each node, which does not rise from a node to a child.
func NodeSet(t *taxonomy.Taxonomy, row []float64, level float64) []int {
	chosen := func(n int) bool { return row[n] > level }
	var set []int
	for n := range row {
		if chosen(n) && !slices.ContainsFunc(t.Children(n), chosen) {
			set = append(set, n)
		}
	}
	if set == nil {
		set = []int{likeliest(t, row)}
	}
	return set
}

// likeliest returns the most specific of the nodes that no other is likelier than.
func likeliest(t *taxonomy.Taxonomy, row []float64) int {
	best := 0
	for _, n := range t.Topological() {
		if row[n] > row[best] || row[n] == row[best] && slices.Contains(t.Parents(n), best) {
			best = n
		}
	}
	return best
}

// LeafColumns returns the columns of the leaves of scores of nodes, in the order of t.Leaves.
func LeafColumns(t *taxonomy.Taxonomy, nodes *mat.Dense) *mat.Dense {
	rows, _ := nodes.Dims()
	if rows == 0 {
		return new(mat.Dense)
	}
	leaves := t.Leaves()
	scores := mat.NewDense(rows, len(leaves), nil)
	for i := range rows {
		from, to := nodes.RawRowView(i), scores.RawRowView(i)
		for y, n := range leaves {
			to[y] = from[n]
		}
	}
	return scores
}

// LeafSets returns, for every row of the probabilities of nodes, a set of leaves, ascending: that
// with the largest sum, over the leaves and all nodes above, of what their probabilities are above
// the level. It is what NodeSet says where that ends at leaves. The probabilities are overwritten.
func LeafSets(t *taxonomy.Taxonomy, probabilities *mat.Dense, level float64) ([][]int, error) {
	if t == nil {
		return nil, taxonomy.ErrNone
	}
	space, err := labelset.New(t)
	if err != nil {
		return nil, err
	}
	rows, _ := probabilities.Dims()
	sets := make([][]int, rows)
	var group errgroup.Group
	group.SetLimit(guarded.Workers(0))
	const chunk = 64
	for from := 0; from < rows; from += chunk {
		group.Go(func() error {
			searcher := space.NewSearcher()
			searcher.Branches = predictionBranches
			for i := from; i < min(from+chunk, rows); i++ {
				rewards := probabilities.RawRowView(i)
				for n := range rewards {
					rewards[n] -= level
				}
				best, err := searcher.Best(rewards)
				if err != nil {
					return fmt.Errorf("classifier: row %d: %w", i, err)
				}
				sets[i] = slices.Clone(best.Leaves)
			}
			return nil
		})
	}
	return sets, group.Wait()
}

// NodeLevel learns the level of NodeSet with which the F1 of all sets together with the nodes above
// is largest, about half that F1. The zero value is ready to use.
type NodeLevel struct {
	// By level: nodes that are predicted there and not at the next one, and those of them that are
	// true.
	predicted, both [levelSteps + 1]float64
	truth           float64
}

// levelSteps are the levels from 0 to 1 that NodeLevel chooses from.
const levelSteps = 200

// Add adds an instance: its probabilities of the nodes, as NodeSet has them, and the true labels
// with all nodes above, ascending. It counts as often as its weight says.
func (l *NodeLevel) Add(t *taxonomy.Taxonomy, row []float64, truth []int, weight float64) {
	always := t.Closure([]int{likeliest(t, row)})
	for n, p := range row {
		at := int(math.Ceil(p*levelSteps)) - 1 // the last level below p
		if _, ok := slices.BinarySearch(always, n); ok {
			at = levelSteps
		}
		if at < 0 {
			continue
		}
		l.predicted[at] += weight
		if _, yes := slices.BinarySearch(truth, n); yes {
			l.both[at] += weight
		}
	}
	l.truth += weight * float64(len(truth))
}

// Best returns the level, in steps of a half percent, and the F1 there.
func (l *NodeLevel) Best() (level, f1 float64) {
	var predicted, both float64
	level = 1
	for at := levelSteps; at > 0; at-- {
		predicted += l.predicted[at]
		both += l.both[at]
		if f := 2 * both / (predicted + l.truth); f > f1 { // never where it is no number
			level, f1 = float64(at)/levelSteps, f
		}
	}
	return level, f1
}
