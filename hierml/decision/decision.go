// Package decision chooses labels from their probabilities such that the expected value of a
// measure is best. The most probable leaf is right most often, but it need not have the smallest
// expected distance in the taxonomy, or the largest expected hierarchical F1: if two siblings are
// equally probable, their parent may be better. The model need not be trained again.
//
// For an instance with one label and probabilities of the leaves, [LeastLoss] chooses the leaf, or
// the node, with the smallest expected loss, and [LargestF] the node, or the set of nodes, with the
// largest expected hierarchical F1. Both are a [Rule], and exact on trees and on graphs:
//
//	sets, values, err := decision.LeastLoss{Inner: true}.Decide(ctx, t, probabilities)
//
// [TopDown] and [NodeThresholds] use thresholds that are learned from held-out instances.
//
// A pipeline.Pipeline with a Decision saves the rule in the file of a model, for Go and for Python.
//
// [Model] applies a rule to any model with probabilities, so that package metric can evaluate the
// decisions, and [By] is an estimator of such models for studies. For instances with several
// labels, [HLoss] and [SetF] use the probabilities of nodes given their parents: for the smallest
// expected H-loss, and the largest expected hierarchical F1.
//
// The probabilities come from the models and package calibration: a decision is only as good as
// they are. If they are overconfident, the rules choose the most probable leaf. To notice this,
// compare the mean of the expected values with the measure on held-out instances.
package decision

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/internal/guarded"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Rule chooses a node or a set of nodes, given the probabilities of the leaves.
type Rule interface {
	// Decide returns the chosen nodes for every row of probabilities, in their most specific form:
	// ascending, none above another. values has the expected loss or measure of each decision.
	// probabilities has one row per instance and one column per leaf, in the order of t.Leaves;
	// each row is divided by its sum. Decide returns an error if probabilities are not numbers from
	// 0 to 1, if a row is all 0, or if ctx is cancelled.
	//
	// A leaf that dataset.Leafed added counts as its inner node, as in package metric, and a
	// decision for that node is the leaf.
	Decide(ctx context.Context, t *taxonomy.Taxonomy, probabilities *mat.Dense) (sets [][]int, values []float64, err error)
}

// validate returns an error if the settings of a rule of this package are not for t.
func validate(r Rule, t *taxonomy.Taxonomy) error {
	if v, ok := r.(interface {
		validate(t *taxonomy.Taxonomy) error
	}); ok {
		return v.validate(t)
	}
	return nil
}

// labels are those of a taxonomy, and the nodes among which they are compared.
type labels struct {
	t     *taxonomy.Taxonomy // of the probabilities
	nodes *taxonomy.Taxonomy // without leaves that Leafed has added, or t itself
	of    []int              // the node of each leaf of t
	kept  []int              // the node of t that each node is
	back  []int              // the node of t that each node is decided for as
	order []int              // nodes, the deepest first, then by id: of equal values the first is decided for
}

// newLabels compares labels as in the data, or otherwise as leaves of t.
func newLabels(t *taxonomy.Taxonomy, asData bool) *labels {
	l := &labels{t: t, nodes: t}
	to := make([]int, t.Len())
	for n := range to {
		to[n] = n
	}
	if asData {
		l.nodes, to = t.WithoutMiscellaneous()
	}
	l.back, l.order = make([]int, l.nodes.Len()), make([]int, l.nodes.Len())
	for n, k := range to {
		if t.Label(n) == n || !asData {
			l.back[k] = n
		}
	}
	l.kept = slices.Clone(l.back)
	for _, y := range t.Leaves() {
		l.of = append(l.of, to[y])
		l.back[to[y]] = y
	}
	for k := range l.order {
		l.order[k] = k
	}
	slices.SortStableFunc(l.order, func(a, b int) int { return l.nodes.Depth(b) - l.nodes.Depth(a) })
	return l
}

// set returns nodes as those of t, ascending.
func (l *labels) set(nodes ...int) []int {
	set := make([]int, len(nodes))
	for k, n := range nodes {
		set[k] = l.back[n]
	}
	slices.Sort(set)
	return set
}

// rounding is how far probabilities may be above 1.
const rounding = 1e-6

// check returns an error if the probabilities are invalid.
func check(t *taxonomy.Taxonomy, p *mat.Dense) error {
	if t == nil || p == nil {
		return errors.New("decision: Decide needs a taxonomy and probabilities of its leaves")
	}
	rows, columns := p.Dims()
	if rows > 0 && columns != len(t.Leaves()) {
		return fmt.Errorf("decision: probabilities of %d labels for a taxonomy of %d leaves; pass one column per leaf, in the order of Taxonomy.Leaves", columns, len(t.Leaves()))
	}
	for i := range rows {
		var sum float64
		for y, v := range p.RawRowView(i) {
			if !(v >= 0 && v <= 1+rounding) {
				return fmt.Errorf("decision: row %d, leaf %q: probability %v; probabilities must be from 0 to 1", i, t.LabelName(t.Leaves()[y]), v)
			}
			sum += v
		}
		if sum == 0 {
			return fmt.Errorf("decision: row %d: all probabilities are 0; a decision needs at least one positive probability", i)
		}
	}
	return nil
}

// normalized writes the probabilities of a row into dst, divided by their sum.
func normalized(dst, row []float64) {
	var sum float64
	for _, v := range row {
		sum += v
	}
	for y, v := range row {
		dst[y] = v / sum
	}
}

// each calls decide for each row, in several goroutines, each with what start returns.
func each[S any](ctx context.Context, rows int, start func() S, decide func(s S, i int)) error {
	states := make([]*S, guarded.Workers(0))
	var done atomic.Int64
	guarded.Chunks(rows, len(states), func(worker, lo, hi int) {
		if states[worker] == nil {
			s := start()
			states[worker] = &s
		}
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			decide(*states[worker], i)
			done.Add(1)
		}
	})
	if ctx.Err() != nil {
		return fmt.Errorf("decision: stopped after %d of %d rows: %w", done.Load(), rows, context.Cause(ctx))
	}
	return nil
}

// tolerance is the relative difference below which two values count as equal.
const tolerance = 1e-9

// best returns the first node in order whose value is the smallest, or as good as that; -1 if none
// is finite.
func best(order []int, values []float64) int {
	least := math.Inf(1)
	for _, n := range order {
		if v := values[n]; v < least {
			least = v
		}
	}
	if math.IsInf(least, 1) {
		return -1
	}
	limit := least + tolerance*max(1, math.Abs(least))
	return order[slices.IndexFunc(order, func(n int) bool { return values[n] <= limit })]
}
