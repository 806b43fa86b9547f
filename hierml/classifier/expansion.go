package classifier

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/structured"
)

// expansion is the weights of a kernel model, W = sum_i u_i (x) phi(x_i) over training instances.
type expansion struct {
	kernel  gram.Kernel
	x       *dataset.Matrix // the instances that have a u_i
	against *gram.Against   // nil if there are none
	numbers []int           // of those, among all training instances
	u       *structured.Rows
	same    []int32 // the columns of every u_i, if they are the same; otherwise nil
}

// newExpansion keeps the parts of a trained expansion that prediction needs.
func newExpansion(k gram.Kernel, x *dataset.Matrix, trained *structured.Expansion) (*expansion, error) {
	e := &expansion{kernel: k, u: &structured.Rows{Border: []int{0}}}
	for i := range x.Rows {
		columns, values := trained.Rows.Row(i)
		if len(columns) == 0 {
			continue
		}
		e.numbers = append(e.numbers, i)
		e.u.Columns = append(e.u.Columns, columns...)
		e.u.Values = append(e.u.Values, values...)
		e.u.Border = append(e.u.Border, len(e.u.Columns))
	}
	e.x = x.Subset(e.numbers)
	return e, e.prepare()
}

// prepare makes the comparison with the instances, if there are any.
func (e *expansion) prepare() (err error) {
	for i := range e.x.Rows {
		if i == 0 {
			e.same, _ = e.u.Row(i)
		}
		if columns, _ := e.u.Row(i); !slices.Equal(columns, e.same) {
			e.same = nil
			break
		}
	}
	if e.x.Rows > 0 {
		e.against, err = gram.NewAgainst(e.kernel, e.x)
	}
	return err
}

// check returns an error if the kernel has no finite value for a row of x.
func (e *expansion) check(x *dataset.Matrix) error {
	for i := range x.Rows {
		if e.x.Rows == 0 {
			break
		}
		if v := e.kernel.Value(gram.Row(x, i), gram.Row(e.x, 0)); math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("classifier: the kernel of row %d and a training instance is %v; the kernel does not support such instances", i, v)
		}
	}
	return nil
}

// scores writes the scores of the columns for an instance into dst.
func (e *expansion) scores(v gram.Vector, dst []float64) {
	products := make([]float64, e.x.Rows)
	if e.against != nil {
		e.against.Values(v, products)
	}
	e.combine(products, dst)
}

// combine writes the scores of the columns for an instance with the given kernel values.
func (e *expansion) combine(products, dst []float64) {
	clear(dst)
	if e.same != nil {
		sums := make([]float64, len(e.same))
		for i, k := range products {
			_, values := e.u.Row(i)
			floats.AddScaled(sums, k, values)
		}
		for m, c := range e.same {
			dst[c] += sums[m]
		}
		return
	}
	for i, k := range products {
		columns, values := e.u.Row(i)
		for m, c := range columns {
			dst[c] += k * values[m]
		}
	}
}

// LeafScoresOf returns the scores of all leaves of a kernel model for instances given by their
// kernel values alone: one row of products per instance, with one column per training instance, as
// computed by gram.Cross and gram.CrossSequences.
func (m *Model) LeafScoresOf(products mat.Matrix) (*mat.Dense, error) {
	e := m.expansion
	if e == nil {
		return nil, errors.New("classifier: the model has weights and no kernel; call LeafScores with the instances")
	}
	if products == nil {
		return nil, errors.New("classifier: products has no kernel values")
	}
	rows, cols := products.Dims()
	if cols != m.Instances {
		return nil, fmt.Errorf("classifier: there are kernel values with %d instances, and the model was trained on %d; pass one for every training instance", cols, m.Instances)
	}
	if rows == 0 {
		return new(mat.Dense), nil
	}
	leaves := mat.NewDense(rows, len(m.attributes.Candidates()), nil)
	s := m.newScorer()
	known := make([]float64, len(e.numbers))
	for i := range rows {
		for k, n := range e.numbers {
			known[k] = products.At(i, n)
		}
		if floats.HasNaN(known) {
			return nil, fmt.Errorf("classifier: a kernel value of row %d is not a number", i)
		}
		e.combine(known, s.values)
		m.addConstants(s.values)
		s.candidates(leaves.RawRowView(i))
	}
	return leaves, nil
}
