package dataset

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/internal/rounding"
	"github.com/hierml/notebook/hierml/internal/textfile"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// FromDense returns a data set from a matrix with one row per instance, and the nodes of each,
// which LabelSets finds by their names. Ancestors of a label are implied and may be listed or not.
// Zeros are not stored; other values must be finite and within the range of a float32. It returns
// an error if a float32 rounds numbers of a column, such as 20240101, by more than a thousandth of
// their standard deviation: then subtract their mean first.
func FromDense(name string, t *taxonomy.Taxonomy, x mat.Matrix, labels [][]int) (*Dataset, error) {
	if t == nil || x == nil {
		return nil, fmt.Errorf("dataset: %q needs a taxonomy and a matrix", name)
	}
	rows, cols := x.Dims()
	if rows != len(labels) {
		return nil, fmt.Errorf("dataset: %q has %d rows and the labels of %d; give every row its labels", name, rows, len(labels))
	}
	if cols > math.MaxInt32 {
		return nil, fmt.Errorf("dataset: %q has %d columns; at most %d are allowed", name, cols, math.MaxInt32)
	}
	columns := make([]rounding.Column, cols)
	d := &Dataset{Name: name, Taxonomy: t, X: &Matrix{Rows: rows, Cols: cols, Indptr: make([]int, 1, rows+1)}, Labels: make([][]int, rows)}
	for i, set := range labels {
		set = slices.Compact(slices.Sorted(slices.Values(set)))
		for _, n := range set {
			if n < 0 || n >= t.Len() {
				return nil, fmt.Errorf("dataset: row %d of %q has the label %d; the taxonomy has the nodes 0 to %d", i, name, n, t.Len()-1)
			}
		}
		d.Labels[i] = t.MostSpecific(set)
		for j := range cols {
			columns[j].Add(x.At(i, j))
			if x.At(i, j) == 0 {
				continue
			}
			v := float32(x.At(i, j))
			if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
				return nil, fmt.Errorf("dataset: row %d, column %d of %q is %v; expected a finite number within the range of a float32", i, j, name, x.At(i, j))
			}
			if v != 0 {
				d.X.Indices = append(d.X.Indices, int32(j))
				d.X.Values = append(d.X.Values, v)
			}
		}
		d.X.Indptr = append(d.X.Indptr, len(d.X.Values))
	}
	if err := checkRounding(columns); err != nil {
		return nil, fmt.Errorf("dataset: %q: %w", name, err)
	}
	return d, nil
}

// checkRounding returns an error if what is in columns loses by float32.
func checkRounding(columns []rounding.Column) error {
	for j := range columns {
		if example, lost := columns[j].Lost(); lost {
			return fmt.Errorf("a float32 rounds %.17g in column %d to %.17g, which is too coarse for numbers so close to each other; subtract their mean first",
				example, j, float64(float32(example)))
		}
	}
	return nil
}

// MatrixOf returns rows of numbers as a matrix, for predictions.
//
//	predicted := model.Predict(must(dataset.MatrixOf([]float64{5.1, 3.5})))
//
// All rows have one number a column, in the order of the training data. Zeros are not stored; the
// others have to be finite and within the range of a float32, and, as in FromDense, not too close
// to each other for one.
func MatrixOf(rows ...[]float64) (*Matrix, error) {
	m := &Matrix{Rows: len(rows), Indptr: make([]int, 1, len(rows)+1)}
	var columns []rounding.Column
	for i, row := range rows {
		if i == 0 {
			m.Cols, columns = len(row), make([]rounding.Column, len(row))
		}
		if len(row) != m.Cols {
			return nil, fmt.Errorf("dataset: row %d has %d numbers, and the first has %d", i, len(row), m.Cols)
		}
		for j, x := range row {
			v := float32(x)
			if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
				return nil, fmt.Errorf("dataset: row %d, column %d is %v; expected a finite number within the range of a float32", i, j, x)
			}
			if columns[j].Add(x); v != 0 {
				m.Indices = append(m.Indices, int32(j))
				m.Values = append(m.Values, v)
			}
		}
		m.Indptr = append(m.Indptr, len(m.Values))
	}
	if err := checkRounding(columns); err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	return m, nil
}

// LabelSets returns the nodes of the named labels of each instance, in their most specific form. It
// returns an error if a name is not that of a node, or is listed twice for one instance.
func LabelSets(t *taxonomy.Taxonomy, names [][]string) ([][]int, error) {
	if t == nil {
		return nil, fmt.Errorf("dataset: the taxonomy is nil; pass one that has the labels as names of its nodes")
	}
	sets := make([][]int, len(names))
	for i, list := range names {
		var nodes []int
		given := make(map[int]bool, len(list))
		for _, name := range list {
			n, ok := t.LabelNode(name)
			switch {
			case !ok:
				return nil, fmt.Errorf("dataset: instance %d: label %s is not a node of the taxonomy; expected one of its names, such as %s",
					i, textfile.Quote(name), textfile.Quote(t.Name(t.Leaves()[0])))
			case given[n]:
				return nil, fmt.Errorf("dataset: instance %d: label %s is given twice", i, textfile.Quote(name))
			}
			given[n] = true
			nodes = append(nodes, n)
		}
		sets[i] = t.MostSpecific(nodes)
	}
	return sets, nil
}

// Dense returns the matrix with its zeros, in which every entry takes eight bytes. One without rows
// or without columns is an empty mat.Dense.
func (m *Matrix) Dense() *mat.Dense {
	if m.Rows == 0 || m.Cols == 0 {
		return new(mat.Dense)
	}
	x := mat.NewDense(m.Rows, m.Cols, nil)
	for i := range m.Rows {
		row := x.RawRowView(i)
		indices, values := m.Row(i)
		for k, j := range indices {
			row[j] = float64(values[k])
		}
	}
	return x
}

// constantName is the name of the column that WithConstant appends.
const constantName = "(constant)"

// WithConstant returns the data set with one more column, the last, which has the value in every
// row: the intercept, or bias, of a linear model, whose weight is regularized like others. Training
// data and data for predictions both need it; features.Scaling with a Constant adds it to all data.
func (d *Dataset) WithConstant(value float32) *Dataset {
	s := *d.given()
	s.X = d.X.WithConstant(value)
	if s.Vocabulary = s.X.Vocabulary; d.Vocabulary != nil && s.Vocabulary == nil {
		s.Vocabulary = append(slices.Clip(d.Vocabulary), constantName)
	}
	return &s
}

// WithConstant returns the matrix with one more column, the last, which has the value in every row.
func (m *Matrix) WithConstant(value float32) *Matrix {
	x := &Matrix{
		Rows: m.Rows, Cols: m.Cols + 1,
		Indptr:  make([]int, 1, m.Rows+1),
		Indices: make([]int32, 0, len(m.Indices)+m.Rows),
		Values:  make([]float32, 0, len(m.Values)+m.Rows),
	}
	for i := range m.Rows {
		indices, values := m.Row(i)
		x.Indices = append(append(x.Indices, indices...), int32(m.Cols))
		x.Values = append(append(x.Values, values...), value)
		x.Indptr = append(x.Indptr, len(x.Values))
	}
	if m.Vocabulary != nil {
		x.Vocabulary = append(slices.Clip(m.Vocabulary), constantName)
	}
	return x
}
