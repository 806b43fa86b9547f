package files

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/describe"
	"github.com/hierml/notebook/hierml/internal/textfile"
)

// arffGap is a missing value of a row: the attribute, and where the ? stands.
type arffGap struct{ attribute, at int }

// arffMissing is a missing value of a feature.
type arffMissing struct{ row, attribute int }

// arffLost counts the missing values of a file that nothing was set for.
type arffLost struct {
	count      []int // by attribute
	attributes int
	first      arffGap
	line       int // of the first
}

// weigh reads Weka's weight of an instance, {2}, if it stands at the position.
func (p *arffSource) weigh(line []byte, at int) (found bool, err error) {
	if at = skipSpace(line, at); at == len(line) || line[at] != '{' {
		return false, nil
	}
	if p.stream {
		return true, p.Errorf(at+1, "rows read one by one have no weights; read the file with ARFF.Read, or remove the weights")
	}
	text := bytes.TrimSpace(line[at:])
	if text[len(text)-1] == '}' {
		w, err := strconv.ParseFloat(string(bytes.TrimSpace(text[1:len(text)-1])), 64)
		if err == nil && w >= 0 && !math.IsInf(w, 1) {
			p.weight = w
			return true, nil
		}
	}
	return true, p.features.fault(faultUnreadable, at, "%s is not a weight of the instance; expected a number, not negative, in braces, such as {2}", textfile.Quote(string(text)))
}

// keepWeight adds the weight of a row to those of the ones before.
func (p *arffSource) keepWeight() {
	if p.weights == nil {
		if p.weight == 1 {
			return
		}
		p.weights = slices.Repeat([]float64{1}, p.kept)
	}
	p.weights = append(p.weights, p.weight)
}

// finish finds the labels of a row with label attributes, and handles missing values as set.
func (p *arffSource) finish(in *dataset.Instance) error {
	if p.header.labels > 0 {
		var err error
		if in.Labels, err = p.labels.finish(p.nodes, len(p.nodes) > 0); err != nil {
			return err
		}
	}
	for _, gap := range p.gaps {
		a := &p.header.attributes[gap.attribute]
		if a.kind == arffLabel && !p.some {
			continue // a row without labels
		}
		switch {
		case p.settings.Missing == "" && p.features.repair != nil:
			if err := p.features.fault(faultMissing, gap.at, "the value of attribute %s is missing", textfile.Quote(a.name)); err != nil {
				return err
			}
		case p.settings.Missing == "" && p.stream:
			return p.Errorf(gap.at+1, "the value of attribute %s is missing; %s", textfile.Quote(a.name), arffAdvice)
		case p.settings.Missing == "":
			p.lose(gap)
		case p.settings.Missing == "zero" || a.kind == arffLabel:
		case p.means == nil:
			p.missing = append(p.missing, arffMissing{p.kept, gap.attribute})
		default:
			for k := range a.width() {
				if mean := float32(p.means[a.column+k]); mean != 0 {
					p.add(a.column+k, mean, in)
				}
			}
		}
	}
	return nil
}

// arffAdvice is the advice for missing values.
const arffAdvice = `set ARFF{Missing: "mean"} to use the mean of the others (with Means: train.X, that of the training data), or ARFF{Missing: "zero"} to use zero`

// lose counts a missing value that nothing was set for.
func (p *arffSource) lose(gap arffGap) {
	if p.lost == nil {
		p.lost = &arffLost{count: make([]int, len(p.header.attributes)), first: gap, line: p.Line()}
	}
	if p.lost.count[gap.attribute]++; p.lost.count[gap.attribute] == 1 {
		p.lost.attributes++
	}
}

// fill puts the means of the file into the data set, or returns the error for missing values if
// Missing is empty.
func (p *arffSource) fill(d *dataset.Dataset) error {
	if lost := p.lost; lost != nil {
		more, a := "", lost.first.attribute
		if lost.attributes > 1 {
			more = ", and some of " + describe.Count(lost.attributes-1, "other attribute", "other attributes")
		}
		return p.File.Errorf(lost.line, lost.first.at+1, "%d of %d values of attribute %s are missing%s; %s", lost.count[a], d.Len(), textfile.Quote(p.header.attributes[a].name), more, arffAdvice)
	}
	if len(p.missing) == 0 {
		return nil
	}
	means := columnSums(d.X)
	known := make([]int, len(p.header.attributes))
	for i := range known {
		known[i] = d.X.Rows
	}
	for _, m := range p.missing {
		known[m.attribute]--
	}
	for i, a := range p.header.attributes {
		for k := range a.width() {
			if known[i] == 0 {
				return p.File.Errorf(p.Line(), 0, `attribute %s has no value in any row; leave it out, or set ARFF{Missing: "zero"} to take all missing values as zero`, textfile.Quote(a.name))
			}
			means[a.column+k] /= float64(known[i])
		}
	}
	d.X = p.filled(d.X, means)
	return nil
}

// filled returns the matrix with the means in place of missing values, which are in the order of
// their rows, and of their attributes in nearly all.
func (p *arffSource) filled(x *dataset.Matrix, means []float64) *dataset.Matrix {
	full := &dataset.Matrix{Rows: x.Rows, Cols: x.Cols, Vocabulary: x.Vocabulary, Indptr: make([]int, 1, x.Rows+1)}
	missing := p.missing
	for i := range x.Rows {
		columns, values := x.Row(i)
		full.Indices, full.Values = append(full.Indices, columns...), append(full.Values, values...)
		in := dataset.Instance{Columns: full.Indices[full.Indptr[i]:], Values: full.Values[full.Indptr[i]:]}
		for ; len(missing) > 0 && missing[0].row == i; missing = missing[1:] {
			a := &p.header.attributes[missing[0].attribute]
			for k := range a.width() {
				if mean := float32(means[a.column+k]); mean != 0 {
					in.Columns, in.Values = append(in.Columns, int32(a.column+k)), append(in.Values, mean)
				}
			}
		}
		if len(in.Columns) > len(columns) {
			sort.Sort(byColumn{&in})
		}
		full.Indices, full.Values = append(full.Indices[:full.Indptr[i]], in.Columns...), append(full.Values[:full.Indptr[i]], in.Values...)
		full.Indptr = append(full.Indptr, len(full.Values))
	}
	return full
}

// columnSums returns the sum of each column.
func columnSums(x *dataset.Matrix) []float64 {
	sums := make([]float64, x.Cols)
	for k, j := range x.Indices {
		sums[j] += float64(x.Values[k])
	}
	return sums
}

// meansOf returns the means of the columns of training data, which have the columns of the header.
func (h *arffHeader) meansOf(train *dataset.Matrix) ([]float64, error) {
	if train.Cols != len(h.columns) || train.Rows == 0 {
		return nil, fmt.Errorf("files: ARFF{Means: …} has %d columns and %d rows, and the attributes of the file have %d columns", train.Cols, train.Rows, len(h.columns))
	}
	if err := train.CheckVocabulary(h.columns); err != nil {
		return nil, fmt.Errorf("files: ARFF{Means: …}: %w", err)
	}
	means := columnSums(train)
	for j := range means {
		means[j] /= float64(train.Rows)
	}
	return means, nil
}
