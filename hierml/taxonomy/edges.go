package taxonomy

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/hierml/notebook/hierml/internal/textfile"
)

// Edges is the format with one edge per line, parent and child. A line with one name is a node
// without an edge so far. Lines without text are skipped. A name is used as written, including
// spaces. Node ids are in the order of appearance of the names. The zero value reads the files
// NAME.hier.tsv of data sets; the files cat_hier of LSHTC are Edges{Separator: " ", Chains: true}.
// If Separator is empty, a file without tabs whose lines all look like edges with another separator
// is a fault.
//
// A first line with column titles, such as parent and child, or source and target, is a fault.
//
// Repairs: lines that lack a name and lines of titles are left out, fields after the child are
// ignored, and those of all formats (see the package).
type Edges struct {
	// between the two names; "" means a tab, " " means any number of blanks and tabs, also around
	// them
	Separator  string
	ChildFirst bool // the child stands before its parent
	// a line may have more names, each the parent of the next, and an edge may be repeated
	Chains bool
	Repair *Faults
	Rules  Rules
}

// Read implements Format.
func (f Edges) Read(ctx context.Context, r io.Reader, name string) (*Taxonomy, error) {
	lines, err := textfile.NewLines(textfile.WithContext(ctx, r), name, syntaxError)
	if err != nil {
		return nil, err
	}
	d := newDraft(name, f.Repair, lines.Stored)
	d.joined = f.Chains
	other := newSeparators()
	var fields []field
	for {
		line, err := lines.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		fields = f.split(line, fields[:0])
		if f.Separator == "" {
			other.look(line, len(fields))
		}
		if len(d.names) == 0 && f.titles(fields) {
			if err := d.fault("titles", "line left out", f.titled(d, fields, lines.Line())); err != nil {
				return nil, err
			}
			continue
		}
		if err := f.line(d, fields, lines.Line()); err != nil {
			return nil, err
		}
	}
	if sep, ok := other.likely(); ok {
		err := &SyntaxError{File: name, Line: 1, Msg: fmt.Sprintf("no line has a tab, and each has two names separated by %q: read it with Edges{Separator: %[1]q}, or with Edges{Separator: \"\\t\"} if these are nodes without edges", sep)}
		if err := d.fault("other separator", "each line taken for a node", err); err != nil {
			return nil, err
		}
	}
	if len(d.names) == 0 {
		return nil, &SyntaxError{File: name, Line: 1, Msg: "no edges; expected lines of " + f.expected()}
	}
	return d.taxonomy(f.Rules)
}

// separators are those that every line may have instead of a tab, by how often a name came again.
type separators map[string]*parted

type parted struct {
	names map[string]bool
	again int
}

// maxParted bounds the stored names: among so many, one recurs.
const maxParted = 1000

func newSeparators() separators {
	s := separators{}
	for _, sep := range []string{" ", ",", ";"} {
		s[sep] = &parted{names: map[string]bool{}}
	}
	return s
}

// look checks a line with a number of fields. Separators that do not split it into two are
// excluded.
func (s separators) look(line []byte, fields int) {
	if fields > 1 {
		clear(s)
	}
	if fields != 1 {
		return
	}
	for sep, p := range s {
		names := Edges{Separator: sep}.split(line, nil)
		if len(names) != 2 {
			delete(s, sep)
			continue
		}
		for _, name := range names {
			text := string(bytes.TrimSpace(name.text))
			if p.names[text] {
				p.again++
			} else if len(p.names) < maxParted {
				p.names[text] = true
			}
		}
	}
}

// likely returns the separator by which names come again, as they do in edges.
func (s separators) likely() (sep string, ok bool) {
	for _, sep := range []string{",", ";", " "} {
		if p := s[sep]; p != nil && p.again > 0 {
			return sep, true
		}
	}
	return "", false
}

// Read reads a taxonomy with one edge per line, parent and child separated by a tab: Edges{}.Read
// without a context.
func Read(r io.Reader, name string) (*Taxonomy, error) {
	return Edges{}.Read(context.Background(), r, name)
}

// field is a part of a line.
type field struct {
	text   []byte
	column int
}

// split cuts the line into its fields. A line without text has none.
func (f Edges) split(line []byte, fields []field) []field {
	if f.Separator == " " {
		for at := 0; ; {
			for at < len(line) && isBlank(line[at]) {
				at++
			}
			if at == len(line) {
				return fields
			}
			end := at
			for end < len(line) && !isBlank(line[end]) {
				end++
			}
			fields = append(fields, field{line[at:end], at + 1})
			at = end
		}
	}
	if len(bytes.TrimSpace(line)) == 0 {
		return fields
	}
	sep := f.separator()
	for at := 0; ; {
		end := bytes.Index(line[at:], sep)
		if end < 0 {
			return append(fields, field{line[at:], at + 1})
		}
		fields = append(fields, field{line[at : at+end], at + 1})
		at += end + len(sep)
	}
}

var tab = []byte("\t")

func (f Edges) separator() []byte {
	if f.Separator == "" {
		return tab
	}
	return []byte(f.Separator)
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// roles names what the fields are.
func (f Edges) roles() [2]string {
	if f.ChildFirst {
		return [2]string{"child", "parent"}
	}
	return [2]string{"parent", "child"}
}

// expected says what a line is.
func (f Edges) expected() string {
	roles := f.roles()
	separator := "tab"
	switch f.Separator {
	case "", "\t":
	case " ":
		separator = "blank"
	default:
		separator = fmt.Sprintf("%q", f.Separator)
	}
	return roles[0] + ", " + separator + ", " + roles[1]
}

// line adds what a line says.
func (f Edges) line(d *draft, fields []field, number int) error {
	for i, name := range fields {
		if len(name.text) > 0 {
			continue
		}
		alone := ""
		if i == 1 {
			alone = ", or a name alone"
		}
		err := d.errorf(placeAt(number, name.column), "the %s's name is empty; expected %s%s", f.roles()[min(i, 1)], f.expected(), alone)
		return d.fault("empty name", "line left out", err)
	}
	if len(fields) > 2 && !f.Chains {
		at := placeAt(number, fields[2].column-len(f.separator()))
		if err := d.fault("further fields", "ignored", d.errorf(at, "more than two fields; expected %s", f.expected())); err != nil {
			return err
		}
		fields = fields[:2]
	}
	before := -1
	for i, name := range fields {
		at := placeAt(number, name.column)
		n, err := d.node(name.text, at)
		if err != nil {
			return err
		}
		if before >= 0 {
			if before != n {
				at = placeAt(number, fields[i-1].column)
			}
			parent, child := before, n
			if f.ChildFirst {
				parent, child = n, before
			}
			if err := d.edge(parent, child, at); err != nil {
				return err
			}
		}
		before = n
	}
	return nil
}

// titles reports whether the fields of a first line are the titles of columns, in either order.
func (f Edges) titles(fields []field) bool {
	if len(fields) != 2 {
		return false
	}
	first, second := titleRole(fields[0].text), titleRole(fields[1].text)
	return first != 0 && second == -first
}

// titleRole is 1 for the title of a column of parents, -1 for that of one of children, 0 for what
// is no title.
func titleRole(text []byte) int {
	title := strings.ToLower(strings.Trim(string(text), " \"'"))
	for _, end := range []string{"_id", " id", "_name", " name", "id", "s"} {
		title = strings.TrimSuffix(title, end)
	}
	switch title {
	case "parent", "source":
		return 1
	case "child", "children", "target":
		return -1
	}
	return 0
}

// titled says what to do with a line of titles.
func (f Edges) titled(d *draft, fields []field, number int) *SyntaxError {
	advice := "remove the line, or read with Edges{Repair: &taxonomy.Faults{}}, which leaves it out"
	if f.ChildFirst != (titleRole(fields[0].text) < 0) {
		advice += fmt.Sprintf(", and with ChildFirst: %v, as the titles say", !f.ChildFirst)
	}
	return d.errorf(placeAt(number, fields[0].column), "%s and %s are titles of columns; %s", textfile.Quote(string(fields[0].text)), textfile.Quote(string(fields[1].text)), advice)
}

// Write implements Format. Nodes without edges come first.
func (f Edges) Write(w io.Writer, t *Taxonomy) error {
	return write(w, "edges", func(out *bufio.Writer) error {
		if err := textual(t); err != nil {
			return err
		}
		for v, name := range t.names {
			if strings.TrimSpace(name) == "" || strings.ContainsAny(name, "\n\r") || strings.HasPrefix(name, "\ufeff") {
				return fmt.Errorf("the name of node %d, %s, cannot be written in a line; rename it, or choose the format JSON", v, textfile.Quote(name))
			}
			if fields := f.split([]byte(name), nil); len(fields) != 1 || string(fields[0].text) != name {
				return fmt.Errorf("the name of node %d, %s, has the separator %q in it; choose another", v, textfile.Quote(name), f.separator())
			}
		}
		other, alone := newSeparators(), false // nodes without edges, which come first
		for v, name := range t.names {
			if len(t.parents[v])+len(t.children[v]) > 0 {
				other = separators{}
				continue
			}
			alone = true
			if f.Separator == "" {
				other.look([]byte(name), 1)
			}
			if _, err := fmt.Fprintln(out, name); err != nil {
				return err
			}
		}
		if sep, ok := other.likely(); ok {
			return fmt.Errorf("the names of all nodes without edges contain %q, so they would be read as edges; write and read them with Edges{Separator: \"\\t\"}", sep)
		}
		var line []byte
		var fields []field
		for i, e := range t.edges {
			if f.ChildFirst {
				e[0], e[1] = e[1], e[0]
			}
			first, second := t.names[e[0]], t.names[e[1]]
			line = append(append(append(line[:0], first...), f.separator()...), second...)
			fields = f.split(line, fields[:0])
			if len(fields) != 2 || string(fields[0].text) != first || string(fields[1].text) != second {
				return fmt.Errorf("the separator %q cannot be told from the names %s and %s around it; choose another",
					f.separator(), textfile.Quote(first), textfile.Quote(second))
			}
			if i == 0 && !alone && f.titles(fields) {
				return fmt.Errorf("the edge from %s to %s comes first and would be taken for titles; rename a node, or choose the format JSON", textfile.Quote(t.names[t.edges[0][0]]), textfile.Quote(t.names[t.edges[0][1]]))
			}
			if _, err := out.Write(append(line, '\n')); err != nil {
				return err
			}
		}
		return nil
	})
}
