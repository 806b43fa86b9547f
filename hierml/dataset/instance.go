package dataset

import (
	"context"
	"errors"
	"io"
	"iter"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// Instance is one row of a data set: its labels, and the columns and values of its features that are not
// zero, the columns ascending. Where it comes from a loop over instances, the columns and values are valid
// until the next; the labels stay.
type Instance struct {
	Labels  []int
	Columns []int32
	Values  []float32
}

// Instances gives the instances in the order of the rows, for what learns from one after the other and can
// also read them from a file: SVMLight.Instances, LSHTC.Instances. There is never an error.
func (d *Dataset) Instances() iter.Seq2[Instance, error] {
	return func(yield func(Instance, error) bool) {
		for i, labels := range d.Labels {
			columns, values := d.X.Row(i)
			if !yield(Instance{Labels: labels, Columns: columns, Values: values}, nil) {
				return
			}
		}
	}
}

// Collect makes a data set of the instances. It has as many columns as the largest that is not zero, or as
// many as are given where that is more.
func Collect(name string, t *taxonomy.Taxonomy, columns int, instances iter.Seq2[Instance, error]) (*Dataset, error) {
	b := newRows()
	for in, err := range instances {
		if err != nil {
			return nil, err
		}
		b.add(in, 0)
	}
	return b.dataset(name, t, columns), nil
}

// source reads the instances of a file.
type source interface {
	// next reads an instance, whose columns and values it may keep for the next. At the end it returns io.EOF,
	// and errLeftOut where an instance is left out.
	next(in *Instance) error
	// columns returns how many columns the instances read need.
	columns() int
	// fraction returns about how much was read, or 0.
	fraction() float64
	// empty returns the error of a file without instances.
	empty() error
}

// readAll makes a data set of all instances of the source. Where faults are repaired, a file that cannot be
// decompressed to its end counts as ending there.
func readAll(name string, t *taxonomy.Taxonomy, repair *Faults, s source) (*Dataset, error) {
	b := newRows()
	var in Instance
	for {
		err := nextInstance(s, repair, &in)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		b.add(in, s.fraction())
	}
	if len(b.labels) == 0 {
		return nil, s.empty()
	}
	return b.dataset(name, t, s.columns()), nil
}

// nextInstance reads the next instance that is not left out.
func nextInstance(s source, repair *Faults, in *Instance) error {
	for {
		err := s.next(in)
		if isCut(err) {
			if err = report(repair, faultCut, err); err == nil {
				err = io.EOF
			}
		}
		if !errors.Is(err, errLeftOut) {
			return err
		}
	}
}

// streamAll gives the instances of what open makes of r, one after the other. A loop after the first begins
// where r stood at the call, if r can go there, and where the one before it stopped reading otherwise.
func streamAll(ctx context.Context, r io.Reader, repair *Faults, open func(r io.Reader) (source, error)) iter.Seq2[Instance, error] {
	rewind := func() error { return nil }
	if seeker, ok := r.(io.Seeker); ok {
		if start, err := seeker.Seek(0, io.SeekCurrent); err == nil {
			rewind = func() error {
				_, err := seeker.Seek(start, io.SeekStart)
				return err
			}
		}
	}
	return func(yield func(Instance, error) bool) {
		err := rewind()
		var s source
		if err == nil {
			s, err = open(r)
		}
		if err != nil {
			yield(Instance{}, err)
			return
		}
		var in Instance
		any := false
		for {
			if err = ctx.Err(); err == nil {
				err = nextInstance(s, repair, &in)
			}
			if errors.Is(err, io.EOF) {
				if !any {
					yield(Instance{}, s.empty())
				}
				return
			}
			if err != nil {
				yield(Instance{}, err)
				return
			}
			any = true
			if !yield(in, nil) {
				return
			}
		}
	}
}

// rows collects instances.
type rows struct {
	x      *Matrix
	labels [][]int
}

func newRows() *rows { return &rows{x: &Matrix{Indptr: []int{0}}} }

// add adds an instance. The fraction is about how much of all was read, or 0.
func (b *rows) add(in Instance, fraction float64) {
	b.reserve(len(in.Values), fraction)
	b.x.Indices = append(b.x.Indices, in.Columns...)
	b.x.Values = append(b.x.Values, in.Values...)
	b.x.Indptr = append(b.x.Indptr, len(b.x.Values))
	b.labels = append(b.labels, in.Labels)
	if n := len(in.Columns); n > 0 {
		b.x.Cols = max(b.x.Cols, int(in.Columns[n-1])+1)
	}
}

// reserve makes room for further entries. Once enough was read to tell from it how many there will be, it
// makes room for all, so that the largest part of the matrix is never held twice.
func (b *rows) reserve(further int, fraction float64) {
	n := len(b.x.Values)
	if cap(b.x.Values)-n >= further && cap(b.x.Indices)-n >= further {
		return
	}
	const sample = 1 << 20 // entries
	size := max(2*n, 1024)
	if n >= sample {
		size = n + n/4
		if fraction > 0 {
			size = max(int(1.05*float64(n)/fraction), n)
		}
	}
	size += further
	columns, values := make([]int32, n, size), make([]float32, n, size)
	copy(columns, b.x.Indices)
	copy(values, b.x.Values)
	b.x.Indices, b.x.Values = columns, values
}

func (b *rows) dataset(name string, t *taxonomy.Taxonomy, columns int) *Dataset {
	b.x.Rows = len(b.labels)
	b.x.Cols = max(b.x.Cols, columns)
	return &Dataset{Name: name, Taxonomy: t, X: b.x, Labels: b.labels}
}
