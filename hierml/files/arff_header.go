package files

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hierml/notebook/hierml/internal/textfile"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// arffAttribute is an attribute of a file.
type arffAttribute struct {
	name   string
	kind   arffKind
	column int            // the first of its columns
	values map[string]int // of a nominal attribute, and their positions
	order  []string       // these values
}

// names returns the names of the attribute's columns.
func (a *arffAttribute) names() []string {
	switch a.kind {
	case arffNumeric, arffBinary:
		return []string{a.name}
	case arffNominal:
		names := make([]string, len(a.order))
		for k, value := range a.order {
			names[k] = a.name + "=" + value
		}
		return names
	}
	return nil
}

// width returns the number of the attribute's columns.
func (a *arffAttribute) width() int {
	switch a.kind {
	case arffNumeric, arffBinary:
		return 1
	case arffNominal:
		return len(a.order)
	}
	return 0
}

// isBinary reports whether the values are 0 and 1, in this order.
func (a *arffAttribute) isBinary() bool {
	return len(a.order) == 2 && a.order[0] == "0" && a.order[1] == "1"
}

type arffKind int

const (
	arffNumeric arffKind = iota
	arffBinary           // nominal with the values 0 and 1: one column
	arffNominal          // a column for each value
	arffIgnored          // strings, dates and keys
	arffClass            // the labels
	arffLabel            // whether a row has a label
)

// arffHeader is what stands before the data.
type arffHeader struct {
	attributes []arffAttribute
	columns    []string // their names
	class      int      // the attribute of the labels, or -1
	labels     int      // attributes that are labels
	relation   string
	taxonomy   *taxonomy.Taxonomy
}

// readARFFHeader reads the lines up to @data. Known says that a taxonomy was given.
func readARFFHeader(ctx context.Context, lines *textfile.Lines, s ARFF, known bool) (*arffHeader, error) {
	h := &arffHeader{class: -1}
	for {
		line, err := lines.Next()
		if errors.Is(err, io.EOF) {
			return nil, lines.Errorf(0, "the file ends before @data; expected @relation, @attribute NAME TYPE ..., @data")
		}
		if err != nil {
			return nil, err
		}
		at := skipSpace(line, 0)
		if at == len(line) || line[at] == '%' {
			continue
		}
		end := fieldEnd(line, at)
		switch strings.ToLower(string(line[at:end])) {
		case "@relation":
			h.relation, _, _ = arffWord(line, skipSpace(line, end), "")
		case "@attribute":
			if err := h.attribute(lines, line, end, s); err != nil {
				return nil, err
			}
		case "@data":
			return h, h.layOut(ctx, lines, s, known)
		default:
			return nil, lines.Errorf(at+1, "%s is not part of a header; expected @relation, @attribute NAME TYPE, @data or a comment after %%", textfile.Quote(string(field(line, at))))
		}
	}
}

// attribute reads what stands behind @attribute.
func (h *arffHeader) attribute(lines *textfile.Lines, line []byte, at int, s ARFF) error {
	name, at, ok := arffWord(line, skipSpace(line, at), " \t\r{")
	if !ok || name == "" {
		return lines.Errorf(at+1, "the attribute has no name, or its quotation does not end; expected @attribute NAME TYPE")
	}
	if len(name) > longestName {
		return lines.Errorf(at+1, "the attribute's name has more than %d bytes", longestName)
	}
	at = skipSpace(line, at)
	a := arffAttribute{name: name}
	if at < len(line) && line[at] == '{' {
		a.kind = arffNominal
		a.values = make(map[string]int)
		for more := true; more; {
			var value string
			at = skipSpace(line, at+1)
			start := at
			value, at, ok = arffWord(line, at, ",}")
			if at = skipSpace(line, at); !ok || at == len(line) || line[at] != ',' && line[at] != '}' {
				return lines.Errorf(start+1, "the values of attribute %s do not end; expected {value, value, ...}", textfile.Quote(name))
			}
			if _, twice := a.values[value]; twice {
				return lines.Errorf(start+1, "attribute %s has the value %s twice", textfile.Quote(name), textfile.Quote(value))
			}
			a.values[value] = len(a.order)
			a.order = append(a.order, value)
			more = line[at] == ','
		}
	}
	kind := strings.ToLower(string(field(line, at)))
	switch {
	case name == s.Class && a.kind == arffNominal:
		a.kind = arffClass
		grown, err := taxonomy.New(a.order, nil)
		if err != nil {
			return lines.Errorf(at, "the values of attribute %s cannot be labels: %v", textfile.Quote(name), err)
		}
		h.taxonomy = grown
	case a.kind == arffNominal && a.isBinary():
		a.kind = arffBinary
	case a.kind == arffNominal, kind == "numeric", kind == "real", kind == "integer":
	case kind == "string", kind == "date", kind == "key":
		a.kind = arffIgnored
	case kind == "hierarchical":
		a.kind = arffClass
		t, err := s.hierarchy(lines, line, skipSpace(line, fieldEnd(line, at)))
		if err != nil {
			return err
		}
		h.taxonomy = t
	default:
		return lines.Errorf(at+1, "%s is not a type; expected numeric, real, integer, {value, ...}, hierarchical, string, date or key", textfile.Quote(string(field(line, at))))
	}
	if a.kind == arffClass {
		if h.class >= 0 {
			return lines.Errorf(1, "both attribute %s and attribute %s have labels; expected one", textfile.Quote(name), textfile.Quote(h.attributes[h.class].name))
		}
		h.class = len(h.attributes)
	}
	h.attributes = append(h.attributes, a)
	return nil
}

// layOut finds the label attributes and assigns columns to the others. There may be no labels if
// the taxonomy is known and the settings name none.
func (h *arffHeader) layOut(ctx context.Context, lines *textfile.Lines, s ARFF, known bool) error {
	if err := h.findLabels(ctx, lines, s); err != nil {
		return err
	}
	if named := orElse(s.Class, s.Labels); h.class < 0 && h.labels == 0 && (!known || named != "") {
		return lines.Errorf(1, "no attribute has the labels; expected @attribute class hierarchical ..., or a relation of MEKA with -C. Otherwise, set ARFF{Labels: \"….xml\"} to the file of MULAN with the names of the labels, or ARFF{Class: \"…\"} to a nominal attribute whose values are labels")
	}
	for i := range h.attributes {
		a := &h.attributes[i]
		a.column = len(h.columns)
		h.columns = append(h.columns, a.names()...)
	}
	return nil
}

// findLabels finds the label attributes in the ways of MULAN and MEKA.
func (h *arffHeader) findLabels(ctx context.Context, lines *textfile.Lines, s ARFF) error {
	if s.Labels == "" {
		if h.class >= 0 {
			return nil
		}
		return h.mekaLabels(lines)
	}
	if h.class >= 0 {
		return lines.Errorf(1, "attribute %s has labels, and so has the file of ARFF{Labels: %q}; leave Labels empty to read those of the attribute", textfile.Quote(h.attributes[h.class].name), s.Labels)
	}
	names, edges, err := readMULANLabels(ctx, s.Labels)
	if err != nil {
		return err
	}
	at := make(map[string]int, len(h.attributes))
	for i, a := range h.attributes {
		at[a.name] = i
	}
	for _, name := range names {
		i, ok := at[name]
		if !ok {
			return lines.Errorf(1, "no attribute named %s, which is a label in %s", textfile.Quote(name), s.Labels)
		}
		if err := h.setLabel(lines, i); err != nil {
			return err
		}
	}
	return h.grow(lines, names, edges)
}

// mekaOption finds the number of labels in the name of a relation.
var mekaOption = regexp.MustCompile(`:.*?-[Cc]\s+(-?[0-9]+)`)

// mekaLabels are the first attributes, or the last if their number is negative.
func (h *arffHeader) mekaLabels(lines *textfile.Lines) error {
	option := mekaOption.FindStringSubmatch(h.relation)
	if option == nil {
		return nil
	}
	n, err := strconv.Atoi(option[1])
	if err != nil || n == 0 || max(n, -n) > len(h.attributes) {
		return lines.Errorf(1, "the relation says -C %s, but there are %d attributes", option[1], len(h.attributes))
	}
	first := 0
	if n < 0 {
		n = -n
		first = len(h.attributes) - n
	}
	var names []string
	for i := first; i < first+n; i++ {
		if err := h.setLabel(lines, i); err != nil {
			return err
		}
		names = append(names, h.attributes[i].name)
	}
	return h.grow(lines, names, nil)
}

// setLabel makes an attribute a label.
func (h *arffHeader) setLabel(lines *textfile.Lines, i int) error {
	a := &h.attributes[i]
	if !a.isBinary() {
		return lines.Errorf(1, "attribute %s is a label, and its type is not {0,1}; labels must have this type", textfile.Quote(a.name))
	}
	if a.kind != arffLabel {
		a.kind = arffLabel
		h.labels++
	}
	return nil
}

// grow makes the taxonomy of labels.
func (h *arffHeader) grow(lines *textfile.Lines, names []string, edges [][2]int) error {
	t, err := taxonomy.New(names, edges)
	if err != nil {
		return lines.Errorf(1, "the labels cannot be a taxonomy: %v", err)
	}
	h.taxonomy = t
	return nil
}

// readMULANLabels reads the names of labels, and which stand within which.
func readMULANLabels(ctx context.Context, file string) (names []string, edges [][2]int, err error) {
	err = textfile.ReadFile(ctx, "files", file, func(r io.Reader, name string) error {
		content, err := textfile.Open(r, name, syntaxError)
		if err != nil {
			return err
		}
		d := xml.NewDecoder(io.LimitReader(content, textfile.MaxLine))
		wrong := func(format string, args ...any) error {
			line, column := d.InputPos()
			return content.Errorf(line, column, format, args...)
		}
		var within []int // the labels that are open
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return wrong("not a file of labels (%v); expected <labels><label name=\"...\"/>...</labels>", err)
			}
			switch token := token.(type) {
			case xml.StartElement:
				if token.Name.Local == "labels" && len(within) == 0 {
					continue
				}
				at := slices.IndexFunc(token.Attr, func(a xml.Attr) bool { return a.Name.Local == "name" })
				if token.Name.Local != "label" || at < 0 {
					return wrong("<%s> is not part of a file of labels; expected <label name=\"...\">", token.Name.Local)
				}
				if n := len(within); n > 0 {
					edges = append(edges, [2]int{within[n-1], len(names)})
				}
				within = append(within, len(names))
				names = append(names, token.Attr[at].Value)
			case xml.EndElement:
				within = within[:max(len(within)-1, 0)]
			}
		}
		if len(names) == 0 {
			return wrong("no labels; expected <labels><label name=\"...\"/>...</labels>")
		}
		return nil
	})
	return names, edges, err
}

// hierarchy reads the classes, which begin at the position, as paths or as edges.
func (s ARFF) hierarchy(lines *textfile.Lines, line []byte, at int) (*taxonomy.Taxonomy, error) {
	l := &labeler{written: writtenLabels{levels: "/"}, errorf: lines.Errorf}
	start := at
	classes, err := arffClasses(lines, line, start)
	if err != nil {
		return nil, err
	}
	graph := s.Hierarchy == "graph"
	if s.Hierarchy == "" {
		graph = looksLikeGraph(classes)
	}
	for _, c := range classes {
		class, column := c.name, c.at+1
		if !graph {
			if _, err := l.add(nil, class, column); err != nil {
				return nil, err
			}
			continue
		}
		parent, child, ok := strings.Cut(class, "/")
		if !ok || parent == "" || child == "" || strings.Contains(child, "/") {
			return nil, lines.Errorf(column, "%s is not an edge; expected parent/child", textfile.Quote(class))
		}
		if err := l.edge(parent, child, column, s.Repair); err != nil {
			return nil, err
		}
	}
	t, err := taxonomy.New(l.names, l.edges)
	if err != nil {
		return nil, syntaxError(lines.Name(), lines.Line(), at+1, err.Error(), err)
	}
	return t, nil
}

// arffClassName is a class in a header, and where it stands in its line.
type arffClassName struct {
	name string
	at   int
}

// arffClasses returns the classes from a position on, without their quotation marks.
func arffClasses(lines *textfile.Lines, line []byte, at int) ([]arffClassName, error) {
	var classes []arffClassName
	for {
		start := at
		name, end, ok := arffWord(line, skipSpace(line, at), ",")
		if name = strings.TrimSpace(name); !ok || name == "" {
			return nil, lines.Errorf(start+1, "an empty class, or one whose quotation does not end; expected paths or edges a/b separated by one comma")
		}
		classes = append(classes, arffClassName{name, start})
		if end = skipSpace(line, end); end == len(line) {
			return classes, nil
		}
		if line[end] != ',' {
			return nil, lines.Errorf(end+1, "%s follows a class in quotation marks; expected a comma", textfile.Quote(string(line[end:])))
		}
		at = end + 1
	}
}

// arffRoot is the parent of the nodes without parents in files of graphs. It is no node.
const arffRoot = "root"

// edge adds an edge of a graph.
func (l *labeler) edge(parent, child string, column int, repair *Faults) error {
	n, err := l.addPath(nil, []string{child}, column)
	if err != nil || parent == arffRoot {
		return err
	}
	p, err := l.addPath(nil, []string{parent}, column)
	if err != nil {
		return err
	}
	e := [2]int{p[0], n[0]}
	if l.given == nil {
		l.given = make(map[[2]int]bool)
	}
	if l.given[e] {
		return report(repair, faultEdgeTwice, l.errorf(column, "the edge %s/%s is given twice", parent, child))
	}
	l.given[e] = true
	l.edges = append(l.edges, e)
	return nil
}

// looksLikeGraph reports whether the classes are edges, not paths: all have two parts, and one
// begins at the root, or continues another.
func looksLikeGraph(classes []arffClassName) bool {
	parents, children := make(map[string]bool), make(map[string]bool)
	for _, c := range classes {
		parent, child, ok := strings.Cut(c.name, "/")
		if !ok || strings.Contains(child, "/") {
			return false
		}
		parents[parent], children[child] = true, true
	}
	if parents[arffRoot] {
		return true
	}
	for child := range children {
		if parents[child] {
			return true
		}
	}
	return false
}

// arffWord returns the word that begins at the position, quoted or up to one of the delimiters, and
// its end. It is not ok if a quotation does not end.
func arffWord(line []byte, at int, delimiters string) (word string, end int, ok bool) {
	if at == len(line) || line[at] != '\'' && line[at] != '"' {
		end = at
		for end < len(line) && strings.IndexByte(delimiters, line[end]) < 0 {
			end++
		}
		return string(bytes.TrimRight(line[at:end], " \t\r")), end, true
	}
	mark := line[at]
	var b []byte
	for i := at + 1; i < len(line); i++ {
		switch {
		case line[i] == '\\' && i+1 < len(line):
			i++
			b = append(b, line[i])
		case line[i] == mark:
			return string(b), i + 1, true
		default:
			b = append(b, line[i])
		}
	}
	return "", len(line), false
}

// nominal returns the attributes that have the first of their values where a sparse row leaves them
// out.
func (h *arffHeader) nominal() []int {
	var nominal []int
	for i, a := range h.attributes {
		if a.kind == arffNominal && len(a.values) > 0 {
			nominal = append(nominal, i)
		}
	}
	return nominal
}
