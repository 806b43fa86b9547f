package features

import (
	"fmt"
	"slices"

	"github.com/hierml/notebook/hierml/dataset"
)

// occurring are the columns of training data that have an entry, where there are so many others
// that nothing is kept of them; see dataset.Matrix.Occurring. Fitted values are by their
// positions.
type occurring struct {
	all     int     // columns of the data
	columns []int32 // ascending; nil where values are kept of all columns
}

// occurringIn returns the columns of training data, and the data over those that values are kept
// of.
func occurringIn(x *dataset.Matrix) (*dataset.Matrix, occurring) {
	narrow, columns := x.Occurring()
	return narrow, occurring{x.Cols, columns}
}

// find returns the position of a column, -1 where nothing is kept of it.
func (o occurring) find(column int32) int {
	if o.columns == nil {
		return int(column)
	}
	if k, ok := slices.BinarySearch(o.columns, column); ok {
		return k
	}
	return -1
}

// column returns the column at a position.
func (o occurring) column(k int) int32 {
	if o.columns == nil {
		return int32(k)
	}
	return o.columns[k]
}

// of returns the number of columns for a file, 0 in one with values of all.
func (o occurring) of() int {
	if o.columns == nil {
		return 0
	}
	return o.all
}

// header returns the header of a file, whose version is an older one where values are kept of all
// columns.
func (o occurring) header(h header, older int) header {
	if o.columns == nil {
		h.Version = older
	}
	return h
}

// readOccurring returns the columns that so many values are of, as a file has them: of all
// columns, or of those that occur of a number.
func readOccurring(of int, columns []int32, values int) (occurring, error) {
	if of == 0 && columns == nil {
		return occurring{all: values}, nil
	}
	if len(columns) != values || of > maxColumns {
		return occurring{}, fmt.Errorf("%d values of %d columns that occur, of %d", values, len(columns), of)
	}
	for k, j := range columns {
		if j < 0 || int(j) >= of || k > 0 && columns[k-1] >= j {
			return occurring{}, fmt.Errorf("column %d occurs of %d; expected columns that are there, ascending", j, of)
		}
	}
	return occurring{of, columns}, nil
}

// maxColumns is the most that a matrix can have.
const maxColumns = 1 << 31
