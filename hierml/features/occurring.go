package features

import (
	"fmt"
	"slices"

	"github.com/hierml/notebook/hierml/dataset"
)

// occurring has the columns of training data with an entry, if there are too many other columns to
// store values for them; see dataset.Matrix.Occurring. Fitted values are indexed by their
// positions.
type occurring struct {
	all     int     // columns of the data
	columns []int32 // ascending; nil if values are stored for all columns
}

// occurringIn returns the occurring columns of training data, and the data restricted to the
// columns with stored values.
func occurringIn(x *dataset.Matrix) (*dataset.Matrix, occurring) {
	narrow, columns := x.Occurring()
	return narrow, occurring{x.Cols, columns}
}

// find returns the position of a column, -1 if no values are stored for it.
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

// of returns the number of columns for a file, 0 if values are stored for all.
func (o occurring) of() int {
	if o.columns == nil {
		return 0
	}
	return o.all
}

// header returns the header of a file. Its version is an older one if values are stored for all
// columns.
func (o occurring) header(h header, older int) header {
	if o.columns == nil {
		h.Version = older
	}
	return h
}

// readOccurring returns the columns that the values of a file belong to: all columns, or the
// occurring ones.
func readOccurring(of int, columns []int32, values int) (occurring, error) {
	if of == 0 && columns == nil {
		return occurring{all: values}, nil
	}
	if len(columns) != values || of > maxColumns {
		return occurring{}, fmt.Errorf("%d values of %d columns that occur, of %d", values, len(columns), of)
	}
	for k, j := range columns {
		if j < 0 || int(j) >= of || k > 0 && columns[k-1] >= j {
			return occurring{}, fmt.Errorf("column %d of %d is listed as occurring; expected existing columns, ascending", j, of)
		}
	}
	return occurring{of, columns}, nil
}

// maxColumns is the most that a matrix can have.
const maxColumns = 1 << 31
