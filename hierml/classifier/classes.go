package classifier

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Classes describes a model by class weights: every leaf y has weights W_y, the sum of the weights
// of its nodes times their attributes, and the hierarchy is a regularizer that couples them [Cai08,
// (4.46) and (4.48)].
type Classes struct {
	*structured.ClassRegularizer
	// Products are <W_y, W_y'>, with one row and one column per leaf in the order of
	// Taxonomy.Leaves.
	Products *mat.SymDense
	// Value is 1/2 sum_yy' Q_yy' <W_y, W_y'>, which is 1/2 ||w||^2 of the node weights.
	Value float64

	taxonomy *taxonomy.Taxonomy
}

// Coupling is how the regularizer couples two classes.
type Coupling struct {
	Class, Other int     // node ids, Class the smaller
	Q            float64 // negative if their weights are pulled together
	Cosine       float64 // of the angle between the weights; 0 if one has none
	Term         float64 // Q <W_y, W_y'>, their part of the regularizer
}

// Classes explains the model by class weights. Kernel models have them in the kernel's feature
// space. It takes memory for every pair of nodes. It returns an error if the attributes have no
// regularizer of class weights; see structured.NewClassRegularizer.
func (m *Model) Classes() (*Classes, error) {
	if m.Rule == ClosedSet {
		return nil, fmt.Errorf("classifier: the model, %s, couples its nodes by another regularizer, which class weights do not describe", m.Name)
	}
	r, err := structured.NewClassRegularizer(m.attributes)
	if err != nil {
		return nil, fmt.Errorf("classifier: %w", err)
	}
	byNode, err := m.nodeProducts()
	if err != nil {
		return nil, err
	}
	// Class products are Lambda times those of the nodes times Lambda'.
	q := len(m.attributes.Candidates())
	half := mat.NewDense(q, m.Taxonomy.Len(), nil)
	for y := range q {
		nodes, values := m.attributes.Leaf(y)
		row := half.RawRowView(y)
		for k, n := range nodes {
			for z := range row {
				row[z] += values[k] * byNode.At(n, z)
			}
		}
	}
	c := &Classes{ClassRegularizer: r, Products: mat.NewSymDense(q, nil), taxonomy: m.Taxonomy}
	for y := range q {
		for z := range y + 1 {
			nodes, values := m.attributes.Leaf(z)
			var sum float64
			for k, n := range nodes {
				sum += values[k] * half.At(y, n)
			}
			c.Products.SetSym(y, z, sum)
		}
	}
	c.Value = r.Evaluate(c.Products)
	return c, nil
}

// nodeProducts returns <w_n, w_m> of all nodes.
func (m *Model) nodeProducts() (*mat.SymDense, error) {
	products := mat.NewSymDense(m.Taxonomy.Len(), nil)
	columns := m.attributes.Columns()
	byColumn := mat.NewDense(len(columns), len(columns), nil)
	if e := m.expansion; e != nil {
		scores := make([]float64, len(columns))
		for i := range e.x.Rows {
			e.scores(gram.Row(e.x, i), scores)
			at, values := e.u.Row(i)
			for k, c := range at {
				row := byColumn.RawRowView(int(c))
				for d, s := range scores {
					row[d] += values[k] * s
				}
			}
		}
	} else {
		w := m.weights()
		if w == nil {
			return nil, fmt.Errorf("classifier: the model has neither weights nor a kernel")
		}
		features, _ := w.size()
		var at []int32
		var values []float64
		for f := range features {
			at, values = w.append(f, at[:0], values[:0])
			for k, c := range at {
				row := byColumn.RawRowView(int(c))
				for l, d := range at {
					row[d] += values[k] * values[l]
				}
			}
		}
	}
	for c, n := range columns {
		for d, o := range columns[:c+1] {
			products.SetSym(n, o, (byColumn.At(c, d)+byColumn.At(d, c))/2)
		}
	}
	return products, nil
}

// Couplings returns the coupling of every pair of classes whose Q is not zero, those with the
// largest part of the regularizer first.
func (c *Classes) Couplings() []Coupling {
	leaves := c.taxonomy.Leaves()
	var all []Coupling
	for y, leaf := range leaves {
		for z := range y {
			q := c.Q.At(y, z)
			if q == 0 {
				continue
			}
			p := Coupling{Class: leaves[z], Other: leaf, Q: q, Term: q * c.Products.At(y, z)}
			if length := math.Sqrt(c.Products.At(y, y)) * math.Sqrt(c.Products.At(z, z)); length > 0 {
				p.Cosine = c.Products.At(y, z) / length
			}
			all = append(all, p)
		}
	}
	slices.SortStableFunc(all, func(a, b Coupling) int { return cmp.Compare(math.Abs(b.Term), math.Abs(a.Term)) })
	return all
}

// String lists the strongest couplings.
func (c *Classes) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "class weights: regularizer %.6g", c.Value)
	couplings := c.Couplings()
	for k, p := range couplings {
		if k == 10 {
			fmt.Fprintf(&b, "\n  and %d more", len(couplings)-k)
			break
		}
		fmt.Fprintf(&b, "\n  %s, %s: coupling %.3g, cosine %.3f", c.taxonomy.LabelName(p.Class), c.taxonomy.LabelName(p.Other), p.Q, p.Cosine)
	}
	return b.String()
}
