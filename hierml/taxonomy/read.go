package taxonomy

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Read reads a taxonomy of one edge a line, parent and child separated by a tab. A line with one
// name is a root without children yet. Lines without text are skipped; a name is taken as it
// is, spaces included. Node ids are in the order in which the names appear. The name stands for the
// file in errors, which are a *SyntaxError for a line that is not an edge, or that repeats one, and a
// *CycleError, wrapped with the name, for a cycle.
func Read(r io.Reader, name string) (*Taxonomy, error) {
	var b builder
	in := bufio.NewReader(r)
	for line := 1; ; line++ {
		text, err := in.ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%s:%d: reading edges: %w", name, line, err)
		}
		text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
		if line == 1 {
			text = strings.TrimPrefix(text, "\ufeff")
		}
		if msg, column := b.line(text, line); msg != "" {
			return nil, &SyntaxError{File: name, Line: line, Column: column, Msg: msg}
		}
		if err != nil {
			break
		}
	}
	if len(b.names) == 0 {
		return nil, &SyntaxError{File: name, Line: 1, Msg: "no edges; expected lines of parent, tab, child"}
	}
	t, err := New(b.names, b.edges)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

// FromPaths returns the taxonomy in which each path is a child of the path without its last
// component: "net/http" below "net". Nodes are named by their whole paths; a path that is only
// the beginning of others becomes a node too. Node ids are in the order in which the names
// appear, parents first. A path given twice counts once. The errors are *SyntaxError, with the
// position in paths, from 1, as the line.
func FromPaths(paths []string, sep string) (*Taxonomy, error) {
	if sep == "" {
		return nil, fmt.Errorf("taxonomy: the separator of paths is empty")
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("taxonomy: no paths; at least one is needed")
	}
	var b builder
	for i, path := range paths {
		parent := -1
		for end := 0; end < len(path) || path == ""; {
			component := strings.Index(path[end:], sep)
			if component < 0 {
				component = len(path) - end
			}
			if component == 0 || end+component+len(sep) == len(path) && strings.HasSuffix(path, sep) {
				return nil, &SyntaxError{
					File: "paths", Line: i + 1, Column: end + 1,
					Msg: fmt.Sprintf("%q has an empty component; expected names separated by one %q", path, sep),
				}
			}
			end += component
			known := len(b.names)
			child := b.node(path[:end])
			if child == known && parent >= 0 {
				b.edges = append(b.edges, [2]int{parent, child})
			}
			parent = child
			end += len(sep)
		}
	}
	return New(b.names, b.edges)
}

// builder collects names and edges as they appear.
type builder struct {
	names []string
	ids   map[string]int
	edges [][2]int
	lines map[[2]int]int
}

// node returns the id of name, which it adds where it is new.
func (b *builder) node(name string) int {
	if b.ids == nil {
		b.ids = make(map[string]int)
	}
	n, ok := b.ids[name]
	if !ok {
		n = len(b.names)
		b.ids[name] = n
		b.names = append(b.names, name)
	}
	return n
}

// line adds one line of a file of edges. It returns what is wrong with it, and at which byte.
func (b *builder) line(text string, line int) (msg string, column int) {
	if strings.TrimSpace(text) == "" {
		return "", 0
	}
	parent, child, both := strings.Cut(text, "\t")
	if parent == "" {
		return "the parent's name is empty; expected parent, tab, child", 1
	}
	if !both {
		b.node(parent)
		return "", 0
	}
	if child == "" {
		return "the child's name is empty; expected parent, tab, child, or a name alone", len(text) + 1
	}
	if tab := strings.IndexByte(child, '\t'); tab >= 0 {
		return "more than two fields; expected parent, tab, child", len(parent) + 1 + tab + 1
	}
	if parent == child {
		return fmt.Sprintf("%q is its own child", parent), len(parent) + 2
	}
	e := [2]int{b.node(parent), b.node(child)}
	if first, ok := b.lines[e]; ok {
		return fmt.Sprintf("the edge from %q to %q stands already in line %d", parent, child, first), 1
	}
	if b.lines == nil {
		b.lines = make(map[[2]int]int)
	}
	b.lines[e] = line
	b.edges = append(b.edges, e)
	return "", 0
}
