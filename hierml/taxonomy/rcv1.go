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

// RCV1 is the format of the hierarchies of the collection RCV1-v2, rcv1.topics.hier.orig and
// similar files, one edge per line:
//
//	parent: C15  child: C151  child-description: ACCOUNTS/EARNINGS
//
// The names of nodes are their codes; descriptions are dropped. Root, the child of None, is not a
// node: its children are the roots. An edge may be repeated.
//
// Repairs: a line that is not an edge is left out, and those of all formats (see the package).
type RCV1 struct {
	Repair *Faults
	Rules  Rules
}

const (
	rcv1Parent = "parent:"
	rcv1Child  = "child:"
	rcv1Text   = "child-description:"
	rcv1Root   = "Root"
	rcv1None   = "None"
)

// Read implements Format.
func (f RCV1) Read(ctx context.Context, r io.Reader, name string) (*Taxonomy, error) {
	lines, err := textfile.NewLines(textfile.WithContext(ctx, r), name, syntaxError)
	if err != nil {
		return nil, err
	}
	d := newDraft(name, f.Repair, lines.Stored)
	d.joined = true
	for {
		line, err := lines.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = f.line(d, line, lines.Line())
		}
		if err != nil {
			return nil, err
		}
	}
	if len(d.names) == 0 {
		return nil, &SyntaxError{File: name, Line: 1, Msg: "no edges; expected lines of parent: CODE child: CODE child-description: TEXT"}
	}
	return d.taxonomy(f.Rules)
}

// line adds what a line says.
func (f RCV1) line(d *draft, line []byte, number int) error {
	fields := Edges{Separator: " "}.split(line, nil)
	if len(fields) == 0 {
		return nil
	}
	if len(fields) < 4 || string(fields[0].text) != rcv1Parent || string(fields[2].text) != rcv1Child || bytes.HasSuffix(fields[1].text, []byte(":")) {
		err := d.errorf(placeAt(number, fields[0].column), "%s is not an edge; expected parent: CODE child: CODE child-description: TEXT", textfile.Quote(string(line)))
		return d.fault("no edge", "line left out", err)
	}
	parent, child := fields[1], fields[3]
	if string(child.text) == rcv1Root {
		return nil
	}
	at := placeAt(number, child.column)
	n, err := d.node(child.text, at)
	if err != nil {
		return err
	}
	if p := string(parent.text); p == rcv1Root || p == rcv1None {
		return nil
	}
	at = placeAt(number, parent.column)
	p, err := d.node(parent.text, at)
	if err != nil {
		return err
	}
	return d.edge(p, n, at)
}

// Write implements Format. The descriptions are the names.
func (f RCV1) Write(w io.Writer, t *Taxonomy) error {
	return write(w, "a hierarchy of RCV1", func(out *bufio.Writer) error {
		if err := textual(t); err != nil {
			return err
		}
		for v, name := range t.names {
			if strings.ContainsAny(name, " \t\r\n") || name == rcv1Root || name == rcv1None || strings.HasSuffix(name, ":") || strings.HasPrefix(name, "\ufeff") {
				return fmt.Errorf("the name of node %d, %s, has a blank or means something else in the format; rename it, or choose another format", v, textfile.Quote(name))
			}
		}
		edge := func(parent, child string) error {
			_, err := fmt.Fprintf(out, "%s %s  %s %s  %s %s\n", rcv1Parent, parent, rcv1Child, child, rcv1Text, child)
			return err
		}
		if err := edge(rcv1None, rcv1Root); err != nil {
			return err
		}
		for _, v := range t.order {
			parents := t.parents[v]
			if len(parents) == 0 {
				if err := edge(rcv1Root, t.names[v]); err != nil {
					return err
				}
			}
			for _, p := range parents {
				if err := edge(t.names[p], t.names[v]); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
