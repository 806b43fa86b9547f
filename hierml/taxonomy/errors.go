package taxonomy

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/hierml/notebook/hierml/internal/textfile"
)

// CycleError means that the edges contain a cycle and so are not a taxonomy.
type CycleError struct {
	// the cycle, each node the parent of the next and the last the parent of the first
	Nodes []int
	Names []string // their names
}

func (e *CycleError) Error() string { return "taxonomy: " + e.message() }

func (e *CycleError) message() string {
	const most = 8
	var names []string
	for _, name := range e.Names[:min(len(e.Names), most)] {
		if len(name) > 40 || strings.ContainsFunc(name, unicode.IsControl) {
			name = textfile.Quote(name)
		}
		names = append(names, name)
	}
	middle := " > "
	if more := len(e.Names) - most; more > 0 {
		middle = fmt.Sprintf(" > ... %d more ... > ", more)
	}
	return fmt.Sprintf("the edges form a cycle: %s%s%s; remove one of them", strings.Join(names, " > "), middle, names[0])
}

// DuplicateError means that a node name or an edge occurs twice.
type DuplicateError struct {
	Kind          string // "node name" or "edge"
	Name          string // the name, or both names of the edge, quoted
	First, Second int    // their positions in what was given, from 0
}

func (e *DuplicateError) Error() string {
	return fmt.Sprintf("taxonomy: %s %s is given twice, at positions %d and %d; give it once", e.Kind, e.Name, e.First, e.Second)
}

// RangeError means that an edge refers to a node that does not exist.
type RangeError struct {
	Edge int // position of the edge in what was given, from 0
	Node int // the id it names
	Len  int // number of nodes
}

func (e *RangeError) Error() string {
	return fmt.Sprintf("taxonomy: edge %d names node %d; nodes are 0 to %d", e.Edge, e.Node, e.Len-1)
}

// NameError means that a node has no name.
type NameError struct {
	Node int
}

func (e *NameError) Error() string {
	return fmt.Sprintf("taxonomy: the name of node %d is empty; every node needs a name", e.Node)
}

// SyntaxError reports a fault of a file, or of a list of paths, with its place.
type SyntaxError struct {
	File   string // the name the reader was given
	Line   int    // from 1; 0 for the whole file
	Column int    // from 1, in bytes; 0 for the whole line
	Msg    string
	Err    error // what it is more exactly, such as a *CycleError; nil mostly
}

// Unwrap returns Err.
func (e *SyntaxError) Unwrap() error { return e.Err }

func (e *SyntaxError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Msg)
	}
	if e.Column == 0 {
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Msg)
}

// Methods panic with a noNode for a node that does not exist, or for a nil taxonomy. Its text is
// composed only when it is read, so that the methods stay small.
type noNode struct {
	t    *Taxonomy
	node int
}

func (e noNode) Error() string {
	switch {
	case e.t == nil:
		return "taxonomy: the taxonomy is nil; check the error of the function that should have returned it"
	case len(e.t.names) == 0:
		return fmt.Sprintf("taxonomy: there is no node %d; the taxonomy has no nodes", e.node)
	}
	return fmt.Sprintf("taxonomy: there is no node %d; the taxonomy has the nodes 0 to %d", e.node, len(e.t.names)-1)
}

// ErrNone is the error of functions that are called with a nil taxonomy.
var ErrNone error = noNode{}
