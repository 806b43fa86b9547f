package loss

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// Func is a function as a Loss: the cost of predicting one label when another is true, finite, not
// negative and zero for the truth. It must be safe for concurrent use.
type Func func(truth, predicted int) float64

// Cost returns f(truth, predicted).
func (f Func) Cost(truth, predicted int) float64 { return f(truth, predicted) }

// SetFunc is a function as a SetLoss: the cost of predicting one set of labels when another is
// true.
type SetFunc func(truth, predicted []int) float64

// SetCost returns f(truth, predicted).
func (f SetFunc) SetCost(truth, predicted []int) float64 { return f(truth, predicted) }

// FromTable returns the loss with the costs of a table: row a, column b is the cost of predicting b
// when a is true. The table has one row and one column per leaf, in the order of Taxonomy.Leaves,
// or one row and one column per node. It needn't be symmetric. The table is not copied. With a
// table of leaves the cost of an inner node is NaN.
func FromTable(t *taxonomy.Taxonomy, costs mat.Matrix) (Loss, error) {
	if t == nil || costs == nil {
		return nil, fmt.Errorf("loss: a table of costs needs a taxonomy and a matrix")
	}
	rows, cols := costs.Dims()
	leaves := t.Leaves()
	if rows != cols || rows != len(leaves) && rows != t.Len() {
		return nil, fmt.Errorf("loss: a table of %d rows and %d columns for a taxonomy of %d leaves and %d nodes; give one row and one column per leaf, or per node", rows, cols, len(leaves), t.Len())
	}
	l := table{t, costs, rows == t.Len()}
	for a := range rows {
		for b := range cols {
			c := costs.At(a, b)
			if !(c >= 0) || math.IsInf(c, 1) || a == b && c != 0 {
				x, y := a, b
				if !l.nodes {
					x, y = leaves[a], leaves[b]
				}
				return nil, fmt.Errorf("loss: the cost of predicting %q when %q is true is %v; costs must be finite, not negative, and zero for the truth", t.Name(y), t.Name(x), c)
			}
		}
	}
	return l, nil
}

type table struct {
	t     *taxonomy.Taxonomy
	costs mat.Matrix
	nodes bool // rows are nodes
}

func (l table) Cost(truth, predicted int) float64 {
	if !l.nodes {
		truth, predicted = l.t.LeafIndex(truth), l.t.LeafIndex(predicted)
		if truth < 0 || predicted < 0 {
			return math.NaN()
		}
	}
	return l.costs.At(truth, predicted)
}

func (l table) Taxonomy() *taxonomy.Taxonomy { return l.t }

func (l table) NodeRow(truth int, dst []float64) { costs(l, truth, dst) }
