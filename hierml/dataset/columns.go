package dataset

import (
	"fmt"
	"slices"

	"github.com/hierml/notebook/hierml/internal/textfile"
)

// checkColumns reports columns that are not ascending numbers of a matrix with so many columns.
func checkColumns(columns []int, cols int) error {
	for k, j := range columns {
		if j < 0 || j >= cols {
			return fmt.Errorf("dataset: there is no column %d; the matrix has the columns 0 to %d", j, cols-1)
		}
		if k > 0 && columns[k-1] >= j {
			return fmt.Errorf("dataset: column %d is given after column %d; give each once, ascending", j, columns[k-1])
		}
	}
	return nil
}

// Columns returns the data set with some of its columns, which are given ascending.
func (d *Dataset) Columns(columns []int) (*Dataset, error) {
	if d == nil {
		return nil, noData{}
	}
	if err := checkColumns(columns, d.X.Cols); err != nil {
		return nil, err
	}
	s := *d
	if d.Vocabulary != nil {
		s.Vocabulary = make([]string, len(columns))
	}
	for k, j := range columns {
		if d.Vocabulary != nil {
			s.Vocabulary[k] = d.Vocabulary[j]
		}
	}
	const few = 1 << 20 // whose new columns are tabulated
	var table []int32
	if d.X.Cols <= few {
		table = make([]int32, d.X.Cols)
		for k, j := range columns {
			table[j] = int32(k) + 1
		}
	}
	to := make([]int32, len(d.X.Indices)) // of the entries, from 1; 0 of those left out
	total := 0
	for k, j := range d.X.Indices {
		if table != nil {
			to[k] = table[j]
		} else if at, ok := slices.BinarySearch(columns, int(j)); ok {
			to[k] = int32(at) + 1
		}
		if to[k] > 0 {
			total++
		}
	}
	x := &Matrix{
		Rows: d.X.Rows, Cols: len(columns),
		Indptr:  make([]int, 1, d.X.Rows+1),
		Indices: make([]int32, 0, total),
		Values:  make([]float32, 0, total),

		Vocabulary: s.Vocabulary,
	}
	for i := range d.X.Rows {
		for k := d.X.Indptr[i]; k < d.X.Indptr[i+1]; k++ {
			if to[k] > 0 {
				x.Indices = append(x.Indices, to[k]-1)
				x.Values = append(x.Values, d.X.Values[k])
			}
		}
		x.Indptr = append(x.Indptr, len(x.Values))
	}
	s.X = x
	return &s, nil
}

// ColumnsNamed returns the data set with the columns of the given names, in the order in which they
// stand in it. It is an error if a name is missing from the vocabulary or stands there twice.
func (d *Dataset) ColumnsNamed(names ...string) (*Dataset, error) {
	if d == nil {
		return nil, noData{}
	}
	if d.Vocabulary == nil {
		return nil, fmt.Errorf("dataset: the columns of %q have no names", d.Name)
	}
	wanted := make(map[string]int, len(names))
	for _, name := range names {
		wanted[name] = -1
	}
	var columns []int
	for j, name := range d.Vocabulary {
		before, ok := wanted[name]
		if !ok {
			continue
		}
		if before >= 0 {
			return nil, fmt.Errorf("dataset: the columns %d and %d of %q have both the name %s; choose them by number, with Columns", before, j, d.Name, textfile.Quote(name))
		}
		wanted[name] = j
		columns = append(columns, j)
	}
	for _, name := range names {
		if wanted[name] < 0 {
			return nil, fmt.Errorf("dataset: %q has no column %s%s", d.Name, textfile.Quote(name), similarName(name, d.Vocabulary))
		}
	}
	return d.Columns(columns)
}

// similarName returns some of the names there are, for an error message.
func similarName(name string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	at, _ := slices.BinarySearch(names, name)
	return fmt.Sprintf("; there are %d, such as %s", len(names), textfile.Quote(names[min(at, len(names)-1)]))
}
