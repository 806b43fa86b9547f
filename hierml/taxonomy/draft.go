package taxonomy

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hierml/notebook/hierml/internal/textfile"
)

// place is a line and a column of a file, from 1. It is 0 where there is none.
type place struct{ line, column int32 }

func placeAt(line, column int) place {
	return place{int32(min(line, math.MaxInt32)), int32(min(column, math.MaxInt32))}
}

// draft is a graph as a file gives it: with places and with faults, which are errors, or repaired
// and counted.
type draft struct {
	file   string
	repair *Faults // nil: the first fault is an error
	names  []string
	ids    map[string]int
	// numbers are the last ones behind names that several nodes have.
	numbers map[string]int
	nodes   []place // of each node, where it is mentioned first
	edges   [][2]int
	lines   []place // of each edge
	joined  bool    // an edge may be given several times
	advice  string  // what to do if the next name is that of a node already
	// stored returns how many bytes of the file were read, before decompression; nil of what is no
	// file.
	stored func() int64
}

func newDraft(file string, repair *Faults, stored func() int64) *draft {
	return &draft{file: file, repair: repair, ids: make(map[string]int), stored: stored}
}

// The allowed number of nodes and edges per byte of the file, in addition to a fixed number. Well
// compressed files have at most one or two per byte.
const (
	maxPerByte = 4
	maxAnyway  = 1 << 20
)

// room returns an error if there are more nodes or edges than a file of that size can mean.
func (d *draft) room(n int, what string, at place) error {
	if d.stored == nil || n < maxAnyway || int64(n) < maxAnyway+maxPerByte*d.stored() {
		return nil
	}
	return d.errorf(at, "%d %s of the %d bytes that were read; the file was made to fill the memory, or is damaged", n, what, d.stored())
}

// errorf returns an error at the place.
func (d *draft) errorf(at place, format string, args ...any) *SyntaxError {
	return &SyntaxError{File: d.file, Line: int(at.line), Column: int(at.column), Msg: fmt.Sprintf(format, args...)}
}

// fault returns the fault as an error, or nil if it is to be repaired.
func (d *draft) fault(kind, repair string, err *SyntaxError) error {
	if d.repair == nil {
		return err
	}
	d.repair.Add(kind, repair, err)
	return nil
}

// quoted is the name of a node in messages.
func (d *draft) quoted(n int) string { return textfile.Quote(d.names[n]) }

// node returns the id of the name, which becomes a node where it is new.
func (d *draft) node(name []byte, at place) (int, error) {
	if n, ok := d.ids[string(name)]; ok {
		return n, nil
	}
	clean, err := d.clean(string(name), at)
	if err != nil {
		return 0, err
	}
	if n, ok := d.ids[clean]; ok {
		return n, nil
	}
	n, err := d.blank(at)
	if err != nil {
		return 0, err
	}
	d.names[n] = clean
	d.ids[clean] = n
	return n, nil
}

// blank adds a node that has no name yet.
func (d *draft) blank(at place) (int, error) {
	if err := d.room(len(d.names), "nodes", at); err != nil {
		return 0, err
	}
	d.names = append(d.names, "")
	d.nodes = append(d.nodes, at)
	return len(d.names) - 1, nil
}

// call gives a name to a node without one.
func (d *draft) call(n int, name string, at place) error {
	name, err := d.clean(name, at)
	if err != nil {
		return err
	}
	if first, ok := d.ids[name]; ok {
		err := d.errorf(at, "%s is already a node (%s); names must be distinct%s", textfile.Quote(name), d.where(d.nodes[first]), d.advice)
		if err := d.fault("duplicate name", "a number added to the name", err); err != nil {
			return err
		}
		name = d.free(name)
	}
	d.names[n] = name
	d.ids[name] = n
	d.nodes[n] = at
	return nil
}

// free returns the name with a number behind that no node has.
func (d *draft) free(name string) string {
	for i := max(2, d.numbers[name]+1); ; i++ {
		numbered := fmt.Sprintf("%s (%d)", name, i)
		if _, taken := d.ids[numbered]; !taken {
			if d.numbers == nil {
				d.numbers = make(map[string]int)
			}
			d.numbers[name] = i
			return numbered
		}
	}
}

func (d *draft) where(at place) string { return fmt.Sprintf("line %d, column %d", at.line, at.column) }

// clean returns the name if it is text, otherwise the repaired name.
func (d *draft) clean(name string, at place) (string, error) {
	if strings.IndexByte(name, 0) >= 0 {
		return "", d.errorf(at, "the name %s has a NUL byte; the file is damaged, or not a text file", textfile.Quote(name))
	}
	if utf8.ValidString(name) {
		return name, nil
	}
	err := d.errorf(at, "the name %s is not UTF-8; convert the file to UTF-8", textfile.Quote(name))
	if err := d.fault("name not in UTF-8", "read as Latin-1", err); err != nil {
		return "", err
	}
	var b strings.Builder
	for i := range len(name) {
		b.WriteRune(rune(name[i]))
	}
	return b.String(), nil
}

// edge adds an edge. Both ends are nodes.
func (d *draft) edge(parent, child int, at place) error {
	if parent == child {
		return d.fault("self loop", "left out", d.errorf(at, "%s is its own child; remove the edge", d.quoted(parent)))
	}
	if err := d.room(len(d.edges), "edges", at); err != nil {
		return err
	}
	d.edges = append(d.edges, [2]int{parent, child})
	d.lines = append(d.lines, at)
	return nil
}

// taxonomy checks and repairs the whole, and returns it.
func (d *draft) taxonomy(rules Rules) (*Taxonomy, error) {
	if len(d.names) > 0 && len(d.ids) < len(d.names) {
		d.nameBlanks()
	}
	order := ascending(len(d.names), d.edges)
	if again := repeated(d.edges, order); len(again) > 0 {
		if err := d.dropRepeated(again); err != nil {
			return nil, err
		}
		order = ascending(len(d.names), d.edges)
	}
	t, err := build(d.names, d.ids, pick(d.edges, order))
	if err != nil {
		if d.repair == nil {
			return nil, d.placeCycle(err.(*CycleError))
		}
		d.breakCycles(order)
		if t, err = d.build(); err != nil {
			return nil, err
		}
	}
	return rules.apply(d, t)
}

// build returns the taxonomy of edges that are distinct.
func (d *draft) build() (*Taxonomy, error) {
	return build(d.names, d.ids, pick(d.edges, ascending(len(d.names), d.edges)))
}

// nameBlanks names the nodes that have no name by numbers.
func (d *draft) nameBlanks() {
	number := 0
	for n, name := range d.names {
		for name == "" {
			number++
			numbered := fmt.Sprintf("node %d", number)
			if _, taken := d.ids[numbered]; !taken {
				name = numbered
			}
		}
		if d.names[n] == "" {
			d.names[n] = name
			d.ids[name] = n
		}
	}
}

func (d *draft) dropRepeated(again []repetition) error {
	positions := make([]int, len(again))
	for k, r := range again {
		positions[k] = r.edge
		if d.joined || d.counted("duplicate edge") {
			continue
		}
		parent, child := d.quoted(d.edges[r.edge][0]), d.quoted(d.edges[r.edge][1])
		first, at := d.lines[r.of], d.lines[r.edge]
		where := fmt.Sprintf("in line %d", first.line)
		if first.line == at.line {
			where = fmt.Sprintf("at column %d", first.column)
		}
		err := d.errorf(at, "the edge from %s to %s is already %s; give it once", parent, child, where)
		if err := d.fault("duplicate edge", "left out", err); err != nil {
			return err
		}
	}
	d.drop(positions)
	return nil
}

// counted counts a further fault of a kind that was repaired before, and reports whether there was
// one.
func (d *draft) counted(kind string) bool {
	if d.repair.Count(kind) == 0 {
		return false
	}
	d.repair.Add(kind, "", nil)
	return true
}

// drop leaves out the edges at the positions, which are ascending.
func (d *draft) drop(positions []int) {
	kept := 0
	for i := range d.edges {
		if len(positions) > 0 && positions[0] == i {
			positions = positions[1:]
			continue
		}
		d.edges[kept], d.lines[kept] = d.edges[i], d.lines[i]
		kept++
	}
	d.edges, d.lines = d.edges[:kept], d.lines[:kept]
}

// placeCycle sets the place of the cycle to its last edge in the file, and rotates the cycle to end
// there.
func (d *draft) placeCycle(cycle *CycleError) error {
	k := len(cycle.Nodes)
	position := make(map[int]int, k)
	for i, v := range cycle.Nodes {
		position[v] = i
	}
	var at place
	begin := 0
	for i, e := range d.edges {
		if from, ok := position[e[0]]; ok && cycle.Nodes[(from+1)%k] == e[1] {
			at, begin = d.lines[i], (from+1)%k
		}
	}
	cycle.Nodes = slices.Concat(cycle.Nodes[begin:], cycle.Nodes[:begin])
	cycle.Names = slices.Concat(cycle.Names[begin:], cycle.Names[:begin])
	err := d.errorf(at, "%s", cycle.message())
	err.Err = cycle
	return err
}

// breakCycles leaves out the edges that lead back to a node above them, on a depth-first walk from
// the roots and then from what no root is above, nodes in the order of their ids. The order is that
// of the edges.
func (d *draft) breakCycles(order []int) {
	n := len(d.names)
	start := make([]int, n+1) // of the node's edges in order
	orphan := slices.Repeat([]bool{true}, n)
	for _, e := range d.edges {
		start[e[0]+1]++
		orphan[e[1]] = false
	}
	for v := range n {
		start[v+1] += start[v]
	}
	const (
		unseen = iota
		open
		done
	)
	state := make([]uint8, n)
	at := slices.Clone(start[:n])
	var back, path []int
	walk := func(root int) {
		path = append(path[:0], root)
		state[root] = open
		for len(path) > 0 {
			v := path[len(path)-1]
			if at[v] == start[v+1] {
				state[v] = done
				path = path[:len(path)-1]
				continue
			}
			i := order[at[v]]
			at[v]++
			switch c := d.edges[i][1]; state[c] {
			case open:
				back = append(back, i)
			case unseen:
				state[c] = open
				path = append(path, c)
			}
		}
	}
	for _, roots := range [2]bool{true, false} {
		for v := range n {
			if orphan[v] == roots && state[v] == unseen {
				walk(v)
			}
		}
	}
	slices.Sort(back)
	for _, i := range back {
		e := d.edges[i]
		d.repair.Add("cycle", "edge left out", d.errorf(d.lines[i], "the edge from %s to %s closes a cycle", d.quoted(e[0]), d.quoted(e[1])))
	}
	d.drop(back)
}
