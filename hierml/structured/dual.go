package structured

import (
	"context"
	"math"
)

// Dual is a point of the dual problem: for every block a sparse vector of coefficients over its
// competitors, none negative, with a sum of at most C.
type Dual struct {
	ids    [][]int32
	values [][]float64
}

// NewDual returns the origin, whose weights are zero.
func (o *Oracle) NewDual() *Dual {
	return &Dual{ids: make([][]int32, o.Blocks()), values: make([][]float64, o.Blocks())}
}

// Blocks returns the number of blocks.
func (d *Dual) Blocks() int { return len(d.ids) }

// Row returns the competitors of block b that have a coefficient, and the coefficients.
func (d *Dual) Row(b int) (ids []int32, values []float64) { return d.ids[b], d.values[b] }

// SetRow replaces the coefficients of block b. The slices are copied, zeros are left out.
func (d *Dual) SetRow(b int, ids []int32, values []float64) {
	d.ids[b], d.values[b] = d.ids[b][:0], d.values[b][:0]
	for k, v := range values {
		if v != 0 {
			d.ids[b] = append(d.ids[b], ids[k])
			d.values[b] = append(d.values[b], v)
		}
	}
}

// CopyFrom makes d equal to e, which is a point of the same problem.
func (d *Dual) CopyFrom(e *Dual) {
	for b := range e.ids {
		d.ids[b] = append(d.ids[b][:0], e.ids[b]...)
		d.values[b] = append(d.values[b][:0], e.values[b]...)
	}
}

// Rows returns the vectors u_i with W(d) = sum_i u_i (x) x_i.
func (o *Oracle) Rows(d *Dual) *Rows {
	step := o.NewStep()
	entries := 0
	for b := range d.ids {
		entries += len(d.ids[b])
	}
	rows := &Rows{Border: make([]int, o.inputs.Len()+1), Columns: make([]int32, 0, 2*entries), Values: make([]float64, 0, 2*entries)}
	for i := range o.inputs.Len() {
		for _, b := range o.BlocksOf(i) {
			for k, id := range d.ids[b] {
				o.Direct(b, id, d.values[b][k], step)
			}
		}
		columns, values := step.Take()
		rows.Columns = append(rows.Columns, columns...)
		rows.Values = append(rows.Values, values...)
		rows.Border[i+1] = len(rows.Columns)
	}
	return rows
}

// Build sets w to W(d) and returns the squared norms of W(d) and of w as stored. The result does
// not depend on workers. Build returns ctx's error if it is cancelled.
func (o *Oracle) Build(ctx context.Context, d *Dual, w State, workers int) (exact, stored float64, err error) {
	if err := ctx.Err(); err != nil {
		return 0, 0, err
	}
	follow(ctx, false, o.inputs.Len()).begin()
	return w.Set(ctx, o.Rows(d), workers)
}

// Certificate has the primal value of some weights and a dual value, a lower bound for all weights.
type Certificate struct {
	Primal float64
	Dual   float64
}

// Gap returns the relative duality gap (Primal - Dual) / Primal, zero if the primal value is zero.
// The primal value is at most the optimum divided by 1-Gap. If a value is not finite, the gap is 1.
func (c Certificate) Gap() float64 {
	if v := c.Primal - c.Dual; math.IsNaN(v) || math.IsInf(v, 0) {
		return 1
	}
	if c.Primal <= 0 {
		return 0
	}
	return (c.Primal - c.Dual) / c.Primal
}

// Certify sets w to W(d) and evaluates both objectives in one pass over the
// blocks: the primal at w as stored, the dual at d with the norm of W(d) in
// float64. gaps, one entry a block, receives how far each block alone is
// from its optimum, C max_j v_j - sum_j a_j v_j; their sum is the duality
// gap up to the rounding of w. Where a number overflows, the primal value is
// infinite and the dual value 0. The result does not depend on workers. Certify
// returns ctx's error if it is cancelled.
func (o *Oracle) Certify(ctx context.Context, d *Dual, w State, gaps []float64, workers int) (Certificate, error) {
	return o.CertifyVisiting(ctx, d, w, gaps, workers, nil)
}

// CertifyVisiting is Certify, and calls visit, unless it is nil, for every block with a search that
// has turned to it, in any order and from several goroutines.
func (o *Oracle) CertifyVisiting(ctx context.Context, d *Dual, w State, gaps []float64, workers int, visit func(b int, search Search)) (Certificate, error) {
	exact, stored, err := o.Build(ctx, d, w, workers)
	if err != nil {
		return Certificate{}, err
	}
	passed := follow(ctx, true, o.inputs.Len())
	passed.begin()
	hinges, gains := make([]float64, o.inputs.Len()), make([]float64, o.inputs.Len())
	o.scan(ctx, w, o.withBlocks(), workers, true, func(s *scanned, i int) {
		if !finite(s.scores) {
			hinges[i] = math.Inf(1)
		}
		for _, b := range o.BlocksOf(i) {
			c := o.C(b)
			worst := s.worst(b)
			hinges[i] += c * worst
			gaps[b] = c * worst
			for k, id := range d.ids[b] {
				gaps[b] -= d.values[b][k] * s.search.Violation(id)
				gains[i] += d.values[b][k] * o.Cost(b, id)
			}
			if visit != nil {
				visit(b, s.search)
			}
		}
		passed.add(1)
	})
	if err := ctx.Err(); err != nil {
		return Certificate{}, err
	}
	var hinge, gain float64
	for k := range hinges {
		hinge += hinges[k]
		gain += gains[k]
	}
	certificate := Certificate{Primal: stored/2 + hinge, Dual: gain - exact/2}
	if v := certificate.Primal - certificate.Dual; math.IsNaN(v) || math.IsInf(v, 0) {
		certificate = Certificate{Primal: math.Inf(1), Dual: 0}
	}
	return certificate, nil
}

// finite reports whether all scores are finite numbers: searches take what is none for no
// violation.
func finite(scores []float64) bool {
	var sum float64
	for _, v := range scores {
		sum += v * 0
	}
	return sum == 0
}
