package solver

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/structured"
)

// VariableSelection is [Cai08, Algorithm 2]: the dual quadratic program with variable selection. It
// selects the block whose optimality conditions (KKT conditions) are violated most, psi = max_j v_j
// - min { v_j of a_j > 0, and 0 if the sum of a is below C } for its violations v [Cai08, (4.32)],
// adds its worst competitor to the block's working set, solves the dual over the working set of
// this block (step 8a), and drops the competitors whose coefficient has become zero.
//
// It solves every problem whose scores, one for every example and column, fit into a gigabyte, and
// suits small ones: a step takes as long as scoring all examples, and with step 8a the last digits
// take many steps. It stores scores in double precision, for linear and kernel inputs, and uses no
// randomness. An epoch has as many steps as there are blocks, or one over all working sets.
type VariableSelection struct {
	// Joint solves the dual over the working sets of all blocks (step 8b). Before each solution it
	// selects a competitor of every block that is violated at least half as much as the worst. It
	// needs fewer but longer steps, and memory for the square of the number of coefficients.
	Joint bool
}

// Thresholds of zero, in units of C: for a coefficient, and for the unused part of C of a block. If
// they are too small, rounding selects the same block for ever.
const (
	noCoefficient = 1e-9
	noRest        = 1e-12
)

// reducedShare and jointShare are the shares of the largest violation within a working set, and
// within all of them, at which the problem over them counts as solved.
const (
	reducedShare = 1e-4
	jointShare   = 1e-2
)

// maxScores bounds the stored scores.
const maxScores = 1 << 27

func (v VariableSelection) start(s *state) (iteration, error) {
	n, width := s.oracle.Inputs().Len(), s.weights.Width()
	if width > 0 && n > maxScores/width {
		return nil, fmt.Errorf("solver: VariableSelection would store %d scores of %d examples, which is too many; use another Method, such as BCFW", width, n)
	}
	return newSelection(s, v.Joint), nil
}

// selection is the state of VariableSelection.
type selection struct {
	*state
	joint  bool
	width  int
	scores []float64 // examples x width
	search structured.Search
	step   *structured.Step

	psi     []float64
	gap     []float64 // of every block
	resting []bool    // blocks whose last step changed nothing
	total   float64   // of all C
}

func newSelection(s *state, joint bool) *selection {
	o := s.oracle
	width := s.weights.Width()
	v := &selection{
		state: s, joint: joint, width: width, scores: make([]float64, o.Inputs().Len()*width),
		search: o.NewSearch(), step: o.NewStep(), psi: make([]float64, o.Blocks()), gap: make([]float64, o.Blocks()), resting: make([]bool, o.Blocks()),
	}
	for b := range o.Blocks() {
		v.total += o.C(b)
	}
	return v
}

func (v *selection) point() *structured.Dual { return v.dual }

// estimate returns the duality gap: violations are of the present point.
func (v *selection) estimate() float64 { return floats.Sum(v.gap) }

// row returns the scores of the columns for example i.
func (v *selection) row(i int) []float64 { return v.scores[i*v.width : (i+1)*v.width] }

// spread adds u (x) x_i to the weights.
func (v *selection) spread(i int, columns []int32, u []float64) {
	inputs := v.oracle.Inputs()
	for j := range inputs.Len() {
		k := inputs.Product(i, j)
		if k == 0 {
			continue
		}
		row := v.row(j)
		for m, c := range columns {
			row[c] += k * u[m]
		}
	}
}

// violated computes psi of block b and its part of the duality gap.
func (v *selection) violated(b int) {
	o := v.oracle
	largest := v.search.Load(b, v.row(o.Example(b)))
	ids, values := v.dual.Row(b)
	smallest := math.Inf(1)
	rest := o.C(b)
	v.gap[b] = o.C(b) * largest
	for k, id := range ids {
		violation := v.search.Violation(id)
		rest -= values[k]
		v.gap[b] -= values[k] * violation
		if values[k] > noCoefficient*o.C(b) {
			smallest = min(smallest, violation)
		}
	}
	if rest > noRest*o.C(b) || math.IsInf(smallest, 1) {
		smallest = min(smallest, 0)
	}
	v.psi[b] = largest - smallest
}

// worstBlock returns the block with the largest psi that is not resting, or -1 if none is above the
// tolerance.
func (v *selection) worstBlock(tolerance float64) int {
	best := -1
	for b, psi := range v.psi {
		if psi > tolerance && !v.resting[b] && (best < 0 || psi > v.psi[best]) {
			best = b
		}
	}
	return best
}

func (v *selection) epoch(ctx context.Context) parts {
	return func(yield func(float64, error) bool) {
		// Scores are recomputed, so that rounding does not accumulate.
		clear(v.scores)
		clear(v.resting)
		rows := v.oracle.Rows(v.dual)
		for i := range v.oracle.Inputs().Len() {
			if columns, u := rows.Row(i); len(columns) > 0 {
				v.spread(i, columns, u)
			}
			if !yield(0, nil) {
				return
			}
		}
		for b := range v.psi {
			v.violated(b)
		}
		// The duality gap is at most the sum of C psi.
		tolerance := 0.1 * v.settings.Gap * v.certificate.Primal / v.total
		steps, step := len(v.psi), v.alone
		if v.joint {
			steps, step = 1, v.together
		}
		for k := range steps {
			b := v.worstBlock(tolerance)
			if b < 0 {
				return
			}
			if err := step(ctx, b); !yield(float64(k+1)/float64(steps), err) {
				return
			}
		}
	}
}

// member is a competitor of a working set.
type member struct {
	block   int
	columns []int32
	u       []float64 // direction
}

// workingSetOf returns the working set of block b: the competitors with a coefficient and, if
// select is set, the worst of the others.
func (v *selection) workingSetOf(b int, selected bool) (ids []int32) {
	known, _ := v.dual.Row(b)
	ids = append(ids, known...)
	if selected {
		v.search.Load(b, v.row(v.oracle.Example(b)))
		ids = v.search.Worst(1, 0, known, ids)
	}
	return ids
}

// alone solves the dual over the working set of block b.
func (v *selection) alone(ctx context.Context, b int) error {
	changed, err := v.optimize(ctx, []int{b}, [][]int32{v.workingSetOf(b, true)})
	v.resting[b] = !changed
	return err
}

// together solves the dual over all working sets, after adding a competitor to the blocks that are
// violated at least half as much as b.
func (v *selection) together(ctx context.Context, b int) error {
	floor := v.psi[b] / 2
	var blocks, selected []int
	var sets [][]int32
	for b, psi := range v.psi {
		if psi >= floor && !v.resting[b] {
			selected = append(selected, b)
		}
		if ids := v.workingSetOf(b, psi >= floor); len(ids) > 0 {
			blocks, sets = append(blocks, b), append(sets, ids)
		}
	}
	changed, err := v.optimize(ctx, blocks, sets)
	for _, b := range selected {
		v.resting[b] = !changed
	}
	return err
}

// optimize solves the dual over working sets, one per block, with all other coefficients fixed. It
// reports whether a coefficient changed by more than rounding.
func (v *selection) optimize(ctx context.Context, blocks []int, sets [][]int32) (bool, error) {
	o := v.oracle
	var members []member
	p := &quadratic{groups: make([][]int, len(blocks))}
	for s, b := range blocks {
		known, values := v.dual.Row(b)
		v.search.Load(b, v.row(o.Example(b)))
		for k, id := range sets[s] {
			o.Direct(b, id, 1, v.step)
			columns, u := v.step.Take()
			p.groups[s] = append(p.groups[s], len(members))
			members = append(members, member{b, append([]int32(nil), columns...), append([]float64(nil), u...)})
			p.slope = append(p.slope, v.search.Violation(id))
			value := 0.0
			if k < len(known) {
				value = values[k]
			}
			p.a = append(p.a, value)
		}
	}
	for s, b := range blocks {
		rest := o.C(b)
		_, values := v.dual.Row(b)
		for _, value := range values {
			rest -= value
		}
		if rest <= noRest*o.C(b) {
			rest = 0
		}
		p.groups[s] = append(p.groups[s], len(p.a))
		p.a, p.slope = append(p.a, rest), append(p.slope, 0)
	}
	p.q = v.curvature(members)
	before := append([]float64(nil), p.a...)
	share := reducedShare
	if v.joint {
		share = jointShare
	}
	if err := p.solve(ctx, share); err != nil {
		return false, err
	}
	changed := false
	for s, b := range blocks {
		p.drop(p.groups[s], noCoefficient*o.C(b))
		for _, k := range p.groups[s] {
			changed = changed || math.Abs(p.a[k]-before[k]) > noRest*o.C(b)
		}
	}
	if !changed {
		return false, nil
	}
	at := 0
	for s, b := range blocks {
		for k, id := range sets[s] {
			o.Direct(b, id, p.a[at+k]-before[at+k], v.step)
		}
		if columns, u := v.step.Take(); len(columns) > 0 {
			v.spread(o.Example(b), columns, u)
		}
		v.dual.SetRow(b, sets[s], p.a[at:at+len(sets[s])])
		at += len(sets[s])
	}
	for b := range v.psi {
		v.violated(b)
	}
	return true, nil
}

// curvature returns the inner products of the members' parts of the weights.
func (v *selection) curvature(members []member) *mat.SymDense {
	inputs := v.oracle.Inputs()
	q := mat.NewSymDense(len(members), nil)
	dense := make([]float64, v.width)
	for k, m := range members {
		for j, c := range m.columns {
			dense[c] = m.u[j]
		}
		product, of := 0.0, -1
		for l := k; l < len(members); l++ {
			other := members[l]
			if of != other.block {
				of = other.block
				product = inputs.Product(v.oracle.Example(m.block), v.oracle.Example(of))
			}
			var dot float64
			for j, c := range other.columns {
				dot += dense[c] * other.u[j]
			}
			q.SetSym(k, l, product*dot)
		}
		for _, c := range m.columns {
			dense[c] = 0
		}
	}
	return q
}
