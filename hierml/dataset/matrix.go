package dataset

import (
	"fmt"
	"slices"
)

// Matrix is a sparse matrix in compressed rows. Row i has the entries Indptr[i] to Indptr[i+1] of
// Indices and Values; the indices of a row are columns, 0 to Cols-1, ascending without repetition.
type Matrix struct {
	Rows, Cols int
	Indptr     []int // Rows+1 offsets, the first 0
	Indices    []int32
	Values     []float32

	// Vocabulary names the columns, or is nil where they have no names. Matrices share it: it must
	// not be modified. Models compare it with that of their training data, see CheckVocabulary.
	Vocabulary []string
}

// Row returns the entries of row i: columns and their values. The slices are parts of the matrix.
func (m *Matrix) Row(i int) (indices []int32, values []float32) {
	m.mustHave(i)
	lo, hi := m.Indptr[i], m.Indptr[i+1]
	return m.Indices[lo:hi:hi], m.Values[lo:hi:hi]
}

// NonZeros returns the number of stored entries.
func (m *Matrix) NonZeros() int { return len(m.Values) }

// Transposed returns a new matrix with the rows as columns. The columns have no names.
func (m *Matrix) Transposed() *Matrix {
	if m == nil {
		panic(noRow{})
	}
	t := &Matrix{
		Rows: m.Cols, Cols: m.Rows,
		Indptr:  make([]int, m.Cols+1),
		Indices: make([]int32, len(m.Indices)),
		Values:  make([]float32, len(m.Values)),
	}
	for _, j := range m.Indices {
		t.Indptr[j+1]++
	}
	for j := range m.Cols {
		t.Indptr[j+1] += t.Indptr[j]
	}
	next := slices.Clone(t.Indptr[:m.Cols])
	for i := range m.Rows {
		indices, values := m.Row(i)
		for k, j := range indices {
			t.Indices[next[j]], t.Values[next[j]] = int32(i), values[k]
			next[j]++
		}
	}
	return t
}

// Subset returns a new matrix with the given rows, in that order. A row may be given more than
// once.
func (m *Matrix) Subset(rows []int) *Matrix {
	total := 0
	if m == nil {
		panic(noRow{})
	}
	for _, r := range rows {
		m.mustHave(r)
		total += m.Indptr[r+1] - m.Indptr[r]
	}
	s := &Matrix{
		Rows: len(rows), Cols: m.Cols,
		Indptr:  make([]int, 1, len(rows)+1),
		Indices: make([]int32, 0, total),
		Values:  make([]float32, 0, total),

		Vocabulary: m.Vocabulary,
	}
	for _, r := range rows {
		indices, values := m.Row(r)
		s.Indices = append(s.Indices, indices...)
		s.Values = append(s.Values, values...)
		s.Indptr = append(s.Indptr, len(s.Values))
	}
	return s
}

// Occurring returns the matrix over the columns that have an entry, and those, ascending: column k
// of the matrix returned is column columns[k] of this one. What takes memory by the column is to
// use it. Where there are few columns, or not many more than entries, it returns the matrix itself
// and nil.
func (m *Matrix) Occurring() (narrow *Matrix, columns []int32) {
	if m.Cols <= 1<<16 || m.Cols/4 <= len(m.Indices) {
		return m, nil
	}
	columns = slices.Clone(m.Indices)
	slices.Sort(columns)
	columns = slices.Clip(slices.Compact(columns))
	n := *m
	n.Cols, n.Indices = len(columns), make([]int32, len(m.Indices))
	for k, j := range m.Indices {
		at, _ := slices.BinarySearch(columns, j)
		n.Indices[k] = int32(at)
	}
	if m.Vocabulary != nil {
		n.Vocabulary = make([]string, len(columns))
		for k, j := range columns {
			n.Vocabulary[k] = m.Vocabulary[j]
		}
	}
	return &n, columns
}

func (m *Matrix) String() string {
	if m.Rows == 0 {
		return fmt.Sprintf("sparse matrix, 0 x %d", m.Cols)
	}
	return fmt.Sprintf("sparse matrix, %d x %d, %d entries (%.1f a row)",
		m.Rows, m.Cols, m.NonZeros(), float64(m.NonZeros())/float64(m.Rows))
}

// A noRow is what methods panic with that are asked about a row which is not there, or about no
// matrix at all. It is worded when somebody reads it, so that the methods stay small.
type noRow struct {
	m   *Matrix
	row int
}

func (e noRow) Error() string {
	switch {
	case e.m == nil:
		return "dataset: the matrix is nil"
	case e.m.Rows == 0:
		return fmt.Sprintf("dataset: there is no row %d; the matrix has no rows", e.row)
	}
	return fmt.Sprintf("dataset: there is no row %d; the matrix has the rows 0 to %d", e.row, e.m.Rows-1)
}

// mustHave panics if there is no row i.
func (m *Matrix) mustHave(i int) {
	if m == nil || i < 0 || i+1 >= len(m.Indptr) {
		panic(noRow{m, i})
	}
}

// Len returns the number of rows. It panics if there is no matrix.
func (m *Matrix) Len() int {
	if m == nil {
		panic(noRow{})
	}
	return m.Rows
}
