package taxonomy

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/hierml/notebook/hierml/internal/textfile"
)

// Paths is the format with one path per line, as in FromPaths: "net/http" is a child of "net". The
// name of a node is its whole path. Lines without text are skipped, and a path may be repeated.
//
// Repairs: empty components of a path are left out, and those of all formats (see the package).
type Paths struct {
	Separator string // between the components; "" is a slash
	Repair    *Faults
	Rules     Rules
}

// Bounds of a path: the total length of the names of its nodes grows with their number times its
// length.
const (
	deepestPath = 1 << 10 // components
	longestPath = 1 << 16 // bytes
)

// FromPaths returns the taxonomy in which each path is a child of the path without its last
// component: "net/http" below "net". The name of a node is its whole path; a path that only occurs
// as the beginning of others also becomes a node. White space around components is removed: "a / b"
// becomes "a/b", see PathName. Node ids are in the order of appearance of the names, parents first.
// A repeated path counts once. A path has at most 1024 components and 65536 bytes. The errors are
// *SyntaxError, with the position in paths, from 1, as the line.
func FromPaths(paths []string, sep string) (*Taxonomy, error) {
	if sep == "" {
		return nil, fmt.Errorf("taxonomy: the separator of paths is empty")
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("taxonomy: no paths; at least one is needed")
	}
	f := Paths{Separator: sep}
	d := newDraft("paths", nil, nil)
	for i, path := range paths {
		if err := f.path(d, []byte(PathName(path, sep)), i+1); err != nil {
			return nil, err
		}
	}
	return d.taxonomy(f.Rules)
}

// PathName returns the name that FromPaths gives the node of a path: its components without
// surrounding white space, joined by the separator.
func PathName(path, sep string) string {
	if !strings.ContainsFunc(path, unicode.IsSpace) {
		return path
	}
	components := strings.Split(path, sep)
	for i, component := range components {
		components[i] = strings.TrimSpace(component)
	}
	return strings.Join(components, sep)
}

// Read implements Format.
func (f Paths) Read(ctx context.Context, r io.Reader, name string) (*Taxonomy, error) {
	lines, err := textfile.NewLines(textfile.WithContext(ctx, r), name, syntaxError)
	if err != nil {
		return nil, err
	}
	d := newDraft(name, f.Repair, lines.Stored)
	for {
		line, err := lines.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if err := f.path(d, line, lines.Line()); err != nil {
			return nil, err
		}
	}
	if len(d.names) == 0 {
		return nil, &SyntaxError{File: name, Line: 1, Msg: fmt.Sprintf("no paths; expected lines of names separated by %q", f.separator())}
	}
	return d.taxonomy(f.Rules)
}

func (f Paths) separator() string {
	if f.Separator == "" {
		return "/"
	}
	return f.Separator
}

// path adds the nodes on a path.
func (f Paths) path(d *draft, path []byte, line int) error {
	sep := []byte(f.separator())
	if len(path) > longestPath {
		return d.errorf(placeAt(line, longestPath+1), "the path has %d bytes; at most %d are allowed", len(path), longestPath)
	}
	if column := emptyComponent(path, sep); column > 0 {
		err := d.errorf(placeAt(line, column), "%s has an empty component; expected names separated by one %q", textfile.Quote(string(path)), sep)
		if err := d.fault("empty component", "left out", err); err != nil {
			return err
		}
		if path = withoutEmpty(path, sep); len(path) == 0 {
			return nil
		}
	}
	if n := bytes.Count(path, sep) + 1; n > deepestPath {
		return d.errorf(placeAt(line, 1), "the path has %d components; at most %d are allowed", n, deepestPath)
	}
	parent := -1
	for at := 0; ; at += len(sep) {
		begin := placeAt(line, at+1)
		if next := bytes.Index(path[at:], sep); next >= 0 {
			at += next
		} else {
			at = len(path)
		}
		known := len(d.names)
		child, err := d.node(path[:at], begin)
		if err != nil {
			return err
		}
		if child == known && parent >= 0 {
			if err := d.edge(parent, child, begin); err != nil {
				return err
			}
		}
		if parent = child; at == len(path) {
			return nil
		}
	}
}

// emptyComponent returns the column of the first empty component of the path, or 0.
func emptyComponent(path, sep []byte) int {
	for at := 0; ; at += len(sep) {
		next := bytes.Index(path[at:], sep)
		if next == 0 || at == len(path) {
			return at + 1
		}
		if next < 0 {
			return 0
		}
		at += next
	}
}

func withoutEmpty(path, sep []byte) []byte {
	var kept [][]byte
	for component := range bytes.SplitSeq(path, sep) {
		if len(component) > 0 {
			kept = append(kept, component)
		}
	}
	return bytes.Join(kept, sep)
}

// Write implements Format, for trees and forests. If every name is the parent's name, the separator
// and a further component, the lines are the names of the leaves. Otherwise they are the joined
// names on the paths to the leaves, so reading returns the same graph with other names.
func (f Paths) Write(w io.Writer, t *Taxonomy) error {
	return write(w, "paths", func(out *bufio.Writer) error {
		if err := textual(t); err != nil {
			return err
		}
		if !t.tree {
			return severalParents(t, "paths")
		}
		sep := f.separator()
		whole := true
		for v, name := range t.names {
			component := name
			if len(t.parents[v]) > 0 {
				var ok bool
				component, ok = strings.CutPrefix(name, t.names[t.parents[v][0]]+sep)
				whole = whole && ok
			}
			whole = whole && !strings.Contains(component, sep)
		}
		return f.writeLeaves(out, t, whole)
	})
}

// severalParents returns the error for a graph that must be a tree.
func severalParents(t *Taxonomy, what string) error {
	for v, parents := range t.parents {
		if len(parents) > 1 {
			return fmt.Errorf("%s has the parents %s and %s, and %s are only for trees; choose the format Edges, OBO or DOT",
				textfile.Quote(t.names[v]), textfile.Quote(t.names[parents[0]]), textfile.Quote(t.names[parents[1]]), what)
		}
	}
	return nil
}

func (f Paths) writeLeaves(out *bufio.Writer, t *Taxonomy, whole bool) error {
	sep := f.separator()
	var way []string
	for _, leaf := range t.leaves {
		if t.longest[leaf] >= deepestPath {
			return fmt.Errorf("%s is at depth %d; paths have at most %d components", textfile.Quote(t.names[leaf]), t.longest[leaf], deepestPath)
		}
		line := t.names[leaf]
		if !whole {
			way = append(way[:0], line)
			for v := leaf; len(t.parents[v]) > 0; {
				v = t.parents[v][0]
				way = append(way, t.names[v])
			}
			slices.Reverse(way)
			line = strings.Join(way, sep)
		}
		components := strings.Count(line, sep) + 1
		if strings.ContainsAny(line, "\n\r") || strings.HasPrefix(line, "\ufeff") || strings.TrimSpace(line) == "" ||
			len(line) > longestPath || components != t.longest[leaf]+1 || emptyComponent([]byte(line), []byte(sep)) > 0 {
			return fmt.Errorf("the path %s to a leaf has a line break or a separator %q in a name, or is too long; rename it, or choose the format JSON",
				textfile.Quote(line), sep)
		}
		if _, err := fmt.Fprintln(out, line); err != nil {
			return err
		}
	}
	return nil
}
