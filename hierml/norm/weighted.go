package norm

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// weighted is the problem that the shared and the max norm are the optimum of,
//
//	maximize ||diag(sqrt nu) U diag(sqrt omega)||_*  over nu and, for the max norm, omega in simplices,
//
// where omega is 1 for the shared norm. The function is concave. With the singular value
// decomposition P Sigma Q' of the matrix, the factors diag(1/sqrt nu) P Sigma^(1/2) and Sigma^(1/2)
// Q' diag(1/sqrt omega) of U bound the norm from above.
//
// An interior-point method follows the maximizers of the function with all singular values s
// replaced by
//
//	g(s) = max_t { 2ts + mu log(1-t^2) },
//
// which is smooth where they vanish, and with mu sum log(nu) + mu sum log(omega) added, as mu tends
// to 0. This is twice the function with a self-concordant barrier, that of the semidefinite program
// behind it, of which all other variables are eliminated in closed form. On its path the relative
// gap is about mu times the number of weights.
type weighted struct {
	whole   *mat.Dense // U
	rows    []int      // of whole that are not zero
	cols    []int
	columns bool // whether there is an omega

	u      *mat.Dense // those rows and columns
	weight []float64  // nu, then omega
	best   *Norm
}

// newWeighted returns the problem of a matrix that is not zero.
func newWeighted(whole *mat.Dense, columns bool) *weighted {
	p := &weighted{whole: whole, columns: columns}
	r, c := whole.Dims()
	for i := range r {
		if floats.Norm(whole.RawRowView(i), 1) > 0 {
			p.rows = append(p.rows, i)
		}
	}
	for j := range c {
		if floats.Norm(mat.Col(nil, j, whole), 1) > 0 {
			p.cols = append(p.cols, j)
		}
	}
	p.u = mat.NewDense(len(p.rows), len(p.cols), nil)
	for i, row := range p.rows {
		for j, col := range p.cols {
			p.u.Set(i, j, whole.At(row, col))
		}
	}
	p.best = &Norm{Value: mat.Norm(whole, 2), Left: identity(r), Right: mat.DenseCopyOf(whole), Lower: longest(whole)}
	if columns {
		// A = U, V = I and A = I, V = U are both factorizations.
		if across := longest(mat.DenseCopyOf(whole.T())); across < longest(whole) {
			p.best.Value = across
		} else {
			p.best.Value, p.best.Left, p.best.Right = longest(whole), mat.DenseCopyOf(whole), identity(c)
		}
		p.best.Lower = 1 // the largest value
	}
	p.weight = make([]float64, len(p.rows))
	if columns {
		p.weight = make([]float64, len(p.rows)+len(p.cols))
	}
	for _, g := range p.groups() {
		for l := range g {
			g[l] = 1 / float64(len(g))
		}
	}
	return p
}

func identity(n int) *mat.Dense {
	e := mat.NewDense(n, n, nil)
	for i := range n {
		e.Set(i, i, 1)
	}
	return e
}

// groups returns the weights that sum to 1 each: nu, and omega if there is one.
func (p *weighted) groups() [][]float64 {
	r := len(p.rows)
	if p.columns {
		return [][]float64{p.weight[:r], p.weight[r:]}
	}
	return [][]float64{p.weight[:r]}
}

const (
	reduction = 0.1 // of mu from one centre to the next
	// squared Newton decrement, in units of mu, at which a point counts as a centre
	centred    = 0.25
	maxCentre  = 60 // Newton steps to a centre, at most
	smallestMu = 1e-15
)

// solve follows the path until the gap is small enough or rounding permits no progress.
func (p *weighted) solve(ctx context.Context) error {
	at, ok := p.at(p.weight)
	if !ok {
		return nil
	}
	mu := 2 * floats.Sum(at.sigma) / float64(len(p.weight))
	for ; mu > smallestMu; mu *= reduction {
		for range maxCentre {
			if err := ctx.Err(); err != nil {
				return err
			}
			p.bound(at)
			if p.best.Gap() <= enough {
				return nil
			}
			next, decrement, ok := p.step(ctx, at, mu)
			if !ok {
				break
			}
			at = next
			if decrement <= centred*mu {
				break
			}
		}
	}
	p.bound(at)
	return nil
}

// point is a choice of weights with the decomposition of the weighted matrix.
type point struct {
	*decomposition
	weight []float64
}

// at returns the point with the given weights, which are positive.
func (p *weighted) at(weight []float64) (*point, bool) {
	m := mat.DenseCopyOf(p.u)
	for i := range p.rows {
		row := m.RawRowView(i)
		floats.Scale(math.Sqrt(weight[i]), row)
		if p.columns {
			for j := range row {
				row[j] *= math.Sqrt(weight[len(p.rows)+j])
			}
		}
	}
	d, ok := decompose(m)
	return &point{d, weight}, ok
}

// bound improves the bounds by those of a point.
func (p *weighted) bound(at *point) {
	p.best.Lower = max(p.best.Lower, floats.Sum(at.sigma)*(1-1e-15*float64(len(at.sigma))))
	left, right := at.factors()
	for i := range p.rows {
		floats.Scale(1/math.Sqrt(at.weight[i]), left.RawRowView(i))
	}
	length := longest(left)
	if p.columns {
		for k := range right.RawMatrix().Rows {
			row := right.RawRowView(k)
			for j := range row {
				row[j] /= math.Sqrt(at.weight[len(p.rows)+j])
			}
		}
		length *= longest(mat.DenseCopyOf(right.T()))
	} else {
		length *= mat.Norm(right, 2)
	}
	if value := length + residual(p.u, left, right); value < p.best.Value {
		p.best.Value = value
		p.best.Left, p.best.Right = p.embed(left, right)
	}
}

// embed puts the zero rows and columns back.
func (p *weighted) embed(left, right *mat.Dense) (*mat.Dense, *mat.Dense) {
	r, c := p.whole.Dims()
	k := right.RawMatrix().Rows
	l, v := mat.NewDense(r, k, nil), mat.NewDense(k, c, nil)
	for i, row := range p.rows {
		l.SetRow(row, left.RawRowView(i))
	}
	for j, col := range p.cols {
		v.SetCol(col, mat.Col(nil, j, right))
	}
	return l, v
}

// value returns the function with the barrier.
func (at *point) value(mu float64) float64 {
	var sum float64
	for _, w := range at.weight {
		sum += mu * math.Log(w)
	}
	for _, s := range at.sigma {
		r := mu + math.Hypot(mu, 2*s)
		sum += 4*s*s/r + mu*math.Log(2*mu/r)
	}
	return sum
}

// step takes a damped Newton step and returns the squared decrement at the point where it began.
func (p *weighted) step(ctx context.Context, at *point, mu float64) (next *point, decrement float64, ok bool) {
	h := newCurvature(ctx, at, mu, len(p.rows))
	direction, decrement, ok := h.newton(p.groupsOf(at.weight))
	if !ok || !(decrement > 0) {
		return nil, 0, false
	}
	length := 1.0
	if fastest := -slices.Min(direction); fastest > 0 {
		length = min(1, 0.95/fastest)
	}
	before := at.value(mu)
	for range 30 {
		weight := make([]float64, len(at.weight))
		for l, w := range at.weight {
			weight[l] = w * (1 + length*direction[l])
		}
		for _, g := range p.groupsOf(weight) {
			floats.Scale(1/floats.Sum(g), g)
		}
		if next, ok = p.at(weight); !ok {
			return nil, 0, false
		}
		if gain := next.value(mu) - before; gain >= 0.1*length*decrement-1e-14*math.Abs(before) {
			return next, decrement, true
		}
		length /= 2
	}
	return nil, 0, false
}

func (p *weighted) groupsOf(weight []float64) [][]float64 {
	r := len(p.rows)
	if p.columns {
		return [][]float64{weight[:r], weight[r:]}
	}
	return [][]float64{weight}
}
