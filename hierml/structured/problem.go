// Package structured states the learning problem that the hierarchical support
// vector machines of the literature share, and answers what a solver asks of
// it: scores, the worst competitor of an example, primal value, dual value and
// the gap between them. Package solver solves it; package svm names it after
// the papers.
//
// A label y is a leaf of a taxonomy and has an attribute vector Lambda(y) over
// the nodes. With the joint features Lambda(y) (x) x a label's score is
//
//	F(x, y) = sum_n Lambda_n(y) <W_n, x>
//
// and the problem is, over all weight matrices W,
//
//	min  1/2 ||W||^2 + C sum_i max(0, max_{y != y_i} { b_i(y) + r_i(y) (F(x_i, y) - F(x_i, y_i)) })
//
// where b and r come from the loss Delta(y_i, y) and the [Rescaling]. Its dual is
//
//	max  sum_iy a_iy b_i(y) - 1/2 ||W(a)||^2   with  a >= 0,  sum_y a_iy <= C for every i
//	W(a) = sum_iy a_iy r_i(y) (Lambda(y_i) - Lambda(y)) (x) x_i
//
// # Scaling
//
// The papers scale the same objective in two ways. The thesis of Cai, equations
// 2.9, 4.3 and 4.10, has 1/2 ||W||^2 + C sum_i xi_i, which is the form above.
// NHSVM, equations 2, 3 and 10 to 13, has lambda ||W||^2 + sum_i max{...}, with
// neither 1/2 nor 1/N. The minimisers agree for lambda = 1/(2C), and the value
// in the form of NHSVM is 2 lambda times the value in the form above; see
// [CFromLambda], [LambdaFromC] and [LambdaValue].
package structured

import (
	"fmt"
	"math"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// CFromLambda returns the C of 1/2 ||W||^2 + C sum_i xi_i that has the minimiser
// of lambda ||W||^2 + sum_i xi_i (NHSVM): 1/(2 lambda).
func CFromLambda(lambda float64) float64 { return 1 / (2 * lambda) }

// LambdaFromC is the inverse of CFromLambda: 1/(2C).
func LambdaFromC(c float64) float64 { return 1 / (2 * c) }

// LambdaValue converts a primal or dual value of this package to the scale of
// lambda ||W||^2 + sum_i xi_i (NHSVM): it divides by C.
func LambdaValue(value, c float64) float64 { return value / c }

// Rescaling says how the loss Delta enters the hinge
// max_y { b(y) + r(y) (F(y) - F(y_i)) }.
type Rescaling int

const (
	// Margin rescaling: b = Delta, r = 1. NHSVM equations 2, 3, 10 and 12.
	Margin Rescaling = iota
	// Norm rescaling divides everything inside the maximum by
	// ||Lambda(y)-Lambda(y_i)||: b = Delta/||.||, r = 1/||.||. With the loss of
	// NHSVM equation 9 this is equation 13 (b = 1), with its maximum taken over
	// y != y_i and a hinge around it, without which the printed optimum is
	// W = 0. Labels with the attributes of y_i are left out.
	Norm
)

// String returns the name of the rescaling.
func (r Rescaling) String() string {
	switch r {
	case Margin:
		return "margin"
	case Norm:
		return "norm"
	}
	return fmt.Sprintf("Rescaling(%d)", int(r))
}

// Problem is one learning problem; see the package comment. Compile checks it
// and prepares it for a solver.
type Problem struct {
	X          *dataset.Matrix // one row an example, values finite
	Y          []int           // node id of the true leaf of each row
	Attributes *Attributes     // Lambda, and with it the taxonomy
	Loss       loss.Loss       // Delta, zero for the truth
	Rescaling  Rescaling
	C          float64 // weight of the training error, positive
}

// Compile checks the problem and returns what a solver works on. The problem's
// matrix and attributes are shared, not copied, and must not change.
func (p *Problem) Compile() (*Oracle, error) {
	if p.X == nil || p.Attributes == nil || p.Loss == nil {
		return nil, fmt.Errorf("structured: a problem needs X, Attributes and Loss")
	}
	if !(p.C > 0) || math.IsInf(p.C, 1) {
		return nil, fmt.Errorf("structured: C is %v; it weighs the training error and is positive and finite", p.C)
	}
	if p.Rescaling != Margin && p.Rescaling != Norm {
		return nil, fmt.Errorf("structured: unknown rescaling %d; expected structured.Margin or structured.Norm", int(p.Rescaling))
	}
	if p.X.Rows == 0 {
		return nil, fmt.Errorf("structured: no examples; give X at least one row")
	}
	if len(p.Y) != p.X.Rows {
		return nil, fmt.Errorf("structured: %d labels for %d rows of X; give one leaf a row", len(p.Y), p.X.Rows)
	}
	if err := CheckMatrix(p.X); err != nil {
		return nil, err
	}
	o := &Oracle{x: p.X, attributes: p.Attributes, c: p.C}
	if err := o.setLabels(p); err != nil {
		return nil, err
	}
	if err := o.setCosts(p); err != nil {
		return nil, err
	}
	o.squares = make([]float64, p.X.Rows)
	for i := range o.squares {
		_, values := p.X.Row(i)
		for _, v := range values {
			o.squares[i] += float64(v) * float64(v)
		}
	}
	o.transpose()
	return o, nil
}

// CheckMatrix reports the first thing wrong with a sparse matrix: lengths,
// indices that do not ascend or lie outside, values that are not finite.
func CheckMatrix(x *dataset.Matrix) error {
	if x.Rows < 0 || x.Cols < 0 || len(x.Indptr) != x.Rows+1 || len(x.Indices) != len(x.Values) {
		return fmt.Errorf("structured: matrix of %d rows and %d columns has %d row borders, %d indices and %d values; expected %d borders and as many indices as values",
			x.Rows, x.Cols, len(x.Indptr), len(x.Indices), len(x.Values), x.Rows+1)
	}
	if x.Indptr[0] != 0 || x.Indptr[x.Rows] != len(x.Indices) {
		return fmt.Errorf("structured: row borders of the matrix run from %d to %d; expected 0 to %d", x.Indptr[0], x.Indptr[x.Rows], len(x.Indices))
	}
	for i := range x.Rows {
		if x.Indptr[i] > x.Indptr[i+1] {
			return fmt.Errorf("structured: row %d of the matrix ends at %d, before it begins at %d", i, x.Indptr[i+1], x.Indptr[i])
		}
	}
	for i := range x.Rows {
		indices, values := x.Row(i)
		before := int32(-1)
		for k, f := range indices {
			if f <= before || int(f) >= x.Cols {
				return fmt.Errorf("structured: row %d has feature %d after %d; features ascend and lie in 0..%d", i, f, before, x.Cols-1)
			}
			before = f
			if v := float64(values[k]); math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("structured: row %d, feature %d: value %v is not finite; clean the data first", i, f, v)
			}
		}
	}
	return nil
}

func (o *Oracle) setLabels(p *Problem) error {
	t := p.Attributes.Taxonomy()
	o.labels = make([]int32, len(p.Y))
	for i, n := range p.Y {
		if n < 0 || n >= t.Len() {
			return fmt.Errorf("structured: row %d has label %d; the taxonomy has nodes 0..%d", i, n, t.Len()-1)
		}
		y := t.LeafIndex(n)
		if y < 0 {
			return fmt.Errorf("structured: row %d has label %q, an inner node of the taxonomy; labels are leaves", i, t.Name(n))
		}
		o.labels[i] = int32(y)
	}
	return nil
}

// setCosts tabulates b and r for the leaves that are the truth of some example.
func (o *Oracle) setCosts(p *Problem) error {
	t := p.Attributes.Taxonomy()
	leaves := t.Leaves()
	o.costs = make([][]float64, len(leaves))
	o.scales = make([][]float64, len(leaves))
	ones := make([]float64, len(leaves))
	for y := range ones {
		ones[y] = 1
	}
	for _, y := range o.labels {
		if o.costs[y] != nil {
			continue
		}
		cost := make([]float64, len(leaves))
		for z := range leaves {
			cost[z] = p.Loss.Cost(leaves[y], leaves[z])
			if !(cost[z] >= 0) || math.IsInf(cost[z], 1) || z == int(y) && cost[z] != 0 {
				return fmt.Errorf("structured: loss of predicting %q when %q is true is %v; a loss is finite, not negative, and zero for the truth",
					t.Name(leaves[z]), t.Name(leaves[y]), cost[z])
			}
		}
		scale := ones
		if p.Rescaling == Norm {
			scale = make([]float64, len(leaves))
			for z := range leaves {
				if norm := p.Attributes.NormDifference(int(y), z); norm > 0 {
					cost[z], scale[z] = cost[z]/norm, 1/norm
				} else {
					cost[z], scale[z] = 0, 0
				}
			}
		}
		o.costs[y], o.scales[y] = cost, scale
	}
	return nil
}

// Oracle is a compiled problem. It is immutable and safe for concurrent use.
// Leaves are named by their position in Taxonomy.Leaves.
type Oracle struct {
	x          *dataset.Matrix
	attributes *Attributes
	c          float64
	labels     []int32
	squares    []float64   // ||x_i||^2
	costs      [][]float64 // b by true leaf and leaf; nil for leaves without examples
	scales     [][]float64 // r likewise

	// X by feature: examples and values.
	byFeature []int
	examples  []int32
	values    []float32
}

// transpose sorts the matrix by feature.
func (o *Oracle) transpose() {
	x := o.x
	o.byFeature = make([]int, x.Cols+1)
	for _, f := range x.Indices {
		o.byFeature[f+1]++
	}
	for f := range x.Cols {
		o.byFeature[f+1] += o.byFeature[f]
	}
	o.examples = make([]int32, len(x.Indices))
	o.values = make([]float32, len(x.Indices))
	next := append([]int(nil), o.byFeature[:x.Cols]...)
	for i := range x.Rows {
		indices, values := x.Row(i)
		for k, f := range indices {
			o.examples[next[f]], o.values[next[f]] = int32(i), values[k]
			next[f]++
		}
	}
}

// Len returns the number of examples.
func (o *Oracle) Len() int { return len(o.labels) }

// Features returns the number of features.
func (o *Oracle) Features() int { return o.x.Cols }

// Leaves returns the number of leaves.
func (o *Oracle) Leaves() int { return len(o.costs) }

// C returns the weight of the training error.
func (o *Oracle) C() float64 { return o.c }

// Taxonomy returns the taxonomy of the labels.
func (o *Oracle) Taxonomy() *taxonomy.Taxonomy { return o.attributes.taxonomy }

// Attributes returns the attribute vectors of the leaves.
func (o *Oracle) Attributes() *Attributes { return o.attributes }

// Label returns the true leaf of example i.
func (o *Oracle) Label(i int) int32 { return o.labels[i] }

// SquaredNorm returns ||x_i||^2.
func (o *Oracle) SquaredNorm(i int) float64 { return o.squares[i] }

// NewWeights returns zero weights.
func (o *Oracle) NewWeights() *Weights { return o.attributes.NewWeights(o.x.Cols) }

// Costs returns b_i over the leaves. The slice must not be modified.
func (o *Oracle) Costs(i int) []float64 { return o.costs[o.labels[i]] }

// Scales returns r_i over the leaves. The slice must not be modified.
func (o *Oracle) Scales(i int) []float64 { return o.scales[o.labels[i]] }

// Product returns the inner product of r_i(y) (Lambda(y_i)-Lambda(y)) and
// r_i(z) (Lambda(y_i)-Lambda(z)); times ||x_i||^2 it is the curvature of the
// dual between two competitors of example i.
func (o *Oracle) Product(i int, y, z int32) float64 {
	t, a, r := o.labels[i], o.attributes, o.scales[o.labels[i]]
	return r[y] * r[z] * (a.product(t, t) - a.product(t, y) - a.product(t, z) + a.product(y, z))
}

// Violations writes v(y) = b_i(y) + r_i(y) (F(x_i, y) - F(x_i, y_i)) of every leaf
// into dst; the entry of the true leaf is zero. The scorer holds the weights,
// every entry of which is multiplied by scale.
func (o *Oracle) Violations(s *Scorer, scale float64, i int, dst []float64) {
	indices, values := o.x.Row(i)
	s.Leaves(indices, values, dst)
	t := o.labels[i]
	cost, scales := o.costs[t][:len(dst)], o.scales[t][:len(dst)]
	truth := dst[t]
	for y, f := range dst {
		dst[y] = cost[y] + scales[y]*scale*(f-truth)
	}
}
