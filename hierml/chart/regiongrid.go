package chart

import (
	"cmp"
	"context"
	"maps"
	"slices"
)

// grid is the plane in square cells, with what a model predicts at the centre of each. Cells are
// counted from the lower left, a row after the other. A side is between two cells that are
// neighbours: side 0 of a cell is at its right, side 1 at its top. A corner i, j is the lower left
// one of cell i, j. The plane ends at the centres of the outermost cells, so that borders are known
// up to its edges.
type grid struct {
	*plane
	cells int
	ask   func(ctx context.Context, places [][2]float64) ([]int, error)
	node  []int // by cell, what ask says of its centre
	// where on the line between the two centres the model changes its mind
	at map[side]([2]float64)
	// the places of the corners where more than two regions meet, and of those between such corners
	joint map[[2]int][2]float64
}

type side struct {
	cell, side int
}

// place returns the place with the coordinates x and y, in cells from the lower left.
func (g *grid) place(x, y float64) [2]float64 {
	n := float64(g.cells - 1)
	return [2]float64{g.low[0] + (g.high[0]-g.low[0])*(x-0.5)/n, g.low[1] + (g.high[1]-g.low[1])*(y-0.5)/n}
}

// centre returns the centre of a cell.
func (g *grid) centre(cell int) (x, y float64) {
	return float64(cell%g.cells) + 0.5, float64(cell/g.cells) + 0.5
}

// fill asks what is predicted at the centres.
func (g *grid) fill(ctx context.Context) error {
	places := make([][2]float64, g.cells*g.cells)
	for cell := range places {
		places[cell] = g.place(g.centre(cell))
	}
	var err error
	g.node, err = g.ask(ctx, places)
	return err
}

// neighbour returns the cell beyond a side, or -1.
func (g *grid) neighbour(s side) int {
	switch {
	case s.side == 0 && s.cell%g.cells < g.cells-1:
		return s.cell + 1
	case s.side == 1 && s.cell/g.cells < g.cells-1:
		return s.cell + g.cells
	}
	return -1
}

// borders returns the sides between cells of different nodes.
func (g *grid) borders() []side {
	var list []side
	for cell := range g.node {
		for k := range 2 {
			s := side{cell, k}
			if other := g.neighbour(s); other >= 0 && g.node[other] != g.node[cell] {
				list = append(list, s)
			}
		}
	}
	return list
}

func (g *grid) crossings() int { return len(g.borders()) }

// meet finds for every border where between the two centres the prediction changes, by halving.
func (g *grid) meet(ctx context.Context) error {
	list := g.borders()
	low, high := make([]float64, len(list)), make([]float64, len(list))
	places := make([][2]float64, len(list))
	along := func(s side, share float64) (x, y float64) {
		x, y = g.centre(s.cell)
		if s.side == 0 {
			return x + share, y
		}
		return x, y + share
	}
	for i := range high {
		high[i] = 1
	}
	for range halvings {
		for i, s := range list {
			places[i] = g.place(along(s, (low[i]+high[i])/2))
		}
		nodes, err := g.ask(ctx, places)
		if err != nil {
			return err
		}
		for i, s := range list {
			if middle := (low[i] + high[i]) / 2; nodes[i] == g.node[s.cell] {
				low[i] = middle
			} else {
				high[i] = middle
			}
		}
	}
	g.at = make(map[side][2]float64, len(list))
	for i, s := range list {
		x, y := along(s, (low[i]+high[i])/2)
		g.at[s] = [2]float64{x, y}
	}
	g.gather()
	return nil
}

// trace returns the outlines of the regions, and the lines between them by their kinds. Where they
// pass a border, they do so at the place that meet found, so that straight borders are straight;
// where more than two regions meet, all of them go through the middle.
func (g *grid) trace(kind func(a, b int) int) (parts []region, borders [3]lines) {
	n := g.cells
	steps := make(map[int]map[[2]int][]step) // by node, by corner
	add := func(node int, from [2]int, s step) {
		if steps[node] == nil {
			steps[node] = make(map[[2]int][]step)
		}
		steps[node][from] = append(steps[node][from], s)
	}
	for cell, node := range g.node {
		i, j := cell%n, cell/n
		// Around the cell, which lies at the left of each step.
		for _, around := range []struct {
			from, to [2]int
			other    int // the cell on the other side, or -1
			side     side
		}{
			{[2]int{i, j}, [2]int{i + 1, j}, g.cellAt(i, j-1), side{cell - n, 1}},
			{[2]int{i + 1, j}, [2]int{i + 1, j + 1}, g.cellAt(i+1, j), side{cell, 0}},
			{[2]int{i + 1, j + 1}, [2]int{i, j + 1}, g.cellAt(i, j+1), side{cell, 1}},
			{[2]int{i, j + 1}, [2]int{i, j}, g.cellAt(i-1, j), side{cell - 1, 0}},
		} {
			if around.other >= 0 && g.node[around.other] == node {
				continue
			}
			add(node, around.from, step{to: around.to, side: around.side, inner: around.other >= 0})
		}
	}
	for _, node := range slices.Sorted(maps.Keys(steps)) {
		parts = append(parts, region{node: node, loops: g.loops(steps[node])})
	}
	for j := range n + 1 {
		for i := range n + 1 {
			g.join(i, j, kind, &borders)
		}
	}
	return parts, borders
}

// step goes along a side of a cell, from a corner to the next.
type step struct {
	to    [2]int
	side  side
	inner bool // there is a cell on the other side
}

// loops follows the steps until there are none left, and returns their places.
func (g *grid) loops(from map[[2]int][]step) [][][2]float64 {
	corners := slices.SortedFunc(maps.Keys(from), func(a, b [2]int) int { return cmp.Or(cmp.Compare(a[1], b[1]), cmp.Compare(a[0], b[0])) })
	var loops [][][2]float64
	for _, start := range corners {
		for len(from[start]) > 0 {
			var loop [][2]float64
			for at := start; len(from[at]) > 0; {
				s := from[at][0]
				from[at] = from[at][1:]
				if place, bends := g.bend(at[0], at[1]); bends {
					loop = append(loop, g.place(place[0], place[1]))
				}
				if s.inner {
					loop = append(loop, g.place(g.at[s.side][0], g.at[s.side][1]))
				}
				at = s.to
			}
			loops = append(loops, loop)
		}
	}
	return loops
}

// cellAt returns the cell in column i and row j, or -1.
func (g *grid) cellAt(i, j int) int {
	if i < 0 || j < 0 || i >= g.cells || j >= g.cells {
		return -1
	}
	return j*g.cells + i
}

// around returns the places of the up to four borders that meet at a corner, and the nodes of the
// two cells at each.
func (g *grid) around(i, j int) (at [][2]float64, nodes [][2]int) {
	for _, s := range [4]side{{g.cellAt(i-1, j-1), 0}, {g.cellAt(i-1, j), 0}, {g.cellAt(i-1, j-1), 1}, {g.cellAt(i, j-1), 1}} {
		if s.cell < 0 {
			continue
		}
		if place, ok := g.at[s]; ok {
			at = append(at, place)
			nodes = append(nodes, [2]int{g.node[s.cell], g.node[g.neighbour(s)]})
		}
	}
	return at, nodes
}

// bend returns the place at which outlines pass a corner, if they do not go straight from border to
// border: the corner of the plane, and the place where more than two borders meet.
func (g *grid) bend(i, j int) (place [2]float64, bends bool) {
	edge := func(k int) float64 { return min(max(float64(k), 0.5), float64(g.cells)-0.5) }
	if x, y := edge(i), edge(j); x != float64(i) && y != float64(j) {
		return [2]float64{x, y}, true
	}
	place, bends = g.joint[[2]int{i, j}]
	return place, bends
}

// join adds the lines of the borders that meet at a corner.
func (g *grid) join(i, j int, kind func(a, b int) int, borders *[3]lines) {
	at, nodes := g.around(i, j)
	if len(at) == 0 {
		return
	}
	place, bends := g.bend(i, j)
	add := func(k int, from, to [2]float64) {
		if from == to {
			return
		}
		of := kind(nodes[k][0], nodes[k][1])
		borders[of] = append(borders[of], [2][2]float64{g.place(from[0], from[1]), g.place(to[0], to[1])})
	}
	if !bends {
		if len(at) == 2 { // and not one that ends at the edge of the plane
			add(0, at[0], at[1])
		}
		return
	}
	for k := range at {
		add(k, at[k], place)
	}
}
