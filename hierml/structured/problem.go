// Package structured states the learning problem that the support vector machines of the literature
// on hierarchical classification share, and answers what a solver asks of it: scores, worst
// competitors, primal value, dual value and the gap between them. Package solver solves it; package
// svm names it after the papers.
//
// # The problem
//
// A problem has examples, weights with one row <W_c, x> for each of a number of columns, and
// hinges, called blocks. Block b belongs to one example x_i and has competitors: comparisons the
// example takes part in. Competitor j costs b_j unless the scores of the columns, s_c = <W_c, x_i>,
// make up for it in the direction u_j:
//
//	min  1/2 ||W||^2 + sum_b C_b max(0, max_j (b_j - <u_j, s(x_i)>))
//
// Its dual is
//
//	max  sum_bj a_bj b_j - 1/2 ||W(a)||^2   with  a >= 0,  sum_j a_bj <= C_b for every b
//	W(a) = sum_bj a_bj u_j (x) x_i
//
// What the papers do differently is in three places:
//
//   - [Attributes]: a label y has a vector Lambda(y) over the columns and the score F(x, y) = sum_c
//     Lambda_c(y) <W_c, x>; flat, hierarchical and normalized SVMs differ in Lambda alone. A
//     regularizer 1/2 tr(W'QW) that couples nodes is a change of variables, that is, other
//     attributes.
//   - [Competitors]: what an example is compared with. [NewLabels]: its label against every other.
//   - [Inputs]: instances as sparse vectors ([NewLinear]) or known by their inner products alone
//     ([NewKernel]).
//
// Under weights that are given, [Weights.Scores] and [Attributes.Scores] score one row; [Shortlist]
// finds the best of thousands of labels for many.
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

// CheckC returns an error unless c can weigh the training error.
func CheckC(c float64) error {
	if !(c > 0) || math.IsInf(c, 1) {
		return fmt.Errorf("structured: C is %v; it weighs the training error and is positive and finite", c)
	}
	return nil
}

// CheckOrigin returns an error unless the value of zero weights, which bounds that of all weights
// worth a look, is a finite number.
func CheckOrigin(primal float64) error {
	if math.IsNaN(primal) || math.IsInf(primal, 0) {
		return fmt.Errorf("structured: C times the losses of all examples is %v, so that no weights can be compared; take a smaller C or smaller losses", primal)
	}
	return nil
}

// Problem is one learning problem; see the package comment. Compile prepares it for a solver.
type Problem struct {
	Inputs      Inputs
	Columns     []int // node id of each column of the weights
	Competitors Competitors

	// Weights multiply the C of the blocks of each example. They are positive and finite; nil
	// stands for ones.
	Weights []float64
}

// Compile checks that the parts fit together and returns what a solver works on. The parts are
// shared, not copied, and must not change.
func (p *Problem) Compile() (*Oracle, error) {
	if p == nil || p.Inputs == nil || p.Competitors == nil {
		return nil, fmt.Errorf("structured: a problem needs Inputs and Competitors")
	}
	if p.Weights != nil && len(p.Weights) != p.Inputs.Len() {
		return nil, fmt.Errorf("structured: %d weights of %d examples; give one for each", len(p.Weights), p.Inputs.Len())
	}
	o := &Oracle{Competitors: p.Competitors, inputs: p.Inputs, columns: p.Columns, weights: p.Weights}
	blocks := p.Competitors.Blocks()
	o.border = make([]int, p.Inputs.Len()+1)
	for b := range blocks {
		i := p.Competitors.Example(b)
		if i < 0 || i >= p.Inputs.Len() {
			return nil, fmt.Errorf("structured: block %d belongs to example %d of %d; give one label a row", b, i, p.Inputs.Len())
		}
		if err := CheckC(o.C(b)); err != nil {
			return nil, err
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

// Origin returns the certificate of zero weights and the zero dual. When ctx ends, competitors that
// have a bound of their largest violation without a search take that instead; known is false then.
// The result does not depend on workers otherwise.
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

// Competitors says which comparisons the examples take part in; see the package comment. It is
// immutable as far as its users can see and safe for concurrent use.
type Competitors interface {
	// Blocks returns the number of blocks.
	Blocks() int
	// Example returns the example that block b belongs to.
	Example(b int) int
	// C returns the weight of block b, positive and finite.
	C(b int) float64
	// Known tells whether an id names a competitor of block b, within which it never changes its
	// meaning.
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

// Multiplier is what Competitors may be besides, if many products at once are cheaper than one by
// one.
type Multiplier interface {
	// Products writes Product of every two competitors given: row k begins at dst[k*stride]; only
	// entries l <= k of it are written.
	Products(b int, ids []int32, dst []float64, stride int)
}

// Search looks for violated competitors of one block at a time, where a competitor's violation is
// its cost less <its direction, the scores of the columns>. It holds scratch space: one Search a
// goroutine.
type Search interface {
	// Load turns to a block. scores are those of the columns for its example and must not change
	// before the next Load. It returns the largest violation, zero if none is above.
	Load(b int, scores []float64) float64
	// Violation returns the violation of a competitor of the block.
	Violation(id int32) float64
	// Worst appends up to n competitors that are not known, the most violated first, of those with
	// a violation above floor. known is in no order. A search need not find all of them, but finds
	// one if there is one.
	Worst(n int, floor float64, known []int32, dst []int32) []int32
}

// DotSteps returns the inner product of the directions of two competitors: what Product may be if
// there is no faster way. The two steps are scratch space, empty before and after.
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

// Step accumulates a change of the weights that one example makes: a vector over the columns. It is
// scratch space: one Step a goroutine.
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

// Take returns the columns whose value is not zero, and the values, and empties the step. The
// slices are valid until the next Add.
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
