package dataset

import "fmt"

// Check returns an error if the parts of the data set do not fit together, so that it cannot be
// written.
func (d *Dataset) Check() error {
	switch {
	case d == nil || d.Taxonomy == nil || d.X == nil:
		return fmt.Errorf("dataset: the data set is nil, or has no taxonomy or no matrix; there is nothing to write")
	case d.X.Rows != len(d.Labels) || len(d.X.Indptr) != d.X.Rows+1 || len(d.X.Indices) != len(d.X.Values):
		return fmt.Errorf("dataset: %s has %d label sets for a matrix of %d rows, %d offsets, %d indices and %d values; they do not fit together",
			d.Name, len(d.Labels), d.X.Rows, len(d.X.Indptr), len(d.X.Indices), len(d.X.Values))
	case d.X.Indptr[d.X.Rows] != len(d.X.Values):
		return fmt.Errorf("dataset: %s: the rows of the matrix end at entry %d of %d", d.Name, d.X.Indptr[d.X.Rows], len(d.X.Values))
	}
	if err := d.fits(); err != nil {
		return err
	}
	if d.Weights != nil {
		if err := checkWeights(d.Name, d.Weights, d.X.Rows); err != nil {
			return err
		}
	}
	for i := range d.X.Rows {
		if lo, hi := d.X.Indptr[i], d.X.Indptr[i+1]; lo < 0 || hi < lo || hi > len(d.X.Values) {
			return fmt.Errorf("dataset: %s: row %d of the matrix would have the entries %d to %d; Indptr must ascend", d.Name, i, lo, hi)
		}
	}
	return nil
}
