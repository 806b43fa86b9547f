// Package structured defines the common learning problem of the support vector machines in the
// literature on hierarchical classification. It computes what a solver needs: scores, most violated
// competitors, primal value, dual value and duality gap. Package solver solves it; package svm
// provides it under the names of the papers.
//
// # The problem
//
// A problem has examples, weights with one row <W_c, x> for each of a number of columns, and
// hinges, called blocks. Block b belongs to one example x_i and has competitors: comparisons of the
// example. Competitor j costs b_j, reduced by the scores of the columns, s_c = <W_c, x_i>, in the
// direction u_j:
//
//	min  1/2 ||W||^2 + sum_b C_b max(0, max_j (b_j - <u_j, s(x_i)>))
//
// Its dual is
//
//	max  sum_bj a_bj b_j - 1/2 ||W(a)||^2   with  a >= 0,  sum_j a_bj <= C_b for every b
//	W(a) = sum_bj a_bj u_j (x) x_i
//
// The papers differ in three places:
//
//   - [Attributes]: a label y has a vector Lambda(y) over the columns and the score F(x, y) = sum_c
//     Lambda_c(y) <W_c, x>; flat, hierarchical and normalized SVMs differ in Lambda alone. A
//     regularizer 1/2 tr(W'QW) that couples nodes is a change of variables, that is, other
//     attributes.
//   - [Competitors]: the comparisons of an example. With [NewLabels], its label is compared with
//     every other.
//   - [Inputs]: instances as sparse vectors ([NewLinear]) or given only by their inner products
//     ([NewKernel]).
//
// For given weights, [Weights.Scores] and [Attributes.Scores] score one row; [Shortlist] finds the
// best of thousands of labels for many rows.
//
// # Scaling
//
// The papers scale the same objective in two ways. [Cai08, (2.9), (4.3) and (4.10)] has
// 1/2 ||W||^2 + C sum_i xi_i, which is the form above.
// [CSS16, (2), (3) and (10) to (13)] has lambda ||W||^2 + sum_i max{...}, with
// neither 1/2 nor 1/N. The minimisers agree for lambda = 1/(2C), and the value
// in the form of [CSS16] is 2 lambda times the value in the form above; see
// [CFromLambda], [LambdaFromC] and [LambdaValue]. [ZXW11] has 1/2 and
// C/N.
package structured

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/hierml/notebook/hierml/internal/guarded"
)

// CFromLambda returns the C of 1/2 ||W||^2 + C sum_i xi_i that has the minimiser
// of lambda ||W||^2 + sum_i xi_i [CSS16]: 1/(2 lambda).
func CFromLambda(lambda float64) float64 { return 1 / (2 * lambda) }

// LambdaFromC is the inverse of CFromLambda: 1/(2C).
func LambdaFromC(c float64) float64 { return 1 / (2 * c) }

// LambdaValue converts a primal or dual value of this package to the scale of
// lambda ||W||^2 + sum_i xi_i [CSS16]: it divides by C.
func LambdaValue(value, c float64) float64 { return value / c }

// CheckC returns an error unless c is a valid weight of the training error. Put the name of the
// package before the error.
func CheckC(c float64) error {
	if !(c > 0) || math.IsInf(c, 1) {
		return fmt.Errorf("C is %v; C, the weight of the training error, must be positive and finite", c)
	}
	return nil
}

// CheckOrigin returns an error unless the value of zero weights, an upper bound of the optimum, is
// finite.
func CheckOrigin(primal float64) error {
	if math.IsNaN(primal) || math.IsInf(primal, 0) {
		return fmt.Errorf("structured: C times the losses of all examples is %v, so weights cannot be compared; set a smaller C or use smaller losses", primal)
	}
	return nil
}

// Problem is one learning problem; see the package comment. Compile prepares it for a solver.
type Problem struct {
	Inputs      Inputs
	Columns     []int // node id of each column of the weights
	Competitors Competitors

	// Weights multiply the C of the blocks of each example. They must be positive and finite; nil
	// means ones.
	Weights []float64
}

// Compile checks that the parts fit together and returns the oracle for a solver. The parts are
// shared, not copied, and must not change.
func (p *Problem) Compile() (*Oracle, error) {
	if p == nil || p.Inputs == nil || p.Competitors == nil {
		return nil, fmt.Errorf("structured: a problem needs Inputs and Competitors")
	}
	if p.Weights != nil && len(p.Weights) != p.Inputs.Len() {
		return nil, fmt.Errorf("structured: %d weights for %d examples; pass one per example", len(p.Weights), p.Inputs.Len())
	}
	o := &Oracle{Competitors: p.Competitors, inputs: p.Inputs, columns: p.Columns, weights: p.Weights}
	blocks := p.Competitors.Blocks()
	o.border = make([]int, p.Inputs.Len()+1)
	for b := range blocks {
		i := p.Competitors.Example(b)
		if i < 0 || i >= p.Inputs.Len() {
			return nil, fmt.Errorf("structured: block %d belongs to example %d of %d; there must be one label per row", b, i, p.Inputs.Len())
		}
		if err := CheckC(o.C(b)); err != nil {
			return nil, fmt.Errorf("structured: %w", err)
		}
		o.border[i+1]++
	}
	for i := range p.Inputs.Len() {
		o.border[i+1] += o.border[i]
	}
	o.blocks = make([]int, blocks)
	next := append([]int(nil), o.border...)
	for b := range blocks {
		i := p.Competitors.Example(b)
		o.blocks[next[i]] = b
		next[i]++
	}
	return o, nil
}

// Oracle is a compiled problem. It is immutable and safe for concurrent use.
type Oracle struct {
	Competitors
	inputs  Inputs
	columns []int
	weights []float64

	// blocks sorted by example; those of example i lie between border[i] and border[i+1].
	border []int
	blocks []int
}

// BlocksOf returns the blocks of example i. The slice must not be modified.
func (o *Oracle) BlocksOf(i int) []int { return o.blocks[o.border[i]:o.border[i+1]] }

// C returns the C of block b, times the weight of its example.
func (o *Oracle) C(b int) float64 {
	if o.weights == nil {
		return o.Competitors.C(b)
	}
	return o.weights[o.Example(b)] * o.Competitors.C(b)
}

// Inputs returns the examples.
func (o *Oracle) Inputs() Inputs { return o.inputs }

// Columns returns the node id of each column of the weights.
func (o *Oracle) Columns() []int { return o.columns }

// NewState returns zero weights; see Inputs.
func (o *Oracle) NewState(p Precision) State { return o.inputs.NewState(o.columns, p) }

// Origin returns the certificate of zero weights and the zero dual. If ctx is cancelled,
// competitors with a bound of their largest violation use that instead of a search, and known is
// false. Otherwise the result does not depend on workers.
func (o *Oracle) Origin(ctx context.Context, workers int) (c Certificate, known bool) {
	worst := make([]float64, o.Blocks())
	searches := make([]Search, guarded.Workers(workers))
	zeros := make([]float64, scoreWidth(len(o.columns)))
	table, _ := o.Competitors.(interface{ atZero(b int) (float64, bool) })
	bounds, _ := o.Competitors.(interface{ atMost(b int) float64 })
	var bounded atomic.Bool
	guarded.Chunks(len(worst), len(searches), func(worker, lo, hi int) {
		for b := lo; b < hi; b++ {
			if table != nil {
				var ok bool
				if worst[b], ok = table.atZero(b); ok {
					continue
				}
			}
			if bounds != nil && ctx.Err() != nil {
				worst[b] = bounds.atMost(b)
				bounded.Store(true)
				continue
			}
			if searches[worker] == nil {
				searches[worker] = o.NewSearch()
			}
			worst[b] = searches[worker].Load(b, zeros)
		}
	})
	var value float64
	for b, v := range worst {
		value += o.C(b) * v
	}
	return Certificate{Primal: value}, !bounded.Load()
}

// Competitors defines the comparisons of the examples; see the package comment. It appears
// immutable to its users and is safe for concurrent use.
type Competitors interface {
	// Blocks returns the number of blocks.
	Blocks() int
	// Example returns the example that block b belongs to.
	Example(b int) int
	// C returns the weight of block b, positive and finite.
	C(b int) float64
	// Known reports whether an id is a competitor of block b. Its meaning within a block never
	// changes.
	Known(b int, id int32) bool
	// Cost returns the cost of a competitor of block b.
	Cost(b int, id int32) float64
	// Direct adds scale times the direction of a competitor to a step.
	Direct(b int, id int32, scale float64, step *Step)
	// Product returns the inner product of the directions of two competitors of block b; times
	// ||x||^2 it is the curvature of the dual between them.
	Product(b int, k, l int32) float64
	// NewSearch returns a search for violated competitors.
	NewSearch() Search
}

// Multiplier is an optional interface of Competitors, for which many products at once are cheaper
// than one by one.
type Multiplier interface {
	// Products writes Product of all pairs of the given competitors. Row k begins at dst[k*stride];
	// only its entries l <= k are written.
	Products(b int, ids []int32, dst []float64, stride int)
}

// Search searches for violated competitors of one block at a time. A competitor's violation is its
// cost minus <its direction, the scores of the columns>. It has scratch space, so each goroutine
// needs its own.
type Search interface {
	// Load selects a block. scores are those of the columns for its example and must not change
	// before the next Load. It returns the largest violation, or zero if none is positive.
	Load(b int, scores []float64) float64
	// Violation returns the violation of a competitor of the block.
	Violation(id int32) float64
	// Worst appends up to n competitors that are not in known and have a violation above floor, the
	// most violated first. known is unordered. A search need not find all of them, but it finds one
	// if there is one.
	Worst(n int, floor float64, known []int32, dst []int32) []int32
}

// DotSteps returns the inner product of the directions of two competitors, as an implementation of
// Product if there is no faster way. The two steps are scratch space, empty before and after.
func DotSteps(c Competitors, b int, k, l int32, first, second *Step) float64 {
	c.Direct(b, k, 1, first)
	c.Direct(b, l, 1, second)
	var sum float64
	for _, column := range second.columns {
		sum += first.u[column] * second.u[column]
	}
	first.clear()
	second.clear()
	return sum
}

// Step accumulates the change of the weights by one example: a vector over the columns. It is
// scratch space, so each goroutine needs its own.
type Step struct {
	u       []float64 // by column
	columns []int32   // touched
	seen    []bool
	values  []float64
}

// NewStep returns an empty step over a number of columns.
func NewStep(columns int) *Step {
	return &Step{u: make([]float64, columns), seen: make([]bool, columns)}
}

// NewStep returns an empty step.
func (o *Oracle) NewStep() *Step { return NewStep(len(o.columns)) }

// Add adds a value at a column.
func (s *Step) Add(column int32, value float64) {
	if !s.seen[column] {
		s.seen[column] = true
		s.columns = append(s.columns, column)
	}
	s.u[column] += value
}

// Take returns the columns with non-zero values, and the values, and empties the step. The slices
// are valid until the next Add.
func (s *Step) Take() (columns []int32, values []float64) {
	s.values = s.values[:0]
	kept := s.columns[:0]
	for _, c := range s.columns {
		if v := s.u[c]; v != 0 {
			kept = append(kept, c)
			s.values = append(s.values, v)
		}
		s.u[c], s.seen[c] = 0, false
	}
	s.columns = kept[:0]
	return kept, s.values
}

func (s *Step) clear() {
	for _, c := range s.columns {
		s.u[c], s.seen[c] = 0, false
	}
	s.columns = s.columns[:0]
}
