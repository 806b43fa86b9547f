package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/textfile"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// SVMLight reads and writes instances, one per line:
//
//	label[,label...] index:value index:value ... # comment
//
// A label is the name of a node, which must not contain blanks or commas; its ancestors are implied
// and may be listed or not. A line that begins with a blank, or with a feature, is an instance
// without labels. Indices must ascend. Values are finite decimal numbers within the range of a
// float32; zeros are not stored. Empty lines and lines with only a comment are skipped.
//
// The zero value reads files whose indices count from 1, as in SVMlight and LIBSVM. In files of
// scikit-learn's dump_svmlight_file they count from 0 by default. If these have a comment that says
// so, it is followed; otherwise set ZeroBased. Without it, an index 0 is a fault.
//
// The taxonomy may be nil: then it is made from the labels. Instances needs one.
type SVMLight struct {
	// Columns is the number of columns of the matrix; a larger index is a fault. If 0, the largest
	// index determines it, which differs from file to file: read test data with SVMLight{Columns:
	// train.X.Cols}.
	Columns int

	// ZeroBased says that indices count from 0. It is an error if a comment of scikit-learn says
	// that they count from 1.
	ZeroBased bool

	// Header says that the first line has the numbers of instances, features and labels, as the
	// files of the extreme classification repository do, which also count from 0.
	Header bool

	// PathSeparator separates the levels of labels if the taxonomy is made from them, as in Table.
	// If empty, it is detected; "none" makes a flat taxonomy.
	PathSeparator string

	// Repair, if not nil, repairs faults and counts the repairs. If nil, the first fault is an
	// error.
	Repair *Faults
}

// ReadSVMLight reads a file with the zero value of SVMLight.
func ReadSVMLight(r io.Reader, name string, t *taxonomy.Taxonomy) (*dataset.Dataset, error) {
	return SVMLight{}.Read(context.Background(), r, name, t)
}

// Read reads all instances.
func (s SVMLight) Read(ctx context.Context, r io.Reader, name string, t *taxonomy.Taxonomy) (*dataset.Dataset, error) {
	src, err := s.open(ctx, r, name, t)
	if err != nil {
		return nil, err
	}
	return readLabelled(ctx, name, &src.labels.labeler, src)
}

// Instances yields one instance after the other, from a file that need not fit into memory. After
// an error the loop ends. Another loop starts from the beginning if r is an io.Seeker, as files
// are.
func (s SVMLight) Instances(ctx context.Context, r io.Reader, name string, t *taxonomy.Taxonomy) iter.Seq2[dataset.Instance, error] {
	return streamAll(ctx, r, s.Repair, func(r io.Reader) (source, error) {
		if t == nil {
			return nil, errNoTaxonomy(name)
		}
		return s.open(ctx, r, name, t)
	})
}

func (s SVMLight) open(ctx context.Context, r io.Reader, name string, t *taxonomy.Taxonomy) (*svmlightSource, error) {
	lines, err := openLines(ctx, r, name)
	if err != nil {
		return nil, err
	}
	p := &svmlightSource{Lines: lines, repair: s.Repair}
	p.labels = labelFields{labeler: labeler{taxonomy: t, written: pathsOf("SVMLight", s.PathSeparator), repair: s.Repair, errorf: lines.Errorf}}
	p.features = featureParser{lines: lines, repair: s.Repair, base: 1, limit: s.Columns, cols: s.Columns, format: "SVMLight"}
	if p.zeroBased = s.ZeroBased; s.ZeroBased {
		p.features.base = 0
	}
	if s.Header {
		if err := p.readHeader(); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// svmlightSource reads the instances of a file.
type svmlightSource struct {
	*textfile.Lines
	repair   *Faults
	labels   labelFields
	features featureParser

	zeroBased bool // whether it was set
	header    bool
	promised  int // instances, by the header
	found     int
}

// readHeader reads the numbers of instances, features and labels.
func (p *svmlightSource) readHeader() error {
	line, err := p.Next()
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	fields := strings.Fields(string(line))
	var counts [3]int
	ok := len(fields) == len(counts)
	for k := 0; ok && k < len(counts); k++ {
		counts[k], err = strconv.Atoi(fields[k])
		ok = err == nil && counts[k] >= 0 && counts[k] <= math.MaxInt32
	}
	if !ok {
		return p.Errorf(1, "%s is not a header; expected the numbers of instances, features and labels", textfile.Quote(string(line)))
	}
	p.header, p.promised = true, counts[0]
	if p.features.limit == 0 {
		p.features.limit, p.features.cols, p.features.told = counts[1], counts[1], true
	}
	return nil
}

func (p *svmlightSource) columns() int      { return p.features.cols }
func (p *svmlightSource) fraction() float64 { return p.Fraction() }

func (p *svmlightSource) empty() error {
	return &SyntaxError{File: p.Name(), Line: 1, Msg: "no instances; expected lines of label[,label...] index:value ..."}
}

func (p *svmlightSource) next(in *dataset.Instance) error {
	for {
		line, err := p.Next()
		if errors.Is(err, io.EOF) && p.header && p.found != p.promised {
			promised := p.promised
			p.promised = p.found
			if err := report(p.repair, faultCount, &SyntaxError{File: p.Name(), Line: 1, Column: 1,
				Msg: fmt.Sprintf("the header says %d instances, but the file has %d; copy the file again, or correct the header", promised, p.found)}); err != nil {
				return err
			}
		}
		if err != nil {
			return err
		}
		if i := bytes.IndexByte(line, '#'); i >= 0 {
			if i == 0 && p.found == 0 {
				if err := p.comment(string(bytes.TrimSpace(line[1:]))); err != nil {
					return err
				}
			}
			line = line[:i]
		}
		if at := skipSpace(line, 0); at < len(line) {
			p.found++
			if p.found == 1 && !p.header && isSVMLightHeader(line) {
				return report(p.repair, faultUnreadable, p.Errorf(1, "%s is not an instance; if it is a header with the numbers of instances, features and labels, read with SVMLight{Header: true, ZeroBased: true}", textfile.Quote(string(line))))
			}
			return p.parse(line, at, in)
		}
	}
}

// comment follows the comment in which scikit-learn says how indices count.
func (p *svmlightSource) comment(text string) error {
	switch text {
	case "Column indices are zero-based":
		p.features.base = 0
	case "Column indices are one-based":
		if p.zeroBased {
			return p.Errorf(1, "the file says that its indices count from 1; read without SVMLight{ZeroBased: true}")
		}
	}
	return nil
}

// isSVMLightHeader reports whether a line has three counts in place of an instance.
func isSVMLightHeader(line []byte) bool {
	fields := bytes.Fields(line)
	return len(fields) == 3 && !slices.ContainsFunc(fields, func(f []byte) bool { return len(bytes.Trim(f, "0123456789")) > 0 })
}

// parse reads the instance of a line, whose first field begins at the position.
func (p *svmlightSource) parse(line []byte, at int, in *dataset.Instance) error {
	in.Labels = nil
	if at > 0 {
		if bytes.IndexByte(field(line, at), ':') < 0 {
			return report(p.repair, faultUnreadable, p.Errorf(1, "the line begins with a space; expected a label"))
		}
		return p.features.parse(line, at, in)
	}
	if isFeature(field(line, 0)) && !hasNode(p.labels.taxonomy, string(field(line, 0))) {
		p.labels.skip("begin with a feature instead of a label")
		return p.features.parse(line, 0, in)
	}
	end := fieldEnd(line, 0)
	labels, err := p.labels.parse(line[:end])
	if err != nil {
		return err
	}
	in.Labels = labels
	return p.features.parse(line, end, in)
}

// isFeature reports whether a field is index:value.
func isFeature(field []byte) bool {
	colon := bytes.IndexByte(field, ':')
	if colon < 1 || len(bytes.Trim(field[:colon], "0123456789")) > 0 {
		return false
	}
	_, end, ok := parseFloat(field, colon+1)
	return ok && end == len(field)
}

// labelFields finds the nodes of comma-separated fields of labels, and caches recent results.
type labelFields struct {
	labeler
	known map[string][]int
}

// parse returns the nodes of the field with which a line begins.
func (l *labelFields) parse(field []byte) ([]int, error) {
	labels, ok := l.known[string(field)]
	if ok {
		return labels, nil
	}
	// Fields with a repair are not cached, so that each is counted.
	before := l.repair.Total()
	labels, err := l.find(string(field))
	if err != nil || l.repair.Total() != before {
		return labels, err
	}
	const most = 1 << 16
	if l.known == nil || len(l.known) == most {
		l.known = make(map[string][]int)
	}
	l.known[string(field)] = labels
	return labels, nil
}

func (l *labelFields) find(field string) ([]int, error) {
	if before, value, ok := strings.Cut(field, ":"); ok && !strings.Contains(before, ",") && !hasNode(l.taxonomy, field) {
		if _, end, ok := parseFloat([]byte(value), 0); ok && end == len(value) {
			return nil, report(l.repair, faultUnreadable, l.errorf(1, "the line begins with %s, which is a label and a feature in one; expected a blank between them", textfile.Quote(field)))
		}
	}
	var nodes []int
	column := 1
	for label := range strings.SplitSeq(field, ",") {
		var err error
		if label == "" && column > len(field) {
			if err = report(l.repair, faultEmptyLabel, l.errorf(column, "no label follows the comma; write labels without blanks between them, such as 1,2")); err != nil {
				return nil, err
			}
			continue
		}
		if nodes, err = l.add(nodes, label, column); err != nil {
			return nil, err
		}
		column += len(label) + 1
	}
	return l.finish(nodes, true)
}
