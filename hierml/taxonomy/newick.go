package taxonomy

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/hierml/notebook/hierml/internal/textfile"
)

// Newick is the format of phylogenetic trees: (cat,dog)animal;. Any number of trees, each with its
// semicolon, is a forest. Names are quoted by '...', with two quotes for one in them; an underscore
// does not change. Branch lengths must be numbers; they and comments, [...], are dropped. An inner
// node without a name is called "node 1", "node 2", ...; a leaf must have a name. Node ids are in
// the order in which the nodes begin, parents first.
//
// Repairs: a leaf without a name is named like an inner node, and those of all formats (see the
// package).
type Newick struct {
	Support bool // a number behind a closing parenthesis is the support of a branch, not a name
	Repair  *Faults
	Rules   Rules
}

// Read implements Format.
func (f Newick) Read(ctx context.Context, r io.Reader, name string) (*Taxonomy, error) {
	s, err := newScanner(ctx, r, name)
	if err != nil {
		return nil, err
	}
	n := newickReader{Newick: f, scanner: s, draft: newDraft(name, f.Repair, s.file.Stored)}
	for {
		if err := n.blanks(); err != nil {
			return nil, err
		}
		if s.peek() == end {
			break
		}
		if err := n.tree(); err != nil {
			return nil, err
		}
	}
	if !errors.Is(s.err, io.EOF) || len(n.names) == 0 {
		return nil, s.errorf(place{1, 0}, "no trees; expected, for example, (cat,dog)animal;")
	}
	return n.taxonomy(f.Rules)
}

type newickReader struct {
	Newick
	*scanner
	*draft
	open []int // nodes whose parenthesis is open
}

// errorf is that of the scanner.
func (n *newickReader) errorf(at place, format string, args ...any) error {
	return n.scanner.errorf(at, format, args...)
}

// tree reads one tree.
func (n *newickReader) tree() error {
	for {
		at := n.here()
		v, err := n.blank(at)
		if err != nil {
			return err
		}
		if k := len(n.open); k > 0 {
			if err := n.edge(n.open[k-1], v, at); err != nil {
				return err
			}
		}
		if n.peek() == '(' {
			n.next()
			n.open = append(n.open, v)
		} else {
			if err := n.label(v, true); err != nil {
				return err
			}
			if done, err := n.close(); done || err != nil {
				return err
			}
		}
		if err := n.blanks(); err != nil {
			return err
		}
	}
}

// close reads what is behind a node up to the next one, or the end of the tree.
func (n *newickReader) close() (done bool, err error) {
	for {
		at := n.here()
		switch n.peek() {
		case ',':
			if len(n.open) == 0 {
				return false, n.errorf(at, "a comma outside of parentheses; expected ';'")
			}
			n.next()
			return false, nil
		case ')':
			k := len(n.open)
			if k == 0 {
				return false, n.errorf(at, "no parenthesis is open here; remove this one")
			}
			n.next()
			v := n.open[k-1]
			n.open = n.open[:k-1]
			if err := n.label(v, false); err != nil {
				return false, err
			}
		case ';':
			if k := len(n.open); k > 0 {
				first := n.nodes[n.open[k-1]]
				return false, n.errorf(at, "the tree ends with %s open, the last from %s; expected ')'",
					count(k, "parenthesis", "parentheses"), n.where(first))
			}
			n.next()
			return true, nil
		case end:
			return false, n.errorf(at, "the file ends within a tree; expected ';' at its end")
		default:
			return false, n.unexpected("',', ')' or ';' after a node; put a name with characters other than letters and digits into quotes, as in 'Homo sapiens'")
		}
	}
}

// label reads the name and the branch length of a node, and the blanks behind them.
func (n *newickReader) label(v int, leaf bool) error {
	if err := n.blanks(); err != nil {
		return err
	}
	at := n.here()
	quoted := n.peek() == '\''
	var err error
	if quoted {
		err = n.quotation(at)
	} else {
		err = n.word(isNewick)
	}
	if err != nil {
		return err
	}
	name := string(n.token)
	n.advice = ""
	if _, err := strconv.ParseFloat(name, 64); err == nil && !leaf && !quoted {
		if n.Support {
			name = ""
		}
		n.advice = ". If the numbers after parentheses are the support of branches, such as that of a bootstrap, read with Newick{Support: true}"
	}
	if name != "" {
		if err := n.call(v, name, at); err != nil {
			return err
		}
	} else if leaf || quoted {
		err := n.draft.errorf(at, "a leaf without a name; expected a name")
		if !leaf {
			err.Msg = "an empty name; expected a name, or none without quotes"
		}
		if err := n.fault("empty name", "called by a number", err); err != nil {
			return err
		}
	}
	if err := n.blanks(); err != nil || n.peek() != ':' {
		return err
	}
	n.next()
	if err := n.blanks(); err != nil {
		return err
	}
	at = n.here()
	if err := n.word(isNewick); err != nil {
		return err
	}
	if _, err := strconv.ParseFloat(string(n.token), 64); err != nil {
		return n.errorf(at, "the branch length %s is not a number; expected, for example, 0.25, or no colon", textfile.Quote(string(n.token)))
	}
	return n.blanks()
}

// quotation reads a name in single quotes into token.
func (n *newickReader) quotation(at place) error {
	n.token = n.token[:0]
	n.next()
	for {
		c := n.next()
		if c == end {
			return n.errorf(at, "the quote is not closed")
		}
		if c == '\'' {
			if n.peek() != '\'' {
				return nil
			}
			n.next()
		}
		if err := n.keep(c, at); err != nil {
			return err
		}
	}
}

// blanks skips white space and comments, which may be nested.
func (n *newickReader) blanks() error {
	for n.space(); n.peek() == '['; n.space() {
		at := n.here()
		for depth := 0; ; {
			switch n.next() {
			case '[':
				depth++
			case ']':
				depth--
			case end:
				return n.errorf(at, "the comment is not closed; expected ']'")
			}
			if depth == 0 {
				break
			}
		}
	}
	return nil
}

// isNewick reports whether a byte may stand in a name without quotes.
func isNewick(c int) bool { return !isSpace(c) && !strings.ContainsRune("()[]':;,", rune(c)) }

// Write implements Format, for trees and forests.
func (f Newick) Write(w io.Writer, t *Taxonomy) error {
	return write(w, "Newick", func(out *bufio.Writer) error {
		if err := textual(t); err != nil {
			return err
		}
		if !t.tree {
			return severalParents(t, "Newick files")
		}
		n := nesting{
			open: func(v int) string { return "(" }, between: ",",
			close: func(v int) string { return ")" + newickName(t.names[v]) },
			leaf:  func(v int) string { return newickName(t.names[v]) },
			end:   ";\n",
		}
		for _, root := range t.roots {
			if err := writeNested(out, t, root, n); err != nil {
				return err
			}
		}
		return nil
	})
}

// newickName quotes a name if needed.
func newickName(name string) string {
	for i := range len(name) {
		if c := int(name[i]); c <= ' ' || c >= 0x7f || !isNewick(c) {
			return "'" + strings.ReplaceAll(name, "'", "''") + "'"
		}
	}
	return name
}

// nesting is what stands where in the text of a tree.
type nesting struct {
	open, close, leaf func(v int) string
	between, end      string // between children; behind the root
}

// writeNested writes the tree below the root, each node around its children.
func writeNested(out *bufio.Writer, t *Taxonomy, root int, n nesting) error {
	type visit struct{ node, child int }
	path := []visit{{node: root}}
	for len(path) > 0 {
		at := &path[len(path)-1]
		children := t.children[at.node]
		var text string
		next := -1
		switch {
		case len(children) == 0:
			text = n.leaf(at.node)
		case at.child == len(children):
			text = n.close(at.node)
		default:
			if text = n.between; at.child == 0 {
				text = n.open(at.node)
			}
			next = children[at.child]
			at.child++
		}
		if _, err := out.WriteString(text); err != nil {
			return err
		}
		if next >= 0 {
			path = append(path, visit{node: next})
		} else {
			path = path[:len(path)-1]
		}
	}
	_, err := out.WriteString(n.end)
	return err
}
