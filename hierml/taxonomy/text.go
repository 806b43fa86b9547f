package taxonomy

import (
	"fmt"
	"strings"
)

// Limits of String: lines of the tree, and children of one node if the tree is larger.
const (
	maxLines    = 60
	maxRoots    = 24
	maxChildren = 10
)

// String returns the taxonomy as an indented tree of at most about sixty lines, choosing the nodes
// nearest to the roots first. A node with several parents appears below each; its descendants are
// printed once.
func (t *Taxonomy) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, %s, depth %d\n", t.kind(), count(len(t.names), "node", "nodes"),
		count(len(t.leaves), "leaf", "leaves"), t.height())
	p := printer{t: t, b: &b, printed: make([]bool, len(t.names)), shown: t.choose()}
	p.list(t.roots, p.shown.roots, "", true)
	return b.String()
}

// kind says in a word or two what the graph is.
func (t *Taxonomy) kind() string {
	switch {
	case !t.tree:
		return "directed acyclic graph"
	case len(t.roots) == 1:
		return "tree"
	default:
		return fmt.Sprintf("forest of %d trees", len(t.roots))
	}
}

func (t *Taxonomy) height() int {
	h := 0
	for _, l := range t.leaves {
		h = max(h, t.longest[l])
	}
	return h
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// selection has the number of roots, and of children of each node, to print.
type selection struct {
	roots    int
	children map[int]int
}

// choose fills the lines level by level.
func (t *Taxonomy) choose() selection {
	s := selection{roots: len(t.roots), children: make(map[int]int)}
	perNode := len(t.names)
	if len(t.roots)+len(t.edges) > maxLines {
		s.roots, perNode = min(s.roots, maxRoots), maxChildren
	}
	left := maxLines - s.roots
	queue := t.roots[:s.roots:s.roots]
	for i := 0; i < len(queue); i++ {
		v := queue[i]
		if _, ok := s.children[v]; ok {
			continue
		}
		k := min(len(t.children[v]), perNode)
		// A node whose children are cut needs a line to say so; one line says as much as one child.
		if lines := min(k+1, len(t.children[v])); lines > left {
			k = max(left-1, 0)
		}
		if k == 0 && len(t.children[v]) > 0 {
			s.children[v] = 0
			continue
		}
		left -= min(k+1, len(t.children[v]))
		s.children[v] = k
		queue = append(queue, t.children[v][:k]...)
	}
	return s
}

// printer writes the selected nodes.
type printer struct {
	t       *Taxonomy
	b       *strings.Builder
	printed []bool
	shown   selection
}

func (p *printer) list(nodes []int, k int, indent string, top bool) {
	for i, v := range nodes[:k] {
		tick, below := "├── ", "│   "
		if i == len(nodes)-1 {
			tick, below = "└── ", "    "
		}
		if top {
			tick, below = "", ""
		}
		p.node(v, indent+tick, indent+below)
	}
	if rest := len(nodes) - k; rest > 0 {
		tick := "└── "
		if top {
			tick = ""
		}
		fmt.Fprintf(p.b, "%s%s… %d more\n", indent, tick, rest)
	}
}

func (p *printer) node(v int, line, below string) {
	children := p.t.children[v]
	k := p.shown.children[v]
	switch {
	case len(children) == 0:
		fmt.Fprintf(p.b, "%s%s\n", line, p.t.names[v])
	case p.printed[v]:
		fmt.Fprintf(p.b, "%s%s (see above)\n", line, p.t.names[v])
	case k == 0:
		fmt.Fprintf(p.b, "%s%s (%s below)\n", line, p.t.names[v], count(len(p.t.Descendants(v))-1, "node", "nodes"))
	default:
		p.printed[v] = true
		fmt.Fprintf(p.b, "%s%s\n", line, p.t.names[v])
		p.list(children, k, below, false)
	}
}
