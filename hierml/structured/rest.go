package structured

import "fmt"

// Rest separates each class from the rest: one block per pair of an example and a column, the
// column of a class, with its own hinge,
//
//	C sum_i sum_c max(0, 1 - s_ic <W_c, x_i>)  with s_ic 1 where c is a class of x_i, otherwise -1,
//
// so the columns are independent; or, for classes with attributes,
//
//	C sum_i sum_y max(0, 1 - s_iy F(x_i, y))
//
// Blocks are sorted by example, then class; each has one competitor, 0.
type Rest struct {
	of      *Attributes // nil where each class has a column
	columns int         // classes
	c       float64
	is      []bool // examples x columns
}

// NewRest returns the comparisons for examples whose classes are columns, 0..columns-1; columns
// that are not among an example's classes are the rest. c is the weight of every hinge.
func NewRest(columns int, classes [][]int, c float64) (*Rest, error) {
	if columns < 1 {
		return nil, fmt.Errorf("structured: %d classes; there must be at least one", columns)
	}
	if err := CheckC(c); err != nil {
		return nil, fmt.Errorf("structured: %w", err)
	}
	r := &Rest{columns: columns, c: c, is: make([]bool, len(classes)*columns)}
	for i, set := range classes {
		for _, k := range set {
			if k < 0 || k >= columns {
				return nil, fmt.Errorf("structured: row %d has class %d; classes must be in 0..%d", i, k, columns-1)
			}
			r.is[i*columns+k] = true
		}
	}
	return r, nil
}

// NewRestOf returns the comparisons for classes that are the candidates of the attributes.
func NewRestOf(a *Attributes, classes [][]int, c float64) (*Rest, error) {
	r, err := NewRest(len(a.Candidates()), classes, c)
	if err == nil {
		r.of = a
	}
	return r, err
}

// Blocks returns the number of examples times the number of classes.
func (r *Rest) Blocks() int { return len(r.is) }

// Example returns the example of a block.
func (r *Rest) Example(b int) int { return b / r.columns }

// C returns the weight of the training error.
func (r *Rest) C(int) float64 { return r.c }

// Known reports whether the id is 0.
func (r *Rest) Known(_ int, id int32) bool { return id == 0 }

// Cost returns 1.
func (r *Rest) Cost(int, int32) float64 { return 1 }

func (r *Rest) sign(b int) float64 {
	if r.is[b] {
		return 1
	}
	return -1
}

// Direct adds scale at the column of a block, or times the attributes of its class, less that where
// the example is of the rest.
func (r *Rest) Direct(b int, _ int32, scale float64, step *Step) {
	scale *= r.sign(b)
	if r.of != nil {
		r.of.direct(int32(b%r.columns), scale, step)
		return
	}
	step.Add(int32(b%r.columns), scale)
}

// Product returns the squared norm of the attributes of a block's class, 1 without attributes.
func (r *Rest) Product(b int, _, _ int32) float64 {
	if r.of != nil {
		y := int32(b % r.columns)
		return r.of.product(y, y)
	}
	return 1
}

// NewSearch returns a search that looks at one score.
func (r *Rest) NewSearch() Search { return &restSearch{rest: r} }

type restSearch struct {
	rest      *Rest
	violation float64
}

func (s *restSearch) Load(b int, scores []float64) float64 {
	s.violation = 1 - s.rest.sign(b)*s.rest.score(b%s.rest.columns, scores)
	return max(0, s.violation)
}

// score returns that of a class, from those of the columns.
func (r *Rest) score(class int, scores []float64) float64 {
	if r.of == nil {
		return scores[class]
	}
	var f float64
	nodes, values := r.of.Leaf(class)
	for k, n := range nodes {
		f += values[k] * scores[r.of.Column(n)]
	}
	return f
}

func (s *restSearch) Violation(int32) float64 { return s.violation }

func (s *restSearch) Worst(n int, floor float64, known []int32, dst []int32) []int32 {
	if n > 0 && len(known) == 0 && s.violation > max(0, floor) {
		dst = append(dst, 0)
	}
	return dst
}
