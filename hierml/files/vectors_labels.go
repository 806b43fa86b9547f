package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/describe"
	"github.com/hierml/notebook/hierml/internal/textfile"
	"github.com/hierml/notebook/hierml/progress"
)

// label gives the rows their labels, and the data set its taxonomy.
func (v *vectorFile) label(ctx context.Context, d *dataset.Dataset) error {
	l := &labeler{taxonomy: d.Taxonomy, written: pathsOf("Vectors", v.PathSeparator)}
	var err error
	table := v.Table.Label != "" || len(v.Table.Levels) > 0
	switch name := orElse(v.LabelArray, "y"); {
	case table && v.Labels == "":
		return v.errorf("Vectors{Table: …} has columns of labels, but Vectors{Labels: …} does not name the file")
	case v.Labels != "" && v.LabelArray != "":
		return v.errorf("both Vectors{Labels: %q} and {LabelArray: %q} have labels; set one", v.Labels, v.LabelArray)
	case table:
		return v.tableLabels(ctx, d)
	case v.Labels != "":
		err = v.fileLabels(ctx, l, d)
	case slices.Contains(v.names, name) && (v.LabelArray != "" || name != v.Array):
		if v.LabelArray == "" {
			progress.Note(ctx, fmt.Sprintf("%s: the labels are those of array %s. To take others, set Vectors{LabelArray: …} to another array, or Vectors{Labels: …} to a file.", v.name, name))
		}
		err = v.with(name, func(a *array) error { return v.arrayLabels(a, l, d) })
	case v.LabelArray != "":
		return v.errorf("no array named %s (found: %s)", textfile.Quote(v.LabelArray), v.shapes())
	case d.Taxonomy == nil:
		return v.errorf(`neither labels nor a taxonomy; name a file of labels, as in Vectors{Labels: "labels.txt"}, or give the taxonomy of the training data to read rows without labels`)
	default:
		d.Labels = make([][]int, d.X.Rows)
		return nil
	}
	if err != nil {
		return err
	}
	var nodesOf func([]int) []int
	if d.Taxonomy, nodesOf, err = l.grown(v.name); err != nil || nodesOf == nil {
		return err
	}
	for i, nodes := range d.Labels {
		if nodes != nil {
			d.Labels[i] = nodesOf(nodes)
		}
	}
	l.note(ctx, v.name)
	return nil
}

// add adds the label of the next row, which has none if it is empty. Rows have one label, so that
// nodes are in their most specific form.
func (v *vectorFile) add(l *labeler, d *dataset.Dataset, label string) error {
	if len(d.Labels) == d.X.Rows {
		return l.errorf(0, "there are more labels than the %s of %s", describe.Count(d.X.Rows, "row", "rows"), v.name)
	}
	if label == "" {
		d.Labels = append(d.Labels, nil)
		return nil
	}
	nodes, err := l.add(nil, label, 0)
	d.Labels = append(d.Labels, nodes)
	return err
}

// enough returns the error of too few labels.
func (v *vectorFile) enough(l *labeler, d *dataset.Dataset) error {
	if len(d.Labels) < d.X.Rows {
		return l.errorf(0, "there are %s, but %s has %s", describe.Count(len(d.Labels), "label", "labels"), v.name, describe.Count(d.X.Rows, "row", "rows"))
	}
	return nil
}

// arrayLabels reads an array of labels.
func (v *vectorFile) arrayLabels(a *array, l *labeler, d *dataset.Dataset) error {
	l.errorf = func(_ int, format string, args ...any) error {
		return a.errorf("%s: %s", a.called(), fmt.Sprintf(format, args...))
	}
	if len(a.shape) != 1 {
		return a.errorf("%s has the shape %s; expected one label for each row: whole numbers or strings", a.called(), describeShape(a.shape))
	}
	if err := a.elements(func(element []byte) error {
		label, err := a.label(element)
		if err != nil {
			return err
		}
		return v.add(l, d, strings.TrimSpace(label))
	}); err != nil {
		return err
	}
	return v.enough(l, d)
}

// fileLabels reads a file with a label in each line, or an array.
func (v *vectorFile) fileLabels(ctx context.Context, l *labeler, d *dataset.Dataset) (err error) {
	f, err := os.Open(v.Labels)
	if err != nil {
		return fmt.Errorf("files: %w", err)
	}
	defer func() {
		if closed := f.Close(); err == nil && closed != nil {
			err = fmt.Errorf("files: %w", closed)
		}
	}()
	head := make([]byte, len(numpyMagic))
	if n, err := f.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("files: %w", err)
	} else if string(head[:n]) == numpyMagic {
		labels, err := openVectors(ctx, f, v.Labels)
		if err != nil {
			return err
		}
		return labels.with("", func(a *array) error { return v.arrayLabels(a, l, d) })
	}
	lines, err := openLines(ctx, f, v.Labels)
	if err != nil {
		return err
	}
	l.errorf = lines.Errorf
	if err := eachLine(lines, nil, func(line []byte) error { return v.add(l, d, strings.TrimSpace(string(line))) }); err != nil {
		return err
	}
	return v.enough(l, d)
}

// tableLabels reads the labels of a table.
func (v *vectorFile) tableLabels(ctx context.Context, d *dataset.Dataset) error {
	s := v.Table
	s.Repair = nil
	t, err := s.Open(ctx, v.Labels, d.Taxonomy)
	if err != nil {
		return err
	}
	if t.Len() != d.X.Rows {
		return syntaxError(v.Labels, 1, 0, fmt.Sprintf("there are %s, but %s has %s", describe.Count(t.Len(), "row", "rows"), v.name, describe.Count(d.X.Rows, "row", "rows")), nil)
	}
	if t.Labels == nil {
		return syntaxError(v.Labels, 1, 0, "no row has a label; leave Vectors{Labels: …} empty to read rows without labels", nil)
	}
	d.Taxonomy, d.Labels = t.Taxonomy, t.Labels
	return nil
}
