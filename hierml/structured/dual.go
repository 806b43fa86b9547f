package structured

import (
	"context"
	"math"
	"slices"
)

// Dual is a point of the dual problem: for every example a sparse vector of
// coefficients a_iy over competitors, none negative, with a sum of at most C.
type Dual struct {
	leaves [][]int32
	values [][]float64
}

// NewDual returns the origin, whose weights are zero.
func (o *Oracle) NewDual() *Dual {
	return &Dual{leaves: make([][]int32, o.Len()), values: make([][]float64, o.Len())}
}

// Row returns the competitors of example i that have a coefficient, and the
// coefficients.
func (d *Dual) Row(i int) (leaves []int32, values []float64) { return d.leaves[i], d.values[i] }

// SetRow replaces the coefficients of example i. The slices are copied, zeros
// are left out.
func (d *Dual) SetRow(i int, leaves []int32, values []float64) {
	d.leaves[i], d.values[i] = d.leaves[i][:0], d.values[i][:0]
	for k, v := range values {
		if v != 0 {
			d.leaves[i] = append(d.leaves[i], leaves[k])
			d.values[i] = append(d.values[i], v)
		}
	}
}

// CopyFrom makes d equal to e, which is a point of the same problem.
func (d *Dual) CopyFrom(e *Dual) {
	for i := range e.leaves {
		d.leaves[i] = append(d.leaves[i][:0], e.leaves[i]...)
		d.values[i] = append(d.values[i][:0], e.values[i]...)
	}
}

// Step accumulates a change of the weights that one example makes: multiples of
// r_i(y) (Lambda(y_i)-Lambda(y)) for some competitors y. It is scratch space:
// one Step a goroutine.
type Step struct {
	oracle *Oracle
	u      []float64 // by column
	cols   []int32   // touched
	seen   []bool
	packed []float64
}

// NewStep returns an empty step.
func (o *Oracle) NewStep() *Step {
	columns := len(o.attributes.columns)
	return &Step{oracle: o, u: make([]float64, columns), seen: make([]bool, columns)}
}

func (s *Step) leaf(y int32, coefficient float64) {
	a := s.oracle.attributes
	for k := a.colptr[y]; k < a.colptr[y+1]; k++ {
		c := a.cols[k]
		if !s.seen[c] {
			s.seen[c] = true
			s.cols = append(s.cols, c)
		}
		s.u[c] += coefficient * a.vals[k]
	}
}

// Add adds coefficient times r_i(y) (Lambda(y_i)-Lambda(y)).
func (s *Step) Add(i int, y int32, coefficient float64) {
	t := s.oracle.labels[i]
	coefficient *= s.oracle.scales[t][y]
	s.leaf(t, coefficient)
	s.leaf(y, -coefficient)
}

// Apply adds the step times x_i to the weights and empties it.
func (s *Step) Apply(i int, w *Weights) {
	s.pack()
	indices, values := s.oracle.x.Row(i)
	w.add(indices, values, s.cols, s.packed)
	s.cols = s.cols[:0]
}

// pack moves the non-zero entries of u to packed, in the order of cols.
func (s *Step) pack() {
	s.packed = s.packed[:0]
	kept := s.cols[:0]
	for _, c := range s.cols {
		if v := s.u[c]; v != 0 {
			kept = append(kept, c)
			s.packed = append(s.packed, v)
		}
		s.u[c], s.seen[c] = 0, false
	}
	s.cols = kept
}

// Certificate is a primal value that weights attain and a dual value that no
// weights can undercut.
type Certificate struct {
	Primal float64
	Dual   float64
}

// Gap returns the relative duality gap (Primal - Dual) / Primal, zero if the
// primal value is zero. The primal value is at most the optimum divided by
// 1-Gap.
func (c Certificate) Gap() float64 {
	if c.Primal <= 0 {
		return 0
	}
	return (c.Primal - c.Dual) / c.Primal
}

// Build sets w to W(d). Every row is accumulated in float64 over the examples
// that have the feature and then rounded to float32; exact and stored are the
// squared norms before and after. The result does not depend on workers.
func (o *Oracle) Build(d *Dual, w *Weights, workers int) (exact, stored float64) {
	cols, values, border := o.nodeCoefficients(d)
	features := o.x.Cols
	norms := make([][2]float64, (features+chunk-1)/chunk)
	rows := make([][]float64, workerCount(workers))
	parallel(features, len(rows), func(worker, lo, hi int) {
		if rows[worker] == nil {
			rows[worker] = make([]float64, w.Stride)
		}
		row := rows[worker]
		var norm [2]float64
		for f := lo; f < hi; f++ {
			clear(row)
			for k := o.byFeature[f]; k < o.byFeature[f+1]; k++ {
				i, x := o.examples[k], float64(o.values[k])
				us := values[border[i]:border[i+1]]
				for j, c := range cols[border[i]:border[i+1]] {
					row[c] += x * us[j]
				}
			}
			out := w.Data[f*w.Stride : (f+1)*w.Stride]
			for c, v := range row {
				rounded := float32(v)
				out[c] = rounded
				norm[0] += v * v
				norm[1] += float64(rounded) * float64(rounded)
			}
		}
		norms[lo/chunk] = norm
	})
	for _, norm := range norms {
		exact += norm[0]
		stored += norm[1]
	}
	return exact, stored
}

// nodeCoefficients returns, for every example, the sparse vector u_i over the
// columns with W(d) = sum_i u_i (x) x_i.
func (o *Oracle) nodeCoefficients(d *Dual) (cols []int32, values []float64, border []int) {
	s := o.NewStep()
	border = make([]int, o.Len()+1)
	for i := range o.Len() {
		for k, y := range d.leaves[i] {
			s.Add(i, y, d.values[i][k])
		}
		s.pack()
		cols = append(cols, s.cols...)
		values = append(values, s.packed...)
		s.cols = s.cols[:0]
		border[i+1] = len(cols)
	}
	return cols, values, border
}

// Certify sets w to W(d) and evaluates both objectives in one pass over the
// examples: the primal at w as stored, the dual at d with the norm of W(d) in
// float64. gaps, one entry an example, receives how far each example alone is
// from its optimum, C max_y v(y) - sum_y a_iy v(y); their sum is the duality
// gap up to the rounding of w. The result does not depend on workers. Certify
// returns ctx's error if it is cancelled.
func (o *Oracle) Certify(ctx context.Context, d *Dual, w *Weights, gaps []float64, workers int) (Certificate, error) {
	exact, stored := o.Build(d, w, workers)
	hinges := make([]float64, o.Len())
	gains := make([]float64, o.Len())
	type scratch struct {
		scorer     *Scorer
		violations []float64
	}
	scratches := make([]*scratch, workerCount(workers))
	parallel(o.Len(), len(scratches), func(worker, lo, hi int) {
		if ctx.Err() != nil {
			return
		}
		s := scratches[worker]
		if s == nil {
			s = &scratch{scorer: NewScorer(o.attributes, w), violations: make([]float64, o.Leaves())}
			scratches[worker] = s
		}
		for i := lo; i < hi; i++ {
			o.Violations(s.scorer, 1, i, s.violations)
			hinges[i] = slices.Max(s.violations)
			gaps[i] = o.c * hinges[i]
			cost := o.Costs(i)
			for k, y := range d.leaves[i] {
				gaps[i] -= d.values[i][k] * s.violations[y]
				gains[i] += d.values[i][k] * cost[y]
			}
		}
	})
	if err := ctx.Err(); err != nil {
		return Certificate{}, err
	}
	var hinge, gain float64
	for i := range hinges {
		hinge += hinges[i]
		gain += gains[i]
	}
	certificate := Certificate{Primal: stored/2 + o.c*hinge, Dual: gain - exact/2}
	if math.IsNaN(certificate.Primal) || math.IsInf(certificate.Primal, 0) {
		certificate = Certificate{Primal: math.Inf(1), Dual: 0}
	}
	return certificate, nil
}

// Origin returns the certificate of zero weights and the zero dual.
func (o *Oracle) Origin() Certificate {
	var hinge float64
	for i := range o.Len() {
		hinge += slices.Max(o.Costs(i))
	}
	return Certificate{Primal: o.c * hinge}
}
