package files

import (
	"context"
	"errors"
	"io"
	"iter"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// source reads the instances of a file.
type source interface {
	// next reads an instance, whose columns and values it may keep for the next. At the end it
	// returns io.EOF, and errLeftOut where an instance is left out.
	next(in *dataset.Instance) error
	// columns returns how many columns the instances read need.
	columns() int
	// fraction returns about how much was read, or 0.
	fraction() float64
	// empty returns the error of a file without instances.
	empty() error
}

// readAll builds a data set of all instances of the source. If faults are repaired, a file that
// cannot be decompressed to its end counts as ending there.
func readAll(name string, t *taxonomy.Taxonomy, repair *Faults, s source) (*dataset.Dataset, error) {
	var b dataset.Builder
	var in dataset.Instance
	for {
		err := nextInstance(s, repair, &in)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		b.Fraction = s.fraction()
		b.Add(in)
	}
	if b.Len() == 0 {
		return nil, s.empty()
	}
	return b.Dataset(name, t, s.columns()), nil
}

// readLabelled is readAll where the labeler finds the labels, and the taxonomy may grow of them.
func readLabelled(ctx context.Context, name string, l *labeler, s source) (*dataset.Dataset, error) {
	d, err := readAll(name, nil, l.repair, s)
	if err != nil {
		return nil, err
	}
	var nodesOf func([]int) []int
	if d.Taxonomy, nodesOf, err = l.grown(name); err != nil {
		return nil, err
	}
	l.note(ctx, name)
	if nodesOf == nil {
		return d, nil
	}
	specific := make(map[*int][]int) // rows may share their labels
	for i, nodes := range d.Labels {
		if len(nodes) == 0 {
			continue
		}
		first := &nodes[0]
		if _, done := specific[first]; !done {
			specific[first] = nodesOf(nodes)
		}
		d.Labels[i] = specific[first]
	}
	return d, nil
}

// nextInstance reads the next instance that is not left out.
func nextInstance(s source, repair *Faults, in *dataset.Instance) error {
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

// streamAll yields the instances of the source that open returns for r. Each loop starts at the
// position of r at the call if r can seek, otherwise where the previous loop stopped reading.
func streamAll(ctx context.Context, r io.Reader, repair *Faults, open func(r io.Reader) (source, error)) iter.Seq2[dataset.Instance, error] {
	rewind := func() error { return nil }
	if seeker, ok := r.(io.Seeker); ok {
		if start, err := seeker.Seek(0, io.SeekCurrent); err == nil {
			rewind = func() error {
				_, err := seeker.Seek(start, io.SeekStart)
				return err
			}
		}
	}
	return func(yield func(dataset.Instance, error) bool) {
		err := rewind()
		var s source
		if err == nil {
			s, err = open(r)
		}
		if err != nil {
			yield(dataset.Instance{}, err)
			return
		}
		var in dataset.Instance
		any := false
		for {
			if err = ctx.Err(); err == nil {
				err = nextInstance(s, repair, &in)
			}
			if errors.Is(err, io.EOF) {
				if !any {
					yield(dataset.Instance{}, s.empty())
				}
				return
			}
			if err != nil {
				yield(dataset.Instance{}, err)
				return
			}
			any = true
			if !yield(in, nil) {
				return
			}
		}
	}
}
