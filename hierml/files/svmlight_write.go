package files

import (
	"context"
	"fmt"
	"io"
	"iter"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Write writes the data set so that Read, with the same settings, returns the same; the number of
// columns only with Columns or Header. A label whose name has a blank, a comma or '#' cannot be
// written and is an error.
func (s SVMLight) Write(ctx context.Context, w io.Writer, d *dataset.Dataset) error {
	if err := d.Check(); err != nil {
		return err
	}
	if s.Header {
		if _, err := fmt.Fprintf(w, "%d %d %d\n", d.Len(), d.X.Cols, d.Taxonomy.Len()); err != nil {
			return fmt.Errorf("files: writing the header: %w", err)
		}
		s.Header = false
	}
	return s.WriteInstances(ctx, w, d.Taxonomy, d.Instances())
}

// WriteInstances writes one instance after the other. It cannot write a header, because it does not
// know their number.
func (s SVMLight) WriteInstances(ctx context.Context, w io.Writer, t *taxonomy.Taxonomy, instances iter.Seq2[dataset.Instance, error]) error {
	if t == nil {
		return errNoTaxonomy("files: writing instances")
	}
	if s.Header {
		return fmt.Errorf("files: instances cannot be written one by one with a header, because it has their number; use Write")
	}
	base := 1
	if s.ZeroBased {
		base = 0
	}
	labels := labelWriter{taxonomy: t, separator: ",", forbidden: " ,#\t\r\n"}
	return writeInstances(ctx, w, instances, func(buf []byte, row int, in dataset.Instance) ([]byte, error) {
		if len(in.Labels) == 0 && len(in.Columns) == 0 {
			return fmt.Appendf(buf, " %d:0", base), nil // an empty line is no instance
		}
		buf, err := labels.append(buf, row, in.Labels)
		if err != nil {
			return buf, err
		}
		return appendFeatures(buf, row, base, in)
	})
}
