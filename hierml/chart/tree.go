package chart

import (
	"container/heap"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// The drawing of a taxonomy has at most maxRows rows, in panels of about panelRows beside each
// other.
const (
	maxRows   = 200
	panelRows = 64
	maxPanels = 4
	maxWidth  = 1200 // points; at least one level is drawn nevertheless

	rowHeight  = 13 // points, as are the following
	nameSize   = 9.5
	stepWidth  = 16 // from the end of an inner node's name to its children
	nameOffset = 5  // from a node to its name
	panelGap   = 22
	longestRow = 44 // characters of a name
)

// branch is a node as it is drawn: with the children that are, or with a word on those that are
// not.
type branch struct {
	node     int // or -1
	depth    int
	name     string
	note     string // said in a paler colour after the name
	hidden   bool   // there are children that are not drawn
	children []*branch

	x, y vg.Length // of its point, from the left and the top of its panel
}

// panel is a column of the drawing: the tops it has, below each other.
type panel struct {
	tops  []*branch
	rows  int
	width vg.Length
}

// grow returns what is drawn of the taxonomy below a virtual root: everything down to depth
// deepest, if that has at most maxRows rows; otherwise subtrees are opened, the one with the most
// leaves first, as long as their children fit.
func grow(t *taxonomy.Taxonomy, deepest int) *branch {
	g := &grower{t: t, parent: firstParents(t), few: len(t.Leaves()) <= panelRows}
	g.leaves = g.countLeaves()
	root := &branch{node: -1, depth: -1}
	g.open(root, t.Roots())
	for g.queue.Len() > 0 {
		b := heap.Pop(&g.queue).(candidate).branch
		children := g.below(b.node)
		fits := g.rows-1+len(children) <= maxRows || len(root.children) == 1 && b == root.children[0]
		if fits && b.depth < deepest {
			g.rows--
			g.open(b, children)
			continue
		}
		b.hidden = true
		b.note = strings.TrimPrefix(b.note+", "+count(g.leaves[b.node], "leaf", "leaves"), ", ")
	}
	return root
}

// grower opens branches until the rows are used up.
type grower struct {
	t      *taxonomy.Taxonomy
	parent []int // the one parent below which a node is drawn, or -1
	leaves []int // below each node, in the drawing
	few    bool  // so few rows that notes may be long
	rows   int
	queue  candidates
}

// firstParents returns the parent below which each node is drawn: its first.
func firstParents(t *taxonomy.Taxonomy) []int {
	parent := make([]int, t.Len())
	for n := range parent {
		parent[n] = -1
		if p := t.Parents(n); len(p) > 0 {
			parent[n] = p[0]
		}
	}
	return parent
}

func (g *grower) countLeaves() []int {
	leaves := make([]int, g.t.Len())
	order := g.t.Topological()
	for _, n := range slices.Backward(order) {
		if len(g.below(n)) == 0 {
			leaves[n] = 1
		}
		if p := g.parent[n]; p >= 0 {
			leaves[p] += leaves[n]
		}
	}
	return leaves
}

// below returns the children that are drawn below n.
func (g *grower) below(n int) []int {
	var children []int
	for _, c := range g.t.Children(n) {
		if g.parent[c] == n {
			children = append(children, c)
		}
	}
	return children
}

// open gives b the nodes as children, or the first of them and a word on the others.
func (g *grower) open(b *branch, nodes []int) {
	for i, n := range nodes {
		if i == maxRows-1 && len(nodes) > maxRows {
			b.children = append(b.children, &branch{node: -1, note: fmt.Sprintf("and %d more", len(nodes)-i)})
			g.rows++
			return
		}
		child := &branch{node: n, depth: b.depth + 1, name: short(g.t.Name(n), longestRow), note: g.otherParents(n)}
		b.children = append(b.children, child)
		g.rows++
		if len(g.below(n)) > 0 {
			heap.Push(&g.queue, candidate{child, g.leaves[n]})
		}
	}
}

// otherParents says below which further nodes n is.
func (g *grower) otherParents(n int) string {
	others := slices.DeleteFunc(slices.Clone(g.t.Parents(n)), func(p int) bool { return p == g.parent[n] })
	if len(others) == 0 {
		return ""
	}
	if !g.few {
		return fmt.Sprintf("+%d", len(others))
	}
	const most = 2
	var names []string
	for _, p := range others[:min(len(others), most)] {
		names = append(names, short(g.t.Name(p), 20))
	}
	if len(others) > most {
		names = append(names, fmt.Sprintf("%d more", len(others)-most))
	}
	return "also below " + strings.Join(names, ", ")
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// candidate is a branch that may be opened; candidates is a heap of them, most leaves first, then
// smallest node.
type candidate struct {
	branch *branch
	leaves int
}

type candidates []candidate

func (q candidates) Len() int { return len(q) }
func (q candidates) Less(i, j int) bool {
	if q[i].leaves != q[j].leaves {
		return q[i].leaves > q[j].leaves
	}
	return q[i].branch.node < q[j].branch.node
}
func (q candidates) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *candidates) Push(c any)   { *q = append(*q, c.(candidate)) }
func (q *candidates) Pop() any {
	last := len(*q) - 1
	c := (*q)[last]
	*q = (*q)[:last]
	return c
}

// rows returns the number of rows the branch takes.
func (b *branch) rows() int {
	total := 0
	for _, c := range b.children {
		total += c.rows()
	}
	return max(total, 1)
}

// divide puts the tops into panels as low as possible. The children of an only root are the tops of
// a large drawing; every panel then repeats the root.
func divide(root *branch) []*panel {
	tops, joint := root.children, (*branch)(nil)
	total := root.rows()
	if len(tops) == 1 && total > panelRows {
		joint = tops[0]
		tops = joint.children
	}
	parts := min((total+panelRows-1)/panelRows, maxPanels)
	height := (total + parts - 1) / parts
	panels := fill(tops, height)
	for len(panels) > parts {
		height++
		panels = fill(tops, height)
	}
	for _, p := range panels {
		if joint != nil {
			repeated := *joint
			repeated.children = p.tops
			p.tops = []*branch{&repeated}
		}
		p.place()
	}
	return panels
}

// fill puts the tops, in their order, into panels of at most height rows; a higher one has a panel
// of its own.
func fill(tops []*branch, height int) []*panel {
	var panels []*panel
	for _, b := range tops {
		if last := len(panels) - 1; last < 0 || panels[last].rows+b.rows() > height {
			panels = append(panels, &panel{})
		}
		p := panels[len(panels)-1]
		p.tops = append(p.tops, b)
		p.rows += b.rows()
	}
	return panels
}

// place sets the points of all branches of the panel, and its width. Nodes of one depth stand below
// each other, as far right as the longest name above them asks for; a leaf's row is its own, an
// inner node is in the middle of its children.
func (p *panel) place() {
	var inner []vg.Length // the longest name of an inner node, by depth
	var measure func(list []*branch, depth int)
	measure = func(list []*branch, depth int) {
		for _, b := range list {
			if len(b.children) == 0 {
				continue
			}
			for len(inner) <= depth {
				inner = append(inner, 0)
			}
			inner[depth] = max(inner[depth], b.textWidth())
			measure(b.children, depth+1)
		}
	}
	measure(p.tops, 0)
	column := make([]vg.Length, len(inner)+1)
	for d, w := range inner {
		column[d+1] = column[d] + nameOffset + w + stepWidth
	}
	row := vg.Length(0)
	var set func(b *branch, depth int)
	set = func(b *branch, depth int) {
		b.x = column[depth] + 3
		if len(b.children) == 0 {
			b.y = (row + 0.5) * rowHeight
			row++
			p.width = max(p.width, b.x+nameOffset+b.textWidth())
			return
		}
		for _, c := range b.children {
			set(c, depth+1)
		}
		b.y = (b.children[0].y + b.children[len(b.children)-1].y) / 2
		p.width = max(p.width, b.x+nameOffset+b.textWidth())
	}
	for _, b := range p.tops {
		set(b, 0)
	}
	p.rows = int(row)
}

// textWidth returns the width of the name and the note.
func (b *branch) textWidth() vg.Length {
	style := sans(nameSize, ink)
	w := style.Width(b.name)
	if b.note != "" {
		w += style.Width(" " + b.note)
	}
	return w
}
