package chart

import (
	"cmp"
	"container/heap"
	"fmt"
	"math"
	"slices"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// The interactive form of a taxonomy has at most webNodes nodes, of one node at most webChildren
// children, and begins with at most webRows rows open. A name is at most webWidth pixels long.
const (
	webNodes    = 2000
	webChildren = 200
	webRows     = 48
	webWidth    = 300
)

// webNode is a node of the interactive form.
type webNode struct {
	node     int // or -1 for those that are left out
	parent   *webNode
	depth    int
	children []*webNode
	note     string // said in a paler colour after the name
	shut     bool   // at first
	place    int    // in the order of people's lists, from 1
	last     int    // place of the last node below
}

// webTree is what the interactive form has of a taxonomy: the nodes nearest to the roots.
type webTree struct {
	nodes  []*webNode // in the order of their places
	leaves []int      // below each node of the taxonomy
}

func newWebTree(t *taxonomy.Taxonomy) *webTree {
	g := &grower{t: t, parent: firstParents(t), few: true}
	g.leaves = g.countLeaves()
	w := &webTree{leaves: g.leaves}
	room := webNodes
	var queue []*webNode
	add := func(parent *webNode, depth int, nodes []int) (children []*webNode) {
		for i, n := range nodes[:min(len(nodes), webChildren)] {
			child := &webNode{node: n, parent: parent, depth: depth, note: g.otherParents(n)}
			if i == webChildren-1 && len(nodes) > webChildren {
				child.node, child.note = -1, fmt.Sprintf("and %d more", len(nodes)-i)
			}
			children = append(children, child)
		}
		room -= len(children)
		queue = append(queue, children...)
		return children
	}
	roots := add(nil, 0, t.Roots())
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		if n.node < 0 {
			continue
		}
		below := g.below(n.node)
		if len(below) == 0 {
			continue
		}
		if min(len(below), webChildren) > room {
			n.note += fmt.Sprintf("%s not shown", count(g.leaves[n.node], "leaf", "leaves"))
			continue
		}
		n.children = add(n, n.depth+1, below)
	}
	w.shut(roots)
	w.number(roots)
	return w
}

// shut leaves open what there is room for at first: the nodes with the most leaves, and the only
// root.
func (w *webTree) shut(roots []*webNode) {
	rows := len(roots)
	candidates := &webCandidates{leaves: w.leaves}
	add := func(nodes []*webNode) {
		for _, n := range nodes {
			if len(n.children) > 0 {
				n.shut = true
				heap.Push(candidates, n)
			}
		}
	}
	add(roots)
	for candidates.Len() > 0 {
		n := heap.Pop(candidates).(*webNode)
		if rows-1+len(n.children) <= webRows || n.parent == nil && len(roots) == 1 {
			n.shut = false
			rows += len(n.children) - 1
			add(n.children)
		}
	}
}

// webCandidates is a heap of nodes to open: most leaves first, then smallest node.
type webCandidates struct {
	nodes  []*webNode
	leaves []int
}

func (q *webCandidates) Len() int { return len(q.nodes) }
func (q *webCandidates) Less(i, j int) bool {
	a, b := q.nodes[i].node, q.nodes[j].node
	return cmp.Or(cmp.Compare(q.leaves[b], q.leaves[a]), cmp.Compare(a, b)) < 0
}
func (q *webCandidates) Swap(i, j int) { q.nodes[i], q.nodes[j] = q.nodes[j], q.nodes[i] }
func (q *webCandidates) Push(n any)    { q.nodes = append(q.nodes, n.(*webNode)) }
func (q *webCandidates) Pop() any {
	last := len(q.nodes) - 1
	n := q.nodes[last]
	q.nodes = q.nodes[:last]
	return n
}

// number gives the nodes their places, each before those below it.
func (w *webTree) number(roots []*webNode) {
	stack := slices.Clone(roots)
	slices.Reverse(stack)
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		w.nodes = append(w.nodes, n)
		n.place = len(w.nodes)
		for _, c := range slices.Backward(n.children) {
			stack = append(stack, c)
		}
	}
	for _, n := range slices.Backward(w.nodes) {
		n.last = max(n.last, n.place)
		if n.parent != nil {
			n.parent.last = max(n.parent.last, n.last)
		}
	}
}

// webTaxonomy is the interactive form of a taxonomy, in colours if they are not nil.
type webTaxonomy struct {
	t      *taxonomy.Taxonomy
	colors *coloring
}

// spec returns a tree whose nodes fold and unfold by a click. A node that is folded hides the
// places after its own up to the last below it; the rows of the others follow from the tree that is
// left.
func (w *webTaxonomy) spec(f *Figure) object {
	tree := newWebTree(w.t)
	style := sans(nameSize, ink)
	wide := func(s string) float64 { return min(math.Round(wideness*pixels(style.Width(s))), webWidth) }
	nodes, shut := list{object{"id": 0}}, list{}
	var column []float64 // the longest name of an inner node, by depth
	for _, n := range tree.nodes {
		row := object{"id": n.place, "parent": 0, "last": n.last, "depth": n.depth, "note": n.note}
		if n.parent != nil {
			row["parent"] = n.parent.place
		}
		name := ""
		if n.node >= 0 {
			name = short(w.t.Name(n.node), longestRow)
			row["node"], row["path"] = short(w.t.Name(n.node), longestName), path(w.t, n.node)
			row["leaves"] = tree.leaves[n.node]
			row["leaf"] = w.t.IsLeaf(n.node)
			if w.colors != nil {
				v := w.colors.values[n.node]
				row["color"], row["value"] = hex(w.colors.colors.color(v)), number(v)
				if w.colors.marked != nil && w.colors.marked[n.node] {
					row["marked"] = true
				}
			}
		}
		row["name"], row["w"] = name, wide(name)
		full := wide(name)
		if n.note != "" {
			full += 6 + wide(n.note)
		}
		row["full"] = full
		if len(n.children) > 0 {
			row["inner"] = true
			for len(column) <= n.depth {
				column = append(column, 0)
			}
			column[n.depth] = max(column[n.depth], full)
		}
		if n.shut {
			shut = append(shut, object{"id": n.place})
		}
		nodes = append(nodes, row)
	}
	left := []float64{6}
	for d, width := range column {
		left = append(left, left[d]+webOffset+width+webStep)
	}
	for _, row := range nodes[1:] {
		row := row.(object)
		row["x"] = left[row["depth"].(int)]
		delete(row, "depth")
	}

	symbol := object{
		"x": field("x"), "y": signal("datum.row - top"), "size": signal("datum.inner ? 60 : 40"),
		"shape": signal("datum.shut ? 'triangle-right' : 'circle'"),
		"fill":  signal(fmt.Sprintf("datum.shut ? '%s' : datum.inner ? '%s' : '%s'", hex(lineColors[1]), hex(lineColors[0]), hex(lineColors[2]))),
	}
	about := []string{"node", "datum.node", "path", "datum.path", "leaves below", "datum.leaf ? 'none: it is a leaf' : datum.leaves"}
	legends, scales := list{}, list{}
	if w.colors != nil {
		symbol["fill"], symbol["stroke"], symbol["size"] = field("color"), value(hex(paleInk)), value(90)
		about = append(about, w.colors.what, "datum.value")
		if w.colors.marked != nil {
			symbol["stroke"] = signal(fmt.Sprintf("datum.marked ? '%s' : '%s'", hex(lineColors[1]), hex(paleInk)))
			symbol["strokeWidth"] = signal("datum.marked ? 3 : 1")
		}
		scales, legends = w.colors.webScale()
	}
	hint := "click a node to fold it or to unfold it"
	if len(shut) == 0 && len(column) == 0 {
		hint = ""
	}
	return vega(object{
		"padding": 6, "title": heading(titleLines(f.title(f.Plot)), hint),
		"signals": list{
			object{"name": "clicked", "value": nil, "on": list{object{"events": "@node:click", "update": "datum.inner ? {id: datum.id} : null", "force": true}}},
			object{"name": "top", "update": fmt.Sprintf("span[0] - %v", webRow/2.)},
			object{"name": "width", "update": "max(across[1], 220)"},
			object{"name": "height", "update": fmt.Sprintf("span[1] - span[0] + %d", webRow)},
		},
		"data": list{
			object{"name": "shut", "values": shut, "on": list{object{"trigger": "clicked", "toggle": "clicked"}}},
			object{"name": "nodes", "values": nodes},
			object{"name": "tree", "source": "nodes", "transform": list{
				object{"type": "lookup", "from": "shut", "key": "id", "fields": list{"id"}, "as": list{"shut"}},
				object{"type": "formula", "expr": "datum.shut ? datum.last : -1", "as": "hides"},
				object{"type": "window", "sort": object{"field": "id"}, "ops": list{"max"}, "fields": list{"hides"}, "as": list{"reach"}, "frame": list{nil, 0}},
				object{"type": "window", "sort": object{"field": "id"}, "ops": list{"lag"}, "fields": list{"reach"}, "params": list{1}, "as": list{"hidden"}},
				object{"type": "filter", "expr": "datum.id == 0 || !(datum.hidden >= datum.id)"},
				object{"type": "stratify", "key": "id", "parentKey": "parent"},
				object{"type": "tree", "method": "cluster", "nodeSize": list{webRow, 1}, "separation": false, "as": list{"row", "level", "depth", "children"}},
			}},
			object{"name": "shown", "source": "tree", "transform": list{
				object{"type": "filter", "expr": "datum.id > 0"},
				object{"type": "formula", "expr": fmt.Sprintf("datum.x + %d + datum.full", webOffset), "as": "right"},
				object{"type": "extent", "field": "row", "signal": "span"},
				object{"type": "extent", "field": "right", "signal": "across"},
			}},
			object{"name": "links", "source": "tree", "transform": list{
				object{"type": "treelinks"},
				object{"type": "filter", "expr": "datum.source.id > 0"},
			}},
		},
		"scales": scales, "legends": legends,
		"marks": list{
			mark("path", "links", object{
				"path": signal(fmt.Sprintf("'M' + (datum.source.x + %d + datum.source.full) + ',' + (datum.source.row - top) + 'H' + (datum.target.x - %d) + 'V' + (datum.target.row - top) + 'H' + datum.target.x",
					webOffset+3, webStep/2)),
				"stroke": value(hex(frameInk)), "strokeWidth": value(1),
			}),
			mark("symbol", "shown", symbol),
			write("shown", "datum.name", object{"x": signal(fmt.Sprint("datum.x + ", webOffset)), "y": signal("datum.row - top"), "limit": value(webWidth),
				"fill": signal(fmt.Sprintf("datum.inner ? '%s' : '%s'", hex(lineColors[0]), hex(ink)))}),
			write("shown", "datum.shut ? datum.note || (datum.leaves + (datum.leaves == 1 ? ' leaf' : ' leaves')) : datum.note",
				object{"x": signal(fmt.Sprintf("datum.x + %d + datum.w", webOffset+6)), "y": signal("datum.row - top"), "limit": value(webWidth), "fill": value(hex(paleInk))}),
			namedMark("node", hovered(mark("rect", "shown", object{
				"x": signal("datum.x - 7"), "x2": signal("datum.right + 4"), "yc": signal("datum.row - top"), "height": value(webRow),
				"fill": value(hex(ink)), "fillOpacity": value(0), "cursor": signal("datum.inner ? 'pointer' : 'default'"),
				"tooltip": signal("datum.node ? " + tooltip(about...)["signal"].(string) + " : null"),
			}))),
		},
	})
}

const (
	webOffset = 9  // from a node to its name
	webStep   = 22 // from the end of an inner node's name to its children
)

func namedMark(name string, mark object) object {
	mark["name"] = name
	return mark
}

// webScale returns the scale of the colours and what explains it.
func (c *coloring) webScale() (scales, legends list) {
	s := c.colors
	legend := object{"fill": "color", "title": c.what, "orient": "bottom", "direction": "horizontal", "titleLimit": 300}
	if math.IsNaN(s.low) {
		return list{object{"name": "color", "type": "ordinal", "domain": list{"no node has a value"}, "range": list{hex(noValue)}}}, list{legend}
	}
	if s.low == s.high {
		return list{object{"name": "color", "type": "ordinal", "domain": list{number(s.low)}, "range": list{hex(s.color(s.low))}}}, list{legend}
	}
	domain, colors := list{}, list{}
	for k := range stripSteps + 1 {
		v := s.low + (s.high-s.low)*float64(k)/stripSteps
		domain, colors = append(domain, v), append(colors, hex(s.color(v)))
	}
	legend["values"] = s.named(func(text string) float64 { return wideness * float64(sans(nameSize, ink).Width(text)) })
	legend["type"], legend["gradientLength"], legend["gradientThickness"] = "gradient", pixels(stripWidth), 12
	return list{object{"name": "color", "type": "linear", "domain": domain, "range": colors, "zero": false}}, list{legend}
}
