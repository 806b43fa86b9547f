package decision

import (
	"context"
	"errors"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// SetF chooses the set of nodes, with their ancestors, with the largest expected hierarchical F1 of
// an instance that may have several labels or none. It uses the probability of each node given that
// its parent is at or above a label, under the model of HLoss, in which the children of a node are
// independent given it. Reports and studies have the mean F1 as "hierarchical samples F1", or
// "rootless samples F1", and metric.LabelSets as HierarchicalSamples; an instance without labels
// counts 0.
//
// As for LargestF, of the sets of k nodes the best one has the k nodes n with the largest
//
//	D_k(n) = sum over m of P(n in Y, |Y| = m) 2 / (k + m),
//
// of the true nodes Y. A child never has a larger one than its parent, so the decision is exact.
// The sum is the derivative of the polynomial with the coefficients P(|Y| = m), a product of those
// of the subtrees. For each k it takes at most quadratic time in the number of nodes. The search
// skips any k whose set cannot be better: all from 2 E|Y| / value on. Sizes of a subtree with a
// total probability below 1e-17 are left out.
type SetF struct {
	// Rootless excludes roots from the sets, as metric.F1.RootlessSamples does.
	Rootless bool
}

// Decide returns, for every row of p, the decision in its most specific form, ascending, none above
// another, possibly empty, and its expected F1. p has one column per node, by id, as in
// HLoss.Decide and as returned by classifier.Model.ConditionalProbabilities. A leaf that
// dataset.Leafed added counts as its inner node, as in a Rule. It returns an error if a node has
// several parents or if ctx is cancelled.
func (r SetF) Decide(ctx context.Context, t *taxonomy.Taxonomy, p *mat.Dense) (sets [][]int, values []float64, err error) {
	if t == nil || p == nil {
		return nil, nil, errors.New("decision: SetF needs a taxonomy and probabilities of its nodes")
	}
	if err := r.validate(t); err != nil {
		return nil, nil, err
	}
	if _, err := (&HLoss{taxonomy: t}).check(p); err != nil {
		return nil, nil, err
	}
	s := newLargest(newLabels(t, true), r.Rootless)
	rows, _ := p.Dims()
	sets, values = make([][]int, rows), make([]float64, rows)
	err = each(ctx, rows, func() *setRow { return newSetRow(s) }, func(w *setRow, i int) {
		sets[i], values[i] = w.decide(p.RawRowView(i))
	})
	if err != nil {
		return nil, nil, err
	}
	return sets, values, nil
}

func (r SetF) validate(t *taxonomy.Taxonomy) error {
	if !t.IsTree() {
		return errors.New("decision: SetF needs a tree or forest, and a node of this taxonomy has several parents")
	}
	return nil
}

// String describes the rule.
func (r SetF) String() string {
	return "the set of labels with the largest expected " + f1Name(r.Rootless)
}

// setRow decides for one row. Polynomials are slices of coefficients, of the sizes of sets.
type setRow struct {
	*largestRow
	given  []float64   // p of the row, by node
	within [][]float64 // by node: of the sets at and below it, if its parent is in
	steps  [][]float64 // by node: the product of those of its siblings before it
}

func newSetRow(s *largest) *setRow {
	n := s.nodes.Len()
	return &setRow{largestRow: s.start(), given: make([]float64, n), within: make([][]float64, n), steps: make([][]float64, n)}
}

// shift is how much a node adds to the size.
func (w *setRow) shift(n int) int {
	if len(w.above[n]) == 0 {
		return 0
	}
	return 1
}

func (w *setRow) decide(row []float64) ([]int, float64) {
	p := w.given
	for k, n := range w.kept {
		p[k] = row[n]
	}
	order := w.nodes.Topological()
	for k := len(order) - 1; k >= 0; k-- {
		n := order[k]
		product := w.product(w.nodes.Children(n))
		own := append(w.within[n][:0], 1-p[n])
		for len(own) < len(product)+w.shift(n) {
			own = append(own, 0)
		}
		for m, c := range product {
			own[m+w.shift(n)] += p[n] * c
		}
		w.within[n] = trimmed(own)
	}
	sizes := w.product(w.nodes.Roots())
	mean := 0.0
	for m, c := range sizes {
		mean += float64(m) * c
	}
	found, value := []int{}, 0.0
	for k := 1; k <= w.nodes.Len(); k++ {
		if 2*mean/float64(k+1) <= value*(1+tolerance) {
			break // 2/(k+m) is at most 2/(k+1)
		}
		most := 0.0
		for m, c := range sizes {
			if m > 0 {
				most += c * 2 * float64(min(k, m)) / float64(k+m)
			}
		}
		if most <= value*(1+tolerance) {
			continue
		}
		w.derive(k, len(sizes))
		v, all := w.top(k)
		if v > value*(1+tolerance) {
			found, value = append(found[:0], w.chosen...), v
		}
		if !all {
			break
		}
	}
	return w.specific(found), value
}

// product returns the product of the polynomials within of siblings, and keeps those of the first
// ones.
func (w *setRow) product(siblings []int) []float64 {
	product := []float64{1}
	for _, c := range siblings {
		w.steps[c] = product
		product = trimmed(multiply(product, w.within[c]))
	}
	return product
}

// trimmed removes the largest sizes, with a total probability below 1e-17, so that the polynomials
// of thousands of nodes are only as long as sets are large.
func trimmed(p []float64) []float64 {
	const negligible = 1e-17
	for tail := 0.0; len(p) > 1; p = p[:len(p)-1] {
		if tail += p[len(p)-1]; tail >= negligible {
			break
		}
	}
	return p
}

func multiply(a, b []float64) []float64 {
	product := make([]float64, len(a)+len(b)-1)
	for i, x := range a {
		if x == 0 {
			continue
		}
		for j, y := range b {
			product[i+j] += x * y
		}
	}
	return product
}

// derive writes D_k of all nodes that count: the derivatives of the sum of P(|Y| = m) 2 / (k +
// m) by the polynomials, from the roots down.
func (w *setRow) derive(k, sizes int) {
	adjoint := make([]float64, sizes)
	for m := range adjoint {
		if k+m > 0 {
			adjoint[m] = 2 / float64(k+m)
		}
	}
	w.descendants(w.nodes.Roots(), adjoint)
}

// descendants takes the derivatives by the product of the polynomials of siblings.
func (w *setRow) descendants(siblings []int, adjoint []float64) {
	for k := len(siblings) - 1; k >= 0; k-- {
		n := siblings[k]
		before, own := w.steps[n], w.within[n]
		byOwn, byBefore := make([]float64, len(own)), make([]float64, len(before))
		for i, x := range before {
			for j, y := range own[:max(0, min(len(own), len(adjoint)-i))] { // beyond what was trimmed
				byOwn[j] += x * adjoint[i+j]
				byBefore[i] += y * adjoint[i+j]
			}
		}
		// If n is in, its polynomial is p[n] times that of the children, shifted.
		shift, p := w.shift(n), w.given[n]
		w.d[n] = 0
		for m, c := range own {
			if m == 0 {
				c -= 1 - p
			}
			w.d[n] += c * byOwn[m]
		}
		for m := range byOwn {
			byOwn[m] *= p
		}
		w.descendants(w.nodes.Children(n), byOwn[shift:])
		adjoint = byBefore
	}
}
