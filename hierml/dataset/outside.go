package dataset

import "fmt"

// A noRow is what methods panic with that are asked about a row which is not there, or about no
// matrix at all. It is worded when somebody reads it, so that the methods stay small.
type noRow struct {
	m   *Matrix
	row int
}

func (e noRow) Error() string {
	switch {
	case e.m == nil:
		return "dataset: there is no matrix: it is nil"
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

// A noData is what methods panic with, and functions fail with, that are given no data set.
type noData struct{}

func (noData) Error() string {
	return "dataset: there is no data set: it is nil, as the result of a function that returned an error is"
}

// given returns d. It panics if there is none.
func (d *Dataset) given() *Dataset {
	if d == nil {
		panic(noData{})
	}
	return d
}
