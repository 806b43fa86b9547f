package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/textfile"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// ARFF reads Weka files with three kinds of labels, and writes the first: the hierarchical classes
// of Clus,
//
//	@relation cellcycle
//	@attribute cln3 numeric
//	@attribute phase {G1, S, 'G2/M'}
//	@attribute class hierarchical 01/01,01/02,02
//	@data
//	0.24,S,01/02@02
//	{0 0.24, 1 S, 2 01/02@02}
//
// Classes are the paths of a tree, which are the names of its nodes, or the edges parent/child of a
// graph, where root is not a node. The labels of a row are separated by @, and ? means none.
//
// In multi-label files of MULAN and MEKA, each label is an attribute {0,1}. MULAN lists them in an
// XML file, see Labels; nested labels there are children. In MEKA files the relation has a name
// such as 'music: -C 6': the first six attributes are labels, or the last six for -6. A row in
// which all of them are missing has no labels.
//
// A numeric attribute becomes one column. A nominal attribute becomes an indicator column
// name=value for each value, or a single column if the values are 0 and 1. Strings, dates and keys
// are not read. Missing values, ?, are an error unless Missing is set. Rows may be sparse, in
// braces, with attributes counted from 0; as in Weka, a nominal attribute left out of a sparse row
// has its first value. {2} after a row is its weight, for Dataset.Weights; for Instances it is an
// error, because single instances have no weights. New rows may lack the label attributes if a
// taxonomy is given.
type ARFF struct {
	// Hierarchy is "tree" if classes are paths, "graph" if they are edges, and empty to detect it:
	// they are edges if all have two parts, and one begins at root or continues another.
	Hierarchy string

	// Class is the nominal attribute whose values are the labels, in files without a hierarchical
	// attribute.
	Class string

	// Labels is the XML file in which MULAN lists the label attributes.
	Labels string

	// Missing is the replacement of a missing value: "mean", the mean of the attribute's other
	// values, as in Clus (for a nominal attribute, the shares of its values), or "zero". A label
	// that is missing while others are present then counts as absent. If empty, missing values are
	// an error that counts them, or a fault.
	Missing string

	// Means is the training data whose means replace missing values in other files with the same
	// attributes, if Missing is "mean". If nil, the means are those of the file itself. Instances
	// needs it.
	Means *dataset.Matrix

	// Dense writes rows that are not sparse.
	Dense bool

	// Repair, if not nil, repairs faults and counts the repairs. If nil, the first fault is an
	// error.
	Repair *Faults
}

// Read reads all instances. If the taxonomy is nil, the one of the file is used.
func (s ARFF) Read(ctx context.Context, r io.Reader, name string, t *taxonomy.Taxonomy) (*dataset.Dataset, error) {
	src, err := s.open(ctx, r, name, t)
	if err != nil {
		return nil, err
	}
	d, err := readAll(name, src.labels.taxonomy, s.Repair, src)
	if err != nil {
		return nil, err
	}
	d.Vocabulary, d.X.Vocabulary, d.Weights = src.header.columns, src.header.columns, src.weights
	if err := src.fill(d); err != nil {
		return nil, err
	}
	if src.header.class < 0 && src.header.labels == 0 {
		progress.Note(ctx, name+": no attribute has labels, so the rows have none. To read labels, name their attributes with ARFF{Class: …} or ARFF{Labels: …}.")
	}
	return d, nil
}

// Instances yields one instance after the other, like SVMLight.Instances. It needs a taxonomy.
func (s ARFF) Instances(ctx context.Context, r io.Reader, name string, t *taxonomy.Taxonomy) iter.Seq2[dataset.Instance, error] {
	return streamAll(ctx, r, s.Repair, func(r io.Reader) (source, error) {
		if t == nil {
			return nil, errNoTaxonomy(name)
		}
		if s.Missing == "mean" && s.Means == nil {
			return nil, fmt.Errorf(`%s: rows read one by one have no means; set ARFF{Missing: "mean", Means: train.X} to use those of the training data`, name)
		}
		p, err := s.open(ctx, r, name, t)
		if err == nil {
			p.stream = true
		}
		return p, err
	})
}

func (s ARFF) open(ctx context.Context, r io.Reader, name string, t *taxonomy.Taxonomy) (*arffSource, error) {
	if s.Hierarchy != "" && s.Hierarchy != "tree" && s.Hierarchy != "graph" {
		return nil, fmt.Errorf(`dataset: %q is not a form of hierarchies; expected "tree", "graph" or nothing`, s.Hierarchy)
	}
	lines, err := openLines(ctx, r, name)
	if err != nil {
		return nil, err
	}
	if s.Missing != "" && s.Missing != "mean" && s.Missing != "zero" {
		return nil, fmt.Errorf(`files: ARFF.Missing is %q; expected ARFF{Missing: "mean"} or "zero"`, s.Missing)
	}
	header, err := readARFFHeader(ctx, lines, s, t != nil)
	if err != nil {
		return nil, err
	}
	if t == nil {
		t = header.taxonomy
	}
	p := &arffSource{Lines: lines, header: header, nominal: header.nominal(), settings: s}
	if s.Missing == "mean" && s.Means != nil {
		if p.means, err = header.meansOf(s.Means); err != nil {
			return nil, err
		}
	}
	p.labels = labeler{taxonomy: t, repair: s.Repair, errorf: lines.Errorf}
	p.features = featureParser{lines: lines, repair: s.Repair}
	return p, nil
}

// arffSource reads the rows of a file.
type arffSource struct {
	*textfile.Lines
	header   *arffHeader
	labels   labeler
	features featureParser
	nominal  []int // attributes
	rows     int   // read
	given    []int // the last sparse row that had the attribute
	unsorted bool

	nodes []int // labels of the row, of attributes that are labels
	some  bool  // whether one of these is known

	settings ARFF
	stream   bool
	means    []float64     // of the columns, where they are given
	gaps     []arffGap     // of the row
	missing  []arffMissing // of all rows
	kept     int           // rows
	weight   float64       // of the row
	weights  []float64     // of all rows, nil where all are 1
	lost     *arffLost
}

func (p *arffSource) columns() int      { return len(p.header.columns) }
func (p *arffSource) fraction() float64 { return p.Fraction() }

func (p *arffSource) empty() error {
	return &SyntaxError{File: p.Name(), Line: p.Line(), Msg: "no rows after @data"}
}

func (p *arffSource) next(in *dataset.Instance) error {
	for {
		line, err := p.Next()
		if err != nil {
			return err
		}
		at := skipSpace(line, 0)
		if at == len(line) || line[at] == '%' {
			continue
		}
		in.Labels, in.Columns, in.Values = nil, in.Columns[:0], in.Values[:0]
		p.unsorted, p.nodes, p.some, p.gaps, p.weight = false, nil, false, p.gaps[:0], 1
		if line[at] == '{' {
			err = p.sparse(line, at+1, in)
		} else {
			err = p.dense(line, at, in)
		}
		if err == nil {
			err = p.finish(in)
		}
		if err == nil && p.unsorted {
			err = p.features.sort(in)
		}
		if err == nil && len(in.Values) == 0 && p.features.repair != nil {
			err = p.features.fault(faultEmptyRow, -1, "the instance has no features")
		}
		if err == nil {
			p.keepWeight()
			p.kept++
		}
		return err
	}
}

// dense reads a value for each attribute.
func (p *arffSource) dense(line []byte, at int, in *dataset.Instance) error {
	attributes := len(p.header.attributes)
	for i := range attributes {
		start := skipSpace(line, at)
		value, end, ok := arffWord(line, start, ",")
		if end = skipSpace(line, end); !ok || end < len(line) && line[end] != ',' {
			return p.features.fault(faultUnreadable, start, "a quotation does not end before the next comma")
		}
		if i+1 < attributes && end == len(line) {
			return p.features.fault(faultUnreadable, end, "the row has %d values; expected %d, one for each attribute", i+1, attributes)
		}
		if err := p.value(i, value, start, line, in); err != nil {
			return err
		}
		at = end + 1
	}
	if at <= len(line) {
		if found, err := p.weigh(line, at); found || err != nil {
			return err
		}
		return p.features.fault(faultUnreadable, at-1, "the row has more values than the %d attributes", attributes)
	}
	return nil
}

// sparse reads the values that stand behind a brace with the numbers of their attributes.
func (p *arffSource) sparse(line []byte, at int, in *dataset.Instance) error {
	if p.rows++; p.given == nil {
		p.given = make([]int, len(p.header.attributes))
	}
	previous := -1
	for at = skipSpace(line, at); at < len(line) && line[at] != '}'; at = skipSpace(line, at) {
		start := at
		number := field(line, at)
		i, err := strconv.Atoi(string(number))
		if err != nil || i < 0 {
			return p.features.fault(faultUnreadable, start, "%s is not the number of an attribute; expected {number value, ...}", textfile.Quote(string(number)))
		}
		if i >= len(p.header.attributes) {
			return p.features.fault(faultUnreadable, start, "there is no attribute %d; the last of the %d is %d", i, len(p.header.attributes), len(p.header.attributes)-1)
		}
		if p.given[i] == p.rows {
			return p.features.fault(faultUnreadable, start, "attribute %d is given twice", i)
		}
		if i < previous {
			if err := p.features.fault(faultOrder, start, "attribute %d comes after attribute %d; expected ascending numbers", i, previous); err != nil {
				return err
			}
		}
		p.given[i], previous = p.rows, i
		valueAt := skipSpace(line, start+len(number))
		value, end, ok := arffWord(line, valueAt, ",}")
		if end = skipSpace(line, end); !ok || end == len(line) || line[end] != ',' && line[end] != '}' {
			return p.features.fault(faultUnreadable, start, "the row does not end; expected {number value, ...}")
		}
		if err := p.value(i, value, valueAt, line, in); err != nil {
			return err
		}
		if at = end; line[end] == ',' {
			at++
		}
	}
	weighed := false
	if at < len(line) {
		if next := skipSpace(line, at+1); next < len(line) && line[next] == ',' {
			var err error
			if weighed, err = p.weigh(line, next+1); err != nil {
				return err
			}
		}
	}
	if at == len(line) || !weighed && len(bytes.TrimSpace(line[at+1:])) > 0 {
		return p.features.fault(faultUnreadable, at, "the row does not end with a brace; expected {number value, ...}")
	}
	for _, i := range p.nominal {
		if p.given[i] != p.rows {
			p.add(p.header.attributes[i].column, 1, in)
		}
	}
	return nil
}

// add adds a value that is not zero. The values of a row come in the order of its attributes,
// nearly always.
func (p *arffSource) add(column int, value float32, in *dataset.Instance) {
	if n := len(in.Columns); n > 0 && int(in.Columns[n-1]) >= column {
		p.unsorted = true
	}
	in.Columns, in.Values = append(in.Columns, int32(column)), append(in.Values, value)
}

// value adds the value of an attribute, which begins at the position.
func (p *arffSource) value(i int, value string, at int, line []byte, in *dataset.Instance) error {
	a := &p.header.attributes[i]
	if a.kind == arffIgnored {
		return nil
	}
	if value == "?" && at < len(line) && line[at] == '?' {
		if a.kind != arffClass {
			p.gaps = append(p.gaps, arffGap{i, at})
		}
		return nil
	}
	switch a.kind {
	case arffClass:
		return p.classes(value, at, in)
	case arffNumeric:
		number, end, ok := parseFloat([]byte(value), 0)
		if !ok || end != len(value) {
			return p.features.badValue(value, at)
		}
		if number != 0 {
			p.add(a.column, number, in)
		}
		return nil
	}
	position, ok := a.values[value]
	switch {
	case !ok:
		return p.features.fault(faultUnknownValue, at, "%s is not a value of attribute %s", textfile.Quote(value), textfile.Quote(a.name))
	case a.kind == arffLabel:
		p.some = true
		if position == 1 {
			var err error
			p.nodes, err = p.labels.add(p.nodes, a.name, at+1)
			return err
		}
	case a.kind == arffNominal:
		p.add(a.column+position, 1, in)
	case position == 1:
		p.add(a.column, 1, in)
	}
	return nil
}

// classes finds the labels of a row.
func (p *arffSource) classes(value string, at int, in *dataset.Instance) error {
	if value == "" {
		return nil
	}
	var nodes []int
	for label := range strings.SplitSeq(value, "@") {
		var err error
		if nodes, err = p.labels.add(nodes, label, at+1); err != nil {
			return err
		}
		at += len(label) + 1
	}
	labels, err := p.labels.finish(nodes, true)
	if err != nil {
		return err
	}
	in.Labels = labels
	return nil
}

// Write writes the data set so that Read returns the same. The classes are paths if these are the
// names of the nodes, otherwise edges. It returns an error for names of nodes that have another
// meaning in the format.
func (s ARFF) Write(ctx context.Context, w io.Writer, d *dataset.Dataset) error {
	if err := d.Check(); err != nil {
		return err
	}
	if d.X.Cols > maxARFFColumns {
		return fmt.Errorf("files: %s has %d columns, and an ARFF file can have at most %d, because a line describes each; use SVMLight", d.Name, d.X.Cols, maxARFFColumns)
	}
	names := d.Vocabulary
	if names == nil {
		for j := range d.X.Cols {
			names = append(names, "x"+strconv.Itoa(j+1))
		}
	}
	if len(names) < d.X.Cols {
		return fmt.Errorf("files: %s has %d names for %d columns", d.Name, len(names), d.X.Cols)
	}
	classes, err := s.classList(d.Taxonomy)
	if err != nil {
		return err
	}
	if err := writeARFFHeader(w, d, names[:d.X.Cols], classes); err != nil {
		return fmt.Errorf("files: writing the header: %w", err)
	}
	labels := labelWriter{taxonomy: d.Taxonomy, separator: "@", forbidden: arffForbidden}
	return writeInstances(ctx, w, d.Instances(), func(buf []byte, row int, in dataset.Instance) ([]byte, error) {
		if buf, err = s.appendValues(buf, row, d.X.Cols, in); err != nil {
			return buf, err
		}
		if len(in.Labels) == 0 {
			buf = append(buf, '?')
		} else if buf, err = labels.append(buf, row, in.Labels); err != nil {
			return buf, err
		}
		if !s.Dense {
			buf = append(buf, '}')
		}
		return buf, nil
	})
}

// maxARFFColumns bounds the lines of a header.
const maxARFFColumns = 1 << 24

// arffForbidden are the characters that names of nodes cannot have.
const arffForbidden = ",@'\"{}?% \t\r\n\\"

// classList returns the classes as they are written.
func (s ARFF) classList(t *taxonomy.Taxonomy) (string, error) {
	var b strings.Builder
	paths := s.Hierarchy == "tree"
	if s.Hierarchy == "" {
		paths = slices.ContainsFunc(t.Names(), func(name string) bool { return strings.Contains(name, "/") })
	}
	t, _ = t.WithoutMiscellaneous()
	labels := labelWriter{taxonomy: t, forbidden: arffForbidden}
	for _, n := range t.Topological() {
		name, err := labels.name(0, n)
		if err != nil {
			return "", err
		}
		last := strings.LastIndexByte(name, '/')
		parents := t.Parents(n)
		switch {
		case !paths && (last >= 0 || name == arffRoot):
			return "", fmt.Errorf("files: the name of node %s cannot be written in an edge; rename it", textfile.Quote(name))
		case !paths && len(parents) == 0:
			fmt.Fprintf(&b, "%s/%s,", arffRoot, name)
		case !paths:
			for _, p := range parents {
				fmt.Fprintf(&b, "%s/%s,", t.Name(p), name)
			}
		case len(parents) > 1 || len(parents) == 0 && last >= 0 || len(parents) == 1 && (last < 0 || t.Name(parents[0]) != name[:last]) || last == len(name)-1:
			return "", fmt.Errorf("files: node %s is not called by its path from the root; rename the nodes", textfile.Quote(name))
		default:
			fmt.Fprintf(&b, "%s,", name)
		}
	}
	list := strings.TrimSuffix(b.String(), ",")
	var classes []arffClassName
	for class := range strings.SplitSeq(list, ",") {
		classes = append(classes, arffClassName{name: class})
	}
	if s.Hierarchy == "" && looksLikeGraph(classes) == paths {
		return "", fmt.Errorf("files: the classes would be read differently; set ARFF{Hierarchy: …}")
	}
	return list, nil
}

func writeARFFHeader(w io.Writer, d *dataset.Dataset, names []string, classes string) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "@relation %s\n\n", quoteARFF(d.Name))
	for _, name := range names {
		if strings.ContainsAny(name, "\r\n") || name == "" {
			return fmt.Errorf("the name %s of a column cannot be written", textfile.Quote(name))
		}
		fmt.Fprintf(&b, "@attribute %s numeric\n", quoteARFF(name))
	}
	fmt.Fprintf(&b, "@attribute class hierarchical %s\n\n@data\n", classes)
	_, err := w.Write(b.Bytes())
	return err
}

// quoteARFF returns a name in quotation marks.
func quoteARFF(name string) string {
	name = strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", " ", "\r", " ").Replace(name)
	return "'" + name + "'"
}

// appendValues appends the beginning of a row, up to its labels.
func (s ARFF) appendValues(buf []byte, row, columns int, in dataset.Instance) ([]byte, error) {
	features, err := appendFeatures(nil, row, 0, in)
	if err != nil {
		return buf, err
	}
	if n := len(in.Columns); n > 0 && int(in.Columns[n-1]) >= columns {
		return buf, errors.New("files: row " + strconv.Itoa(row) + " has a column beyond the last of the matrix")
	}
	if !s.Dense {
		buf = append(buf, '{')
		for feature := range bytes.FieldsSeq(features) {
			column, value, _ := bytes.Cut(feature, []byte{':'})
			buf = append(append(append(buf, column...), ' '), value...)
			buf = append(buf, ", "...)
		}
		return append(strconv.AppendInt(buf, int64(columns), 10), ' '), nil
	}
	k := 0
	for j := range columns {
		if k < len(in.Columns) && int(in.Columns[k]) == j {
			buf = strconv.AppendFloat(buf, float64(in.Values[k]), 'g', -1, 32)
			k++
		} else {
			buf = append(buf, '0')
		}
		buf = append(buf, ',')
	}
	return buf, nil
}
