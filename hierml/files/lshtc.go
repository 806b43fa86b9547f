package files

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/textfile"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// LSHTC reads and writes the instances of the challenges on large scale hierarchical text
// classification (2009 to 2014, the last at Kaggle), one per line:
//
//	category[, category...] feature:value feature:value ...
//
// Categories are names of nodes, which are numbers in the files of the challenges; taxonomy.Edges
// reads their hierarchies. There may be blanks next to the commas. Features are numbers from 0, in
// any order; feature j is column j. The category 0, if it is alone and not a node, means that an
// instance has no labels, as in test files; so does a line that begins with a feature. A first line
// of one word, as Kaggle's files have it, is skipped, and so are empty lines.
//
// The taxonomy may be nil: then it is made from the labels. Instances needs one.
type LSHTC struct {
	// Columns is the number of columns of the matrix; a larger feature is a fault. If 0, the
	// largest feature determines it, which differs from file to file: read test data with
	// LSHTC{Columns: train.X.Cols}.
	Columns int

	// PathSeparator separates the levels of labels if the taxonomy is made from them, as in Table.
	// If empty, it is detected; "none" makes a flat taxonomy.
	PathSeparator string

	// Repair, if not nil, repairs faults and counts the repairs. If nil, the first fault is an
	// error.
	Repair *Faults
}

// Read reads all instances.
func (s LSHTC) Read(ctx context.Context, r io.Reader, name string, t *taxonomy.Taxonomy) (*dataset.Dataset, error) {
	src, err := s.open(ctx, r, name, t)
	if err != nil {
		return nil, err
	}
	return readLabelled(ctx, name, &src.labeler, src)
}

// Instances yields one instance after the other, like SVMLight.Instances.
func (s LSHTC) Instances(ctx context.Context, r io.Reader, name string, t *taxonomy.Taxonomy) iter.Seq2[dataset.Instance, error] {
	return streamAll(ctx, r, s.Repair, func(r io.Reader) (source, error) {
		if t == nil {
			return nil, errNoTaxonomy(name)
		}
		return s.open(ctx, r, name, t)
	})
}

// Write writes the data set so that Read returns the same; the number of columns only with Columns.
// A label whose name has a blank, a comma or a colon cannot be written and is an error.
func (s LSHTC) Write(ctx context.Context, w io.Writer, d *dataset.Dataset) error {
	if err := d.Check(); err != nil {
		return err
	}
	return s.WriteInstances(ctx, w, d.Taxonomy, d.Instances())
}

// WriteInstances writes one instance after the other.
func (s LSHTC) WriteInstances(ctx context.Context, w io.Writer, t *taxonomy.Taxonomy, instances iter.Seq2[dataset.Instance, error]) error {
	if t == nil {
		return errNoTaxonomy("files: writing instances")
	}
	_, zero := t.Node("0")
	labels := labelWriter{taxonomy: t, separator: ",", forbidden: " ,:\t\r\n"}
	return writeInstances(ctx, w, instances, func(buf []byte, row int, in dataset.Instance) ([]byte, error) {
		if len(in.Labels) == 0 {
			if zero {
				return buf, fmt.Errorf("files: row %d has no labels, which this format writes as category 0, but 0 is the name of a node; rename the node", row)
			}
			return appendFeatures(append(buf, '0'), row, 0, in)
		}
		buf, err := labels.append(buf, row, in.Labels)
		if err != nil {
			return buf, err
		}
		return appendFeatures(buf, row, 0, in)
	})
}

func (s LSHTC) open(ctx context.Context, r io.Reader, name string, t *taxonomy.Taxonomy) (*lshtcSource, error) {
	lines, err := openLines(ctx, r, name)
	if err != nil {
		return nil, err
	}
	p := &lshtcSource{Lines: lines, labeler: labeler{taxonomy: t, written: pathsOf("LSHTC", s.PathSeparator), repair: s.Repair, errorf: lines.Errorf}}
	p.features = featureParser{lines: lines, repair: s.Repair, limit: s.Columns, cols: s.Columns, anyOrder: true, format: "LSHTC"}
	p.zero = hasNode(t, "0")
	return p, nil
}

// lshtcSource reads the instances of a file.
type lshtcSource struct {
	*textfile.Lines
	labeler
	features featureParser
	zero     bool // whether 0 is a node
}

func (p *lshtcSource) columns() int      { return p.features.cols }
func (p *lshtcSource) fraction() float64 { return p.Fraction() }

func (p *lshtcSource) empty() error {
	return &SyntaxError{File: p.Name(), Line: 1, Msg: "no instances; expected lines of category[, category...] feature:value ..."}
}

func (p *lshtcSource) next(in *dataset.Instance) error {
	for {
		line, err := p.Next()
		if err != nil {
			return err
		}
		at := skipSpace(line, 0)
		if at == len(line) || p.Line() == 1 && p.isTitle(line) {
			continue
		}
		features := firstFeature(line)
		if in.Labels, err = p.categories(line, at, features); err != nil {
			return err
		}
		return p.features.parse(line, features, in)
	}
}

// isTitle reports whether the line is the title of a column, not an instance.
func (p *lshtcSource) isTitle(line []byte) bool {
	word := bytes.TrimSpace(line)
	if bytes.ContainsAny(word, ":, \t0123456789") {
		return false
	}
	return !hasNode(p.taxonomy, string(word))
}

// firstFeature returns where the first field with a colon begins, or the line's end.
func firstFeature(line []byte) int {
	colon := bytes.IndexByte(line, ':')
	if colon < 0 {
		return len(line)
	}
	for colon > 0 && line[colon-1] != ' ' && line[colon-1] != '\t' && line[colon-1] != ',' {
		colon--
	}
	return colon
}

// categories returns the nodes that stand in the line between two positions, of which the first
// is no blank.
func (p *lshtcSource) categories(line []byte, at, end int) ([]int, error) {
	if at >= end {
		p.skip("begin with a feature instead of a category")
		return nil, nil
	}
	if !p.zero && string(bytes.TrimSpace(line[at:end])) == "0" {
		return nil, nil
	}
	var nodes []int
	for more := true; more; {
		stop := end
		if comma := bytes.IndexByte(line[at:end], ','); comma >= 0 {
			stop = at + comma
		} else {
			more = false
		}
		at = min(skipSpace(line, at), stop)
		label := bytes.TrimRight(line[at:stop], " \t\r")
		var err error
		if nodes, err = p.add(nodes, string(label), at+1); err != nil {
			return nil, err
		}
		at = stop + 1
	}
	return p.finish(nodes, true)
}
