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

// NodeSet returns the nodes whose probability exceeds the level, and the most probable node in any
// case, in their most specific form: ascending, none above another. row has the probability that a
// label is at or below each node; no child may be more probable than its parent.
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

// likeliest returns the most specific of the most probable nodes.
func likeliest(t *taxonomy.Taxonomy, row []float64) int {
	best := 0
	for _, n := range t.Topological() {
		if row[n] > row[best] || row[n] == row[best] && slices.Contains(t.Parents(n), best) {
			best = n
		}
	}
	return best
}

// LeafColumns returns the columns of the leaves in a matrix of node scores, in the order of
// t.Leaves.
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

// LeafSets returns, for every row of node probabilities, a set of leaves, ascending. It is the set
// with the largest sum of probability minus level over its leaves and their ancestors. It equals
// NodeSet where that consists of leaves. The probabilities are overwritten.
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

// NodeLevel learns the level of NodeSet that maximizes the F1 of all sets with their ancestors. It
// is about half that F1. The zero value is ready to use.
type NodeLevel struct {
	// By level: number of nodes predicted there and not at the next level, and of the true ones
	// among them.
	predicted, both [levelSteps + 1]float64
	truth           float64
}

// levelSteps is the number of levels from 0 to 1 that NodeLevel chooses from.
const levelSteps = 200

// Add adds an instance with a weight: its node probabilities, as for NodeSet, and the true labels
// with their ancestors, ascending.
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
		if f := 2 * both / (predicted + l.truth); f > f1 { // false for NaN
			level, f1 = float64(at)/levelSteps, f
		}
	}
	return level, f1
}
