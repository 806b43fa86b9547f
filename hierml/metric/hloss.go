package metric

import (
	"errors"
	"fmt"
	"math"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// HLoss returns the H-loss of [CGZ06] of every instance, for predicted sets of labels and true
// ones, both ascending. A set may be empty, and a label may be an inner node: the nodes above are
// implied. A leaf that Leafed added counts as its inner node. A node costs if it is at or above a
// label of one set only and all its parents are in both. costs has one entry per node, finite and
// not negative, such as loss.UniformCosts. If nil, they are those of Report.HLoss, with which the
// loss is at most 1.
func HLoss(truth, predicted [][]int, t *taxonomy.Taxonomy, costs []float64) ([]float64, error) {
	if t == nil {
		return nil, errors.New("metric: HLoss needs a taxonomy")
	}
	if len(truth) != len(predicted) {
		return nil, fmt.Errorf("metric: %d true and %d predicted label sets; expected one of each per instance", len(truth), len(predicted))
	}
	l := labelsOf(t)
	if costs == nil {
		costs = charges(l.nodes)
	} else if len(costs) != t.Len() {
		return nil, fmt.Errorf("metric: %d costs for a taxonomy of %d nodes; pass one per node", len(costs), t.Len())
	} else {
		for n, c := range costs {
			if !(c >= 0) || math.IsInf(c, 1) {
				return nil, fmt.Errorf("metric: the cost of node %q is %v; costs must be finite and not negative", t.Name(n), c)
			}
		}
		costs = l.own(costs)
	}
	counts, values := newCounts(l.nodes), make([]float64, len(truth))
	for i := range truth {
		if err := checkSet(t, truth[i], i); err != nil {
			return nil, err
		}
		if err := checkSet(t, predicted[i], i); err != nil {
			return nil, fmt.Errorf("%w (as predicted)", err)
		}
		counts.add(l.set(nil, truth[i]), l.set(nil, predicted[i]), 1)
		values[i] = counts.hLoss(costs)
	}
	return values, nil
}

// hLoss returns the H-loss of the current instance.
func (c *counts) hLoss(costs []float64) (sum float64) {
	for _, n := range c.touched {
		if c.in(n) != inBoth && c.topmost(n) {
			sum += costs[n]
		}
	}
	return sum
}

// topmost reports whether all parents of n are in both sets, where n is in one.
func (c *counts) topmost(n int) bool {
	for _, p := range c.t.Parents(n) {
		if c.in(p) != inBoth {
			return false
		}
	}
	return true
}
