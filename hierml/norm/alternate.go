package norm

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// The interior-point method is for problems of at most so many nodes; on larger trees the weights
// and the parts of U take turns.
const manyNodes = 300

// Turns end when so many have not halved the gap: each takes as long as a pass over the nodes and
// features.
const patience = 1000

// alternate solves the problem on a tree by turns [CSS16, section 7.2]: for given alpha the parts
// U_n, which sum to the rows of U along the paths and have the smallest sum of ||U_n||^2/alpha_n,
// by one pass up and one down; for given parts alpha by the closed form of [CSS16, (20)]. It is
// slow where alpha tends to zero.
func (p *paths) alternate(ctx context.Context) error {
	alpha := make([]float64, p.taxonomy.Len())
	for _, leaf := range p.taxonomy.Leaves() {
		alpha[leaf] = 1
	}
	for _, n := range p.taxonomy.Topological() {
		if above := p.taxonomy.Parents(n); len(above) == 0 {
			alpha[n] = 1 // what is left of the path, of which each node keeps a share
		} else {
			alpha[n] = alpha[above[0]]
		}
		if !p.taxonomy.IsLeaf(n) {
			alpha[n] /= 2
		}
	}
	t := p.newTurns()
	half := p.best.Gap() / 2
	for left := patience; left > 0; left-- {
		if err := ctx.Err(); err != nil {
			return err
		}
		t.parts(alpha)
		t.bound(alpha)
		gap := p.best.Gap()
		if gap <= enough {
			break
		}
		if gap < half {
			half, left = gap/2, patience
		}
		t.weigh(alpha)
	}
	return nil
}

// turning is the scratch space of alternate, a row or an entry a node.
type turning struct {
	*paths
	mean      *mat.Dense // of the rows below, as far as they want the same
	precision []float64
	part      *mat.Dense // U_n
	above     *mat.Dense // sum of the parts of the nodes above
	z         *mat.Dense // U_n / alpha_n
	sums      *mat.Dense // B'Z for the z of the leaves, which is z up to rounding
	norm      []float64
	total     []float64
}

func (p *paths) newTurns() *turning {
	n, d := p.taxonomy.Len(), p.u.RawMatrix().Cols
	rows := func() *mat.Dense { return mat.NewDense(n, d, nil) }
	return &turning{p, rows(), make([]float64, n), rows(), rows(), rows(), rows(), make([]float64, n), make([]float64, n)}
}

// parts computes the parts for alpha. Given the sum a of the parts above, the smallest value of
// those in a subtree is precision ||mean - a||^2 and a constant; a node adds its alpha to the
// inverse of the precision of its children together.
func (t *turning) parts(alpha []float64) {
	tax := t.taxonomy
	joint := make([]float64, tax.Len()) // precision of the children together
	for _, n := range slices.Backward(tax.Topological()) {
		mean := t.mean.RawRowView(n)
		if l := tax.LeafIndex(n); l >= 0 {
			copy(mean, t.u.RawRowView(l))
			joint[n] = math.Inf(1)
			t.precision[n] = 1 / alpha[n]
			continue
		}
		clear(mean)
		joint[n] = 0
		for _, c := range tax.Children(n) {
			joint[n] += t.precision[c]
			floats.AddScaled(mean, t.precision[c], t.mean.RawRowView(c))
		}
		floats.Scale(1/joint[n], mean)
		t.precision[n] = 1 / (1/joint[n] + alpha[n])
	}
	for _, n := range tax.Topological() {
		above, part, z := t.above.RawRowView(n), t.part.RawRowView(n), t.z.RawRowView(n)
		clear(above)
		if up := tax.Parents(n); len(up) > 0 {
			floats.AddTo(above, t.above.RawRowView(up[0]), t.part.RawRowView(up[0]))
		}
		floats.SubTo(z, t.mean.RawRowView(n), above)
		floats.Scale(t.precision[n], z)
		floats.ScaleTo(part, alpha[n], z)
		t.norm[n] = floats.Norm(part, 2)
	}
}

// weigh sets alpha to the best for the parts.
func (t *turning) weigh(alpha []float64) {
	tax := t.taxonomy
	for _, n := range slices.Backward(tax.Topological()) {
		var below float64
		for _, c := range tax.Children(n) {
			below += t.total[c] * t.total[c]
		}
		t.total[n] = t.norm[n] + math.Sqrt(below)
	}
	rest := make([]float64, tax.Len())
	for _, n := range tax.Topological() {
		amount := 1.0
		if up := tax.Parents(n); len(up) > 0 {
			amount = rest[up[0]]
		}
		share := 1.0
		if !tax.IsLeaf(n) {
			share = 0
			if t.total[n] > 0 {
				share = t.norm[n] / t.total[n]
			}
			// A weight of zero would stay.
			share = min(max(share, tiniest), 1-tiniest)
		}
		alpha[n] = amount * share
		rest[n] = amount - alpha[n]
	}
}

// tiniest is the smallest share of a path's weight that a node, and those below it, get.
const tiniest = 1e-9

// bound improves the bounds by those of the parts for alpha.
func (t *turning) bound(alpha []float64) {
	// The parts are those of Z, of the leaves, up to rounding, which a bound must not have: it
	// takes the sums.
	var product, value float64
	lifted := make([]float64, len(alpha))
	for _, n := range slices.Backward(t.taxonomy.Topological()) {
		z, sum := t.z.RawRowView(n), t.sums.RawRowView(n)
		value += alpha[n] * floats.Dot(z, z)
		if l := t.taxonomy.LeafIndex(n); l >= 0 {
			copy(sum, z)
			product += floats.Dot(z, t.u.RawRowView(l))
		} else {
			clear(sum)
			for _, c := range t.taxonomy.Children(n) {
				floats.Add(sum, t.sums.RawRowView(c))
			}
		}
		lifted[n] = floats.Dot(sum, sum)
	}
	if bound := product / math.Sqrt(t.largest(&weights{alpha: alpha, lifted: lifted}, 0)); bound > t.best.Lower {
		t.best.Lower = bound
	}
	// The paths' sums are 1, and the parts sum to the rows, up to rounding.
	var longest, miss float64
	d := t.u.RawMatrix().Cols
	difference := make([]float64, d)
	for l, leaf := range t.taxonomy.Leaves() {
		var sum float64
		for _, n := range t.taxonomy.Ancestors(leaf) {
			sum += alpha[n]
		}
		longest = max(longest, sum)
		floats.AddTo(difference, t.above.RawRowView(leaf), t.part.RawRowView(leaf))
		floats.Sub(difference, t.u.RawRowView(l))
		miss += floats.Dot(difference, difference)
	}
	if attained := math.Sqrt(longest*value) + math.Sqrt(miss); attained < t.best.Value {
		t.best.Value = attained
		t.best.Left, t.best.Right = t.factor(alpha), mat.DenseCopyOf(t.z)
		for n, a := range alpha {
			floats.Scale(math.Sqrt(a), t.best.Right.RawRowView(n))
		}
	}
}
