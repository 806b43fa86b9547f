package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/hierml/notebook/hierml/internal/textfile"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// ReadSVMLight reads instances, one a line:
//
//	label[,label...] index:value index:value ... # comment
//
// A label is the name of a node of t, which therefore has neither spaces nor commas; ancestors of a
// label are implied and may be there or not. Indices count from 1 and ascend; column j of the matrix
// is index j+1. Values are finite decimal numbers within the range of a float32; zeros are not stored.
// Lines that are empty or only comment are skipped. The file may be compressed by gzip. A line has at
// most 64 MiB.
//
// The matrix has as many columns as the largest index. The name stands for the file in errors, which
// are a *SyntaxError for a line that is not as described. With an error, nothing is returned.
func ReadSVMLight(r io.Reader, name string, t *taxonomy.Taxonomy) (*Dataset, error) {
	return readSVMLight(r, name, t, 0)
}

// readSVMLight is ReadSVMLight for a file that may have no index above columns, unless that is zero.
func readSVMLight(r io.Reader, name string, t *taxonomy.Taxonomy, columns int) (*Dataset, error) {
	if t == nil {
		return nil, fmt.Errorf("%s: no taxonomy given; labels are names of its nodes", name)
	}
	lines, err := textfile.NewLines(r, name, syntaxError)
	if err != nil {
		return nil, err
	}
	p := &svmlightParser{Lines: lines, taxonomy: t, maxIndex: columns, known: make(map[string][]int)}
	p.x.Indptr = []int{0}
	for {
		line, err := lines.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = p.parse(line)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(p.labels) == 0 {
		return nil, &SyntaxError{File: name, Line: 1, Msg: "no instances; expected lines of label[,label...] index:value ..."}
	}
	p.x.Rows = len(p.labels)
	p.x.Cols = max(p.x.Cols, columns)
	return &Dataset{Name: name, Taxonomy: t, X: &p.x, Labels: p.labels}, nil
}

// svmlightParser collects the instances of a file.
type svmlightParser struct {
	*textfile.Lines
	taxonomy *taxonomy.Taxonomy
	maxIndex int              // or 0
	known    map[string][]int // label fields that were seen, and their nodes
	x        Matrix
	labels   [][]int
}

// parse adds the instance of one line.
func (p *svmlightParser) parse(line []byte) error {
	if i := bytes.IndexByte(line, '#'); i >= 0 {
		line = line[:i]
	}
	at := skipSpace(line, 0)
	if at == len(line) {
		return nil
	}
	if at > 0 {
		return p.Errorf(1, "the line begins with a space; expected a label")
	}
	end := fieldEnd(line, 0)
	labels, ok := p.known[string(line[:end])]
	if !ok {
		var err error
		if labels, err = p.parseLabels(string(line[:end])); err != nil {
			return err
		}
		p.known[string(line[:end])] = labels
	}
	const shortest = len(" 1:1")
	p.reserve(len(line)/shortest + 1)
	n := len(p.x.Values)
	columns, values := p.x.Indices[:cap(p.x.Indices)], p.x.Values[:cap(p.x.Values)]
	previous := 0
	for at = skipSpace(line, end); at < len(line); at = skipSpace(line, at) {
		start := at
		index := 0
		for at < len(line) && line[at]-'0' <= 9 {
			if index = index*10 + int(line[at]-'0'); index > math.MaxInt32 {
				return p.Errorf(start+1, "feature index %s is too large; the largest is %d", quote(string(field(line, start))), math.MaxInt32)
			}
			at++
		}
		switch {
		case at == start || at == len(line) || line[at] != ':':
			return p.Errorf(start+1, "%s is not index:value, such as 12:0.5", quote(string(field(line, start))))
		case index == 0:
			return p.Errorf(start+1, "feature index 0; indices count from 1")
		case index == previous:
			return p.Errorf(start+1, "feature %d is given twice", index)
		case index < previous:
			return p.Errorf(start+1, "feature %d stands after feature %d; expected ascending indices", index, previous)
		case p.maxIndex > 0 && index > p.maxIndex:
			return p.Errorf(start+1, "feature %d, but the vocabulary has %d words", index, p.maxIndex)
		}
		previous = index
		at++
		value, next, ok := parseFloat(line, at)
		if !ok {
			return p.Errorf(at+1, "%s is not a value; expected a finite decimal number within the range of a float32",
				quote(string(field(line, at))))
		}
		at = next
		if value != 0 {
			columns[n], values[n] = int32(index-1), value
			n++
		}
	}
	p.x.Indices, p.x.Values = columns[:n], values[:n]
	p.x.Cols = max(p.x.Cols, previous)
	p.x.Indptr = append(p.x.Indptr, len(p.x.Values))
	p.labels = append(p.labels, labels)
	return nil
}

// reserve makes room for further entries. Once enough was read to tell from it how many there will be, it
// makes room for all, so that the largest part of the matrix is never held twice.
func (p *svmlightParser) reserve(further int) {
	n := len(p.x.Values)
	if cap(p.x.Values)-n >= further && cap(p.x.Indices)-n >= further {
		return
	}
	const sample = 1 << 20 // entries
	size := max(2*n, 1024)
	if n >= sample {
		size = n + n/4
		if fraction := p.Fraction(); fraction > 0 {
			size = int(1.05 * float64(n) / fraction)
		}
	}
	size += further
	columns, values := make([]int32, n, size), make([]float32, n, size)
	copy(columns, p.x.Indices)
	copy(values, p.x.Values)
	p.x.Indices, p.x.Values = columns, values
}

// parseLabels returns the nodes of the field with which a line begins.
func (p *svmlightParser) parseLabels(field string) ([]int, error) {
	if strings.Contains(field, ":") {
		if _, ok := p.taxonomy.Node(field); !ok {
			_, value, _ := strings.Cut(field, ":")
			if _, end, ok := parseFloat([]byte(value), 0); ok && end == len(value) {
				return nil, p.Errorf(1, "the line begins with feature %s; expected a label before the features", quote(field))
			}
		}
	}
	var nodes []int
	column := 1
	for label := range strings.SplitSeq(field, ",") {
		n, ok := p.taxonomy.Node(label)
		if label == "" {
			return nil, p.Errorf(column, "an empty label; expected names separated by one comma")
		}
		if !ok {
			return nil, p.Errorf(column, "%s", unknownLabel(p.taxonomy, label))
		}
		for _, m := range nodes {
			if m == n {
				return nil, p.Errorf(column, "label %s is given twice", quote(label))
			}
		}
		nodes = append(nodes, n)
		column += len(label) + 1
	}
	return mostSpecific(p.taxonomy, nodes), nil
}

// skipSpace returns the position of the next byte, from at, that is no blank.
func skipSpace(line []byte, at int) int {
	for at < len(line) && (line[at] == ' ' || line[at] == '\t' || line[at] == '\r') {
		at++
	}
	return at
}

// fieldEnd returns the position of the next blank, from at, or the end.
func fieldEnd(line []byte, at int) int {
	for at < len(line) && line[at] != ' ' && line[at] != '\t' && line[at] != '\r' {
		at++
	}
	return at
}

func field(line []byte, at int) []byte { return line[at:fieldEnd(line, at)] }
