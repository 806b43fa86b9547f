package files

import (
	"bytes"
	"errors"
	"io"
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
}

type arffKind int

const (
	arffNumeric arffKind = iota
	arffBinary           // nominal with the values 0 and 1: one column
	arffNominal          // a column for each value
	arffIgnored          // strings, dates and keys
	arffClass            // the labels
)

// arffHeader is what stands before the data.
type arffHeader struct {
	attributes []arffAttribute
	columns    []string // their names
	class      int      // the attribute of the labels
	taxonomy   *taxonomy.Taxonomy
}

// readARFFHeader reads the lines up to @data.
func readARFFHeader(lines *textfile.Lines, s ARFF) (*arffHeader, error) {
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
		case "@attribute":
			if err := h.attribute(lines, line, end, s); err != nil {
				return nil, err
			}
		case "@data":
			if h.class < 0 {
				return nil, lines.Errorf(1, "no attribute has the labels; expected @attribute class hierarchical ..., or name a nominal attribute as the Class")
			}
			return h, nil
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
	a := arffAttribute{name: name, column: len(h.columns)}
	var values []string
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
			a.values[value] = len(values)
			values = append(values, value)
			more = line[at] == ','
		}
	}
	kind := strings.ToLower(string(field(line, at)))
	switch {
	case name == s.Class && a.kind == arffNominal:
		a.kind = arffClass
		grown, err := taxonomy.New(values, nil)
		if err != nil {
			return lines.Errorf(at, "the values of attribute %s cannot be labels: %v", textfile.Quote(name), err)
		}
		h.taxonomy = grown
	case a.kind == arffNominal && len(values) == 2 && values[0] == "0" && values[1] == "1":
		a.kind = arffBinary
		h.columns = append(h.columns, name)
	case a.kind == arffNominal:
		for _, value := range values {
			h.columns = append(h.columns, name+"="+value)
		}
	case kind == "numeric", kind == "real", kind == "integer":
		h.columns = append(h.columns, name)
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
			return lines.Errorf(1, "attribute %s has labels, as %s has; expected one", textfile.Quote(name), textfile.Quote(h.attributes[h.class].name))
		}
		h.class = len(h.attributes)
	}
	h.attributes = append(h.attributes, a)
	return nil
}

// hierarchy reads the classes, which begin at the position, as paths or as edges.
func (s ARFF) hierarchy(lines *textfile.Lines, line []byte, at int) (*taxonomy.Taxonomy, error) {
	l := &labeler{errorf: lines.Errorf}
	start := at
	list := bytes.TrimRight(line[at:], " \t\r")
	graph := s.Hierarchy == "graph"
	if s.Hierarchy == "" {
		graph = looksLikeGraph(list)
	}
	for entry := range bytes.SplitSeq(list, []byte{','}) {
		trimmed := bytes.TrimSpace(entry)
		column := start + 1
		start += len(entry) + 1
		if len(trimmed) == 0 {
			return nil, lines.Errorf(column, "an empty class; expected paths or edges a/b separated by one comma")
		}
		if !graph {
			if _, err := l.add(nil, string(trimmed), "/", column); err != nil {
				return nil, err
			}
			continue
		}
		parent, child, ok := strings.Cut(string(trimmed), "/")
		if !ok || parent == "" || child == "" || strings.Contains(child, "/") {
			return nil, lines.Errorf(column, "%s is not an edge; expected parent/child", textfile.Quote(string(trimmed)))
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
func looksLikeGraph(list []byte) bool {
	parents, children := make(map[string]bool), make(map[string]bool)
	for entry := range bytes.SplitSeq(list, []byte{','}) {
		parent, child, ok := strings.Cut(string(bytes.TrimSpace(entry)), "/")
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
