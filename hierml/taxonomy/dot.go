package taxonomy

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hierml/notebook/hierml/internal/textfile"
)

// DOT is the format of Graphviz: digraph { animal -> {cat dog}; }. Chains of edges, subgraphs,
// ports, attributes and comments are read; attributes other than labels are skipped. The names of
// nodes are their ids, in the order of appearance. In a strict graph an edge may be repeated.
// Undirected graphs are an error.
//
// Repairs: those of all formats (see the package).
type DOT struct {
	Labels     bool // a node is called by its label, where it has one
	ChildFirst bool // edges go from the child to the parent
	Repair     *Faults
	Rules      Rules
}

// Bounds on the memory that a few bytes of a file can request.
const (
	deepestSubgraph = 64      // subgraphs in each other
	maxProducts     = 1 << 24 // edges between subgraphs, and nodes of those that are named again
)

// Read implements Format.
func (f DOT) Read(ctx context.Context, r io.Reader, name string) (*Taxonomy, error) {
	s, err := newScanner(ctx, r, name)
	if err != nil {
		return nil, err
	}
	d := dotReader{DOT: f, dotScanner: dotScanner{scanner: s}, draft: newDraft(name, f.Repair, s.file.Stored), subgraphs: make(map[string][]int)}
	if err := d.graph(); err != nil {
		return nil, err
	}
	if len(d.names) == 0 {
		return nil, s.errorf(place{1, 0}, "no nodes; expected, for example, digraph { animal -> cat; }")
	}
	if err := d.relabel(); err != nil {
		return nil, err
	}
	return d.taxonomy(f.Rules)
}

// dotReader is a parser by recursive descent with one token of look-ahead.
type dotReader struct {
	DOT
	dotScanner
	*draft
	subgraphs map[string][]int // nodes of named subgraphs
	depth     int
	products  int
	labels    map[int]dotToken
}

// errorf is that of the scanner.
func (d *dotReader) errorf(at place, format string, args ...any) error {
	return d.scanner.errorf(at, format, args...)
}

// graph reads the file. A second graph in it is refused.
func (d *dotReader) graph() error {
	if err := d.advance(); err != nil {
		return err
	}
	if d.ahead.keyword("strict") {
		d.joined = true
		if err := d.advance(); err != nil {
			return err
		}
	}
	switch {
	case d.ahead.keyword("graph"):
		return d.errorf(d.ahead.at, "the graph is undirected; a taxonomy needs digraph, and -> in its edges")
	case !d.ahead.keyword("digraph"):
		return d.expected("digraph")
	}
	if err := d.advance(); err != nil {
		return err
	}
	if d.ahead.kind == dotID {
		if err := d.advance(); err != nil {
			return err
		}
	}
	if _, err := d.body(); err != nil {
		return err
	}
	if d.ahead.kind != end {
		return d.expected("the end of the file, as it is one graph")
	}
	return nil
}

// body reads { statements } and returns the nodes that are in them.
func (d *dotReader) body() ([]int, error) {
	if d.ahead.kind != '{' {
		return nil, d.expected("'{'")
	}
	begin := d.ahead.at
	if d.depth++; d.depth > deepestSubgraph {
		return nil, d.errorf(begin, "more than %d nested subgraphs", deepestSubgraph)
	}
	if err := d.advance(); err != nil {
		return nil, err
	}
	var nodes []int
	for d.ahead.kind != '}' {
		if d.ahead.kind == end {
			return nil, d.errorf(d.ahead.at, "the file ends; expected '}' for the '{' in %s", d.where(begin))
		}
		in, err := d.statement()
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, in...)
		if d.ahead.kind == ';' || d.ahead.kind == ',' {
			if err := d.advance(); err != nil {
				return nil, err
			}
		}
	}
	d.depth--
	return nodes, d.advance()
}

// statement reads a node, edges, a subgraph, or attributes, and returns the nodes that are in it.
func (d *dotReader) statement() ([]int, error) {
	if d.ahead.keyword("graph") || d.ahead.keyword("node") || d.ahead.keyword("edge") {
		if err := d.advance(); err != nil {
			return nil, err
		}
		if d.ahead.kind != '[' {
			return nil, d.expected("'[', attributes")
		}
		_, err := d.attributes()
		return nil, err
	}
	from, attribute, err := d.side(true)
	if err != nil || attribute {
		return nil, err
	}
	all := slices.Clone(from)
	chain := false
	for d.ahead.kind == dotArrow {
		chain = true
		at := d.ahead.at
		if err := d.advance(); err != nil {
			return nil, err
		}
		to, _, err := d.side(false)
		if err != nil {
			return nil, err
		}
		if err := d.connect(from, to, at); err != nil {
			return nil, err
		}
		all = append(all, to...)
		from = to
	}
	for d.ahead.kind == '[' {
		label, err := d.attributes()
		if err != nil {
			return nil, err
		}
		if label.kind == dotID && label.text != "" && !chain && len(from) == 1 {
			if d.labels == nil {
				d.labels = make(map[int]dotToken)
			}
			d.labels[from[0]] = label
		}
	}
	return all, nil
}

// connect adds the edges from all nodes of the one side to all of the other.
func (d *dotReader) connect(from, to []int, at place) error {
	if len(from) > 1 || len(to) > 1 {
		if err := d.multiply(len(from)*len(to), at); err != nil {
			return err
		}
	}
	for _, p := range from {
		for _, c := range to {
			if d.ChildFirst {
				if err := d.edge(c, p, at); err != nil {
					return err
				}
			} else if err := d.edge(p, c, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// multiply counts what subgraphs stand for.
func (d *dotReader) multiply(n int, at place) error {
	if d.products += n; d.products > maxProducts {
		return d.errorf(at, "subgraphs stand for more than %d edges; write them out, or choose another format", maxProducts)
	}
	return nil
}

// side reads a node or a subgraph, the end of an edge. Where it may be an attribute instead, ID =
// ID, it says so.
func (d *dotReader) side(first bool) (nodes []int, attribute bool, err error) {
	if d.ahead.kind == '{' || d.ahead.keyword("subgraph") {
		nodes, err = d.subgraph()
		return nodes, false, err
	}
	id := d.ahead
	if id.kind != dotID {
		return nil, false, d.expected("a node, an edge, a subgraph or '}'")
	}
	if err := d.advance(); err != nil {
		return nil, false, err
	}
	if d.ahead.kind == '=' && first {
		if err := d.advance(); err != nil {
			return nil, false, err
		}
		_, err := d.id("a value")
		return nil, true, err
	}
	for d.ahead.kind == ':' { // port and compass point
		if err := d.advance(); err != nil {
			return nil, false, err
		}
		if _, err := d.id("a port"); err != nil {
			return nil, false, err
		}
	}
	if id.text == "" {
		return nil, false, d.errorf(id.at, "the id of a node is empty; give it one")
	}
	n, err := d.draft.node([]byte(id.text), id.at)
	return []int{n}, false, err
}

// id reads an id.
func (d *dotReader) id(what string) (dotToken, error) {
	id := d.ahead
	if id.kind != dotID {
		return id, d.expected(what)
	}
	return id, d.advance()
}

// subgraph reads a subgraph, or the name of one that was read.
func (d *dotReader) subgraph() ([]int, error) {
	var name string
	if d.ahead.keyword("subgraph") {
		if err := d.advance(); err != nil {
			return nil, err
		}
		if d.ahead.kind == dotID {
			name = d.ahead.text
			if err := d.advance(); err != nil {
				return nil, err
			}
			if d.ahead.kind != '{' {
				nodes, ok := d.subgraphs[name]
				if !ok {
					return nil, d.expected("'{', because no earlier subgraph has this name")
				}
				return nodes, d.multiply(len(nodes), d.ahead.at)
			}
		}
	}
	nodes, err := d.body()
	nodes = distinct(nodes)
	if name != "" {
		d.subgraphs[name] = nodes
	}
	return nodes, err
}

// distinct returns the nodes without repetitions, in their order.
func distinct(nodes []int) []int {
	seen := make(map[int]bool, len(nodes))
	var kept []int
	for _, n := range nodes {
		if !seen[n] {
			seen[n] = true
			kept = append(kept, n)
		}
	}
	return kept
}

// attributes reads [a=b, ...] and returns the label in it.
func (d *dotReader) attributes() (label dotToken, err error) {
	if err := d.advance(); err != nil {
		return label, err
	}
	for d.ahead.kind != ']' {
		name, err := d.id("an attribute, such as label=\"cat\", or ']'")
		if err != nil {
			return label, err
		}
		if d.ahead.kind == '=' {
			if err := d.advance(); err != nil {
				return label, err
			}
			value, err := d.id("the value of the attribute")
			if err != nil {
				return label, err
			}
			if name.text == "label" && !value.html {
				label = value
			}
		}
		if d.ahead.kind == ',' || d.ahead.kind == ';' {
			if err := d.advance(); err != nil {
				return label, err
			}
		}
	}
	return label, d.advance()
}

// expected returns the error of an unexpected next token.
func (d *dotReader) expected(what string) error {
	return d.errorf(d.ahead.at, "unexpected %v; expected %s", d.ahead, what)
}

// relabel calls the nodes by their labels.
func (d *dotReader) relabel() error {
	if !d.Labels {
		return nil
	}
	ids := d.names
	d.names, d.ids = make([]string, len(ids)), make(map[string]int, len(ids))
	for v, id := range ids {
		name, at := id, d.nodes[v]
		if label, ok := d.labels[v]; ok {
			name, at = unescapeLabel(label.text), label.at
		}
		if err := d.call(v, name, at); err != nil {
			return err
		}
	}
	return nil
}

// unescapeLabel reads the escapes of a label; lines, whichever way they are set, end by a line
// break.
func unescapeLabel(text string) string {
	return strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\l`, "\n", `\r`, "\n", `\"`, `"`).Replace(text)
}

// Write implements Format.
func (f DOT) Write(w io.Writer, t *Taxonomy) error {
	return write(w, "DOT", func(out *bufio.Writer) error {
		if err := textual(t); err != nil {
			return err
		}
		quoted := make([]string, t.Len())
		for v, name := range t.names {
			var ok bool
			if quoted[v], ok = quoteDOT(name); !ok {
				return fmt.Errorf("the name of node %d, %s, has a backslash where DOT would take it for an escape; rename it", v, textfile.Quote(name))
			}
		}
		if _, err := out.WriteString("digraph {\n"); err != nil {
			return err
		}
		for _, name := range quoted {
			if _, err := out.WriteString(name + ";\n"); err != nil {
				return err
			}
		}
		for _, e := range t.edges {
			if f.ChildFirst {
				e[0], e[1] = e[1], e[0]
			}
			if _, err := out.WriteString(quoted[e[0]] + " -> " + quoted[e[1]] + ";\n"); err != nil {
				return err
			}
		}
		_, err := out.WriteString("}\n")
		return err
	})
}

// quoteDOT quotes an id. Backslashes stand for themselves in DOT unless an odd number of them is
// before a quote, the end, or a line break.
func quoteDOT(name string) (string, bool) {
	var b bytes.Buffer
	b.WriteByte('"')
	backslashes := 0
	for i := range len(name) {
		c := name[i]
		if backslashes%2 == 1 && (c == '"' || c == '\n' || c == '\r') {
			return "", false
		}
		if backslashes++; c != '\\' {
			backslashes = 0
		}
		if c == '"' {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	b.WriteByte('"')
	return b.String(), backslashes%2 == 0
}
