package decision

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/internal/guarded"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// LeastLoss is the Rule that chooses the leaf, or the node, with the smallest expected loss
// [PPLSB25]. The expected loss of n is the sum over the leaves y of P(y) Cost(y, n). In case of a
// tie it is the deepest node, and of these the one with the smallest id. The values are expected
// losses. The zero value is ready to use.
//
// For losses supported by loss.Additive, such as the tree loss on trees, it takes one pass per row
// over the nodes above the leaves; for others it computes the product of probabilities and costs.
type LeastLoss struct {
	// Loss is the loss between nodes of the taxonomy. The default is the distance between labels,
	// the tree loss of metric.Report: loss.Tree of Taxonomy.WithoutMiscellaneous.
	Loss loss.Loss
	// Inner also allows inner nodes. A node whose expected loss is not finite is never chosen.
	Inner bool
}

// Decide returns the decisions and their expected losses; see Rule. It returns an error if the loss
// was made for another taxonomy, or has no finite costs.
func (r LeastLoss) Decide(ctx context.Context, t *taxonomy.Taxonomy, probabilities *mat.Dense) (sets [][]int, values []float64, err error) {
	if err := check(t, probabilities); err != nil {
		return nil, nil, err
	}
	l := newLabels(t, r.Loss == nil)
	if r.Loss == nil {
		r.Loss = loss.Tree(l.nodes)
	} else if err := r.validate(t); err != nil {
		return nil, nil, err
	}
	order := l.order
	if !r.Inner {
		is := make([]bool, l.nodes.Len())
		for _, n := range l.of {
			is[n] = true
		}
		order = slices.DeleteFunc(slices.Clone(order), func(n int) bool { return !is[n] })
	} else if err := r.checkInner(l); err != nil {
		return nil, nil, err
	}
	rows, _ := probabilities.Dims()
	sets, values = make([][]int, rows), make([]float64, rows)
	decide := func(i int, expected []float64) {
		n := best(order, expected)
		if n < 0 {
			return
		}
		sets[i], values[i] = l.set(n), max(0, expected[n])
	}
	if e, ok := newAdditive(l, r.Loss); ok {
		err = each(ctx, rows, e.start, func(s *additiveRow, i int) {
			s.expect(probabilities.RawRowView(i))
			decide(i, s.expected)
		})
	} else {
		err = expectedLosses(ctx, l, r.Loss, probabilities, decide)
	}
	if err != nil {
		return nil, nil, err
	}
	if i := slices.IndexFunc(sets, func(set []int) bool { return set == nil }); i >= 0 {
		return nil, nil, fmt.Errorf("decision: no decision has a finite expected loss for row %d; use a loss with finite costs between all leaves", i)
	}
	return sets, values, nil
}

// validate returns an error if the loss was made for another taxonomy.
func (r LeastLoss) validate(t *taxonomy.Taxonomy) error {
	if r.Loss == nil {
		return nil
	}
	if err := loss.Check(r.Loss, t); err != nil {
		return fmt.Errorf("decision: %w", err)
	}
	return nil
}

// checkInner returns an error if the loss has no finite cost of an inner node.
func (r LeastLoss) checkInner(l *labels) error {
	t := l.nodes
	if len(t.Leaves()) == t.Len() {
		return nil
	}
	row := make([]float64, t.Len())
	loss.NodeRow(r.Loss, t, l.of[0], row)
	for n, c := range row {
		if !t.IsLeaf(n) && !math.IsNaN(c) && !math.IsInf(c, 0) {
			return nil
		}
	}
	return fmt.Errorf("decision: the loss has no finite cost of any inner node; do not set Inner, or use a loss between all nodes, such as loss.FromTable with one row and one column per node")
}

// additive computes the expected values of a loss that sums the weights of nodes: with P_a the
// probability of the label at or below a, the cost of n is
//
//	missed (sum of w_a P_a over all nodes - sum of w_a P_a over the nodes at or above n)
//	+ added (sum of w_a (1 - P_a) over the nodes at or above n).
type additive struct {
	*labels
	weight        []float64
	missed, added float64
}

func newAdditive(l *labels, of loss.Loss) (*additive, bool) {
	weight, missed, added, ok := loss.Additive(of, l.nodes)
	if weight == nil {
		weight = slices.Repeat([]float64{1}, l.nodes.Len())
	}
	return &additive{l, weight, missed, added}, ok
}

// additiveRow is scratch.
type additiveRow struct {
	*additive
	p        []float64 // of the leaves
	likely   []float64 // P_a
	expected []float64
}

func (e *additive) start() *additiveRow {
	n := e.nodes.Len()
	return &additiveRow{e, make([]float64, len(e.of)), make([]float64, n), make([]float64, n)}
}

func (s *additiveRow) expect(row []float64) {
	normalized(s.p, row)
	s.labels.spread(s.p, s.likely)
	t, all := s.nodes, 0.0
	for n, w := range s.weight {
		all += w * s.likely[n]
	}
	own := func(n int) float64 {
		w, p := s.weight[n], s.likely[n]
		return s.added*w*(1-p) - s.missed*w*p
	}
	for _, n := range t.Topological() {
		parents := t.Parents(n)
		switch {
		case len(parents) == 0:
			s.expected[n] = s.missed*all + own(n)
		case t.IsTree():
			s.expected[n] = s.expected[parents[0]] + own(n)
		default:
			s.expected[n] = s.missed * all
			for _, a := range t.Ancestors(n) {
				s.expected[n] += own(a)
			}
		}
	}
}

// spread writes into dst, for every node, the sum of the values of the labels at or below it.
func (l *labels) spread(values, dst []float64) {
	clear(dst)
	for y, n := range l.of {
		if values[y] == 0 {
			continue
		}
		for _, a := range l.nodes.Ancestors(n) {
			dst[a] += values[y]
		}
	}
}

// maxExpected bounds the expected losses that are held at once, of at least minRows rows, and
// maxCosts the costs.
const (
	minRows     = 32
	maxExpected = 1 << 22
	maxCosts    = 1 << 21
)

// expectedLosses calls decide with the expected losses of each row, of any loss.
func expectedLosses(ctx context.Context, l *labels, of loss.Loss, p *mat.Dense, decide func(i int, expected []float64)) error {
	rows, _ := p.Dims()
	nodes := l.nodes.Len()
	size := max(minRows, maxExpected/nodes)
	for from := 0; from < rows; from += size {
		to := min(from+size, rows)
		own := mat.NewDense(to-from, len(l.of), nil)
		for i := from; i < to; i++ {
			normalized(own.RawRowView(i-from), p.RawRowView(i))
		}
		expected, err := expectedOf(ctx, l, of, own)
		if err != nil {
			return err
		}
		for i := from; i < to; i++ {
			decide(i, expected.RawRowView(i-from))
		}
	}
	return nil
}

// expectedOf returns the product of the probabilities and the costs, which are made for some true
// labels at a time.
func expectedOf(ctx context.Context, l *labels, of loss.Loss, p *mat.Dense) (*mat.Dense, error) {
	rows, _ := p.Dims()
	nodes := l.nodes.Len()
	expected := mat.NewDense(rows, nodes, nil)
	var product mat.Dense
	size := max(1, min(len(l.of), maxCosts/nodes))
	costs := mat.NewDense(size, nodes, nil)
	for from := 0; from < len(l.of); from += size {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("decision: stopped after the costs of %d of %d labels: %w", from, len(l.of), context.Cause(ctx))
		}
		to := min(from+size, len(l.of))
		guarded.Each(to-from, 0, func(k int) {
			loss.NodeRow(of, l.nodes, l.of[from+k], costs.RawRowView(k))
		})
		product.Reset()
		product.Mul(p.Slice(0, rows, from, to), costs.Slice(0, to-from, 0, nodes))
		expected.Add(expected, &product)
	}
	return expected, nil
}

// String describes the rule.
func (r LeastLoss) String() string {
	among, of := "leaf", "tree loss"
	if r.Inner {
		among = "node"
	}
	if r.Loss != nil {
		of = "loss"
	}
	return fmt.Sprintf("the %s with the least expected %s", among, of)
}
