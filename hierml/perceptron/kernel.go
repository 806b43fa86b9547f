package perceptron

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/structured"
)

// examples represents w by its updates, with the scores of all instances of a data set, which every
// update changes: the dual form ([Cai08, Algorithm 5 and (5.17)], for differences of these scores).
type examples struct {
	attributes *structured.Attributes
	x          *dataset.Matrix
	kernel     gram.Kernel
	against    *gram.Against
	changes    []change

	all      []float64 // scores, instances x candidates
	products []float64 // of the instance added last with all
	// candidates whose scores have changed since, where the products are not zero
	changed []int32
	known   map[int][]float64 // products of instances added before
	columns []float64         // scratch
	sums    []float64
	change  []float64 // of the candidates
}

// maxScores bounds the stored scores: 8 GiB.
const maxScores = 1 << 30

func newExamples(a *structured.Attributes, k gram.Kernel, x *dataset.Matrix) (*examples, error) {
	q, columns := len(a.Candidates()), len(a.Columns())
	if x.Rows > maxScores/q {
		return nil, fmt.Errorf("perceptron: kernels and Minover store the scores of all leaves for every instance, which for %d leaves and %d instances take %.0f GiB; train on %d instances or fewer, or without Kernel and Minover",
			q, x.Rows, float64(x.Rows)*float64(q)/(1<<27), maxScores/q)
	}
	against, err := gram.NewAgainst(k, x)
	if err != nil {
		return nil, err
	}
	return &examples{
		attributes: a, x: x, kernel: k, against: against,
		all: make([]float64, x.Rows*q), known: make(map[int][]float64),
		columns: make([]float64, columns), sums: make([]float64, columns+1), change: make([]float64, q),
	}, nil
}

func (e *examples) scores(x *instance) ([]float64, error) { return e.row(x.number), nil }

// row returns the scores of an instance.
func (e *examples) row(i int) []float64 {
	q := len(e.change)
	return e.all[i*q : (i+1)*q]
}

func (e *examples) square(x *instance) float64 { return e.kernel.Value(x.Vector, x.Vector) }

func (e *examples) add(x *instance, c change, columns []int32, u []float64) error {
	if err := e.multiply(x); err != nil {
		return err
	}
	e.changes = append(e.changes, c)
	for j, c := range columns {
		e.columns[c] = u[j]
	}
	e.attributes.Scores(e.columns, e.sums, e.change)
	for _, c := range columns {
		e.columns[c] = 0
	}
	e.changed = e.changed[:0]
	for y, v := range e.change {
		if v != 0 {
			e.changed = append(e.changed, int32(y))
		}
	}
	for j, k := range e.products {
		if k == 0 {
			continue
		}
		row := e.row(j)
		for _, y := range e.changed {
			row[y] += k * e.change[y]
		}
	}
	return nil
}

// knownBytes bounds the cached products.
const knownBytes = 64 << 20

// multiply computes the products of an instance with all others, or takes them from the cache:
// Minover often returns to the same instances.
func (e *examples) multiply(x *instance) error {
	var ok bool
	if e.products, ok = e.known[x.number]; ok {
		return nil
	}
	if (len(e.known)+1)*e.x.Rows*8 > knownBytes {
		clear(e.known)
	}
	e.products = make([]float64, e.x.Rows)
	e.against.Values(x.Vector, e.products)
	for j, k := range e.products {
		if math.IsNaN(k) || math.IsInf(k, 0) {
			return &inputError{fmt.Sprintf("perceptron: the kernel of rows %d and %d is %v; the values of a kernel must be finite", x.number, j, k)}
		}
	}
	e.known[x.number] = e.products
	return nil
}

// support represents w by its updates, for instances that are seen one at a time.
type support struct {
	attributes *structured.Attributes
	kernel     gram.Kernel
	vectors    []gram.Vector
	u          structured.Rows
	changes    []change // numbered as the vectors

	columns, sums, candidates []float64
}

func newSupport(a *structured.Attributes, k gram.Kernel) *support {
	columns := len(a.Columns())
	return &support{
		attributes: a, kernel: k, u: structured.Rows{Border: []int{0}},
		columns: make([]float64, columns), sums: make([]float64, columns+1), candidates: make([]float64, len(a.Candidates())),
	}
}

func (s *support) scores(x *instance) ([]float64, error) {
	clear(s.columns)
	for i, v := range s.vectors {
		k := s.kernel.Value(v, x.Vector)
		if math.IsNaN(k) || math.IsInf(k, 0) {
			return nil, &inputError{fmt.Sprintf("perceptron: the kernel of instance %d and one before is %v; the values of a kernel must be finite", x.number, k)}
		}
		columns, u := s.u.Row(i)
		for j, c := range columns {
			s.columns[c] += k * u[j]
		}
	}
	s.attributes.Scores(s.columns, s.sums, s.candidates)
	return s.candidates, nil
}

func (s *support) square(x *instance) float64 { return s.kernel.Value(x.Vector, x.Vector) }

func (s *support) add(x *instance, c change, columns []int32, u []float64) error {
	c.number = len(s.vectors)
	s.changes = append(s.changes, c)
	s.vectors = append(s.vectors, gram.Vector{Indices: slices.Clone(x.Indices), Values: slices.Clone(x.Values)})
	s.u.Columns = append(s.u.Columns, columns...)
	s.u.Values = append(s.u.Values, u...)
	s.u.Border = append(s.u.Border, len(s.u.Columns))
	return nil
}

// expansion returns w, or its mean over the steps, as a vector u_i for each of n instances, with w
// = sum_i u_i (x) x_i.
func (r *rule) expansion(changes []change, n int, averaged bool, steps int) *structured.Rows {
	sorted := slices.Clone(changes)
	slices.SortStableFunc(sorted, func(a, b change) int { return cmp.Compare(a.number, b.number) })
	u := &structured.Rows{Border: make([]int, 1, n+1)}
	for i := range n {
		for len(sorted) > 0 && sorted[0].number == i {
			c := &sorted[0]
			size := c.share(averaged, steps)
			r.attributes.AddTo(r.step, int(c.pair[0]), size)
			r.attributes.AddTo(r.step, int(c.pair[1]), -size)
			sorted = sorted[1:]
		}
		columns, values := r.step.Take()
		u.Columns = append(u.Columns, columns...)
		u.Values = append(u.Values, values...)
		u.Border = append(u.Border, len(u.Columns))
	}
	return u
}
