package files

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"iter"
	"math"
	"strconv"
	"strings"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/textfile"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// writeInstances writes a line for each instance, made by line, which appends to what it is given.
// The context is looked at once in a while.
func writeInstances(ctx context.Context, w io.Writer, instances iter.Seq2[dataset.Instance, error], line func(buf []byte, row int, in dataset.Instance) ([]byte, error)) error {
	out := bufio.NewWriterSize(w, 1<<16)
	var buf []byte
	row := 0
	for in, err := range instances {
		const often = 256
		if err == nil && row%often == 0 {
			err = ctx.Err()
		}
		if err == nil {
			buf, err = line(buf[:0], row, in)
		}
		if err != nil {
			return err
		}
		if _, err := out.Write(append(buf, '\n')); err != nil {
			return fmt.Errorf("files: writing row %d: %w", row, err)
		}
		row++
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("files: writing: %w", err)
	}
	return nil
}

// labelWriter writes the names of nodes in formats where not every name can stand.
type labelWriter struct {
	taxonomy  *taxonomy.Taxonomy
	separator string
	forbidden string // characters that no name may have
	checked   map[int]bool
}

// append appends the names of the nodes.
func (l *labelWriter) append(buf []byte, row int, nodes []int) ([]byte, error) {
	for k, n := range nodes {
		name, err := l.name(row, n)
		if err != nil {
			return buf, err
		}
		if k > 0 {
			buf = append(buf, l.separator...)
		}
		buf = append(buf, name...)
	}
	return buf, nil
}

// name returns the name of a label if it can be written.
func (l *labelWriter) name(row, n int) (string, error) {
	if n < 0 || n >= l.taxonomy.Len() {
		return "", fmt.Errorf("files: row %d has label %d; nodes are 0 to %d", row, n, l.taxonomy.Len()-1)
	}
	name := l.taxonomy.LabelName(n)
	if l.checked[n] {
		return name, nil
	}
	if at := strings.IndexAny(name, l.forbidden); at >= 0 {
		return "", fmt.Errorf("files: row %d has label %s, which cannot be written in this format because of its %q; rename it, or use another format",
			row, textfile.Quote(name), name[at])
	}
	if l.checked == nil {
		l.checked = make(map[int]bool)
	}
	l.checked[n] = true
	return name, nil
}

// appendFeatures appends " index:value" for every feature, indices counting from base.
func appendFeatures(buf []byte, row, base int, in dataset.Instance) ([]byte, error) {
	previous := int32(-1)
	for k, column := range in.Columns {
		v := in.Values[k]
		switch {
		case column <= previous:
			return buf, fmt.Errorf("files: row %d has column %d after %d; expected columns ascending from 0", row, column, previous)
		case math.IsNaN(float64(v)) || math.IsInf(float64(v), 0):
			return buf, fmt.Errorf("files: row %d has %v in column %d; expected finite values", row, v, column)
		}
		previous = column
		buf = append(buf, ' ')
		buf = strconv.AppendInt(buf, int64(column)+int64(base), 10)
		buf = append(buf, ':')
		buf = strconv.AppendFloat(buf, float64(v), 'g', -1, 32)
	}
	return buf, nil
}
