package chart

import (
	"math"
	"slices"
)

// Corners where more than two regions meet are drawn as one if the borders between them pass at
// most nearCorners corners, and all of them are within maxJoint cells: most often there is one such
// place, such as the origin of a linear model, and the cells do not show which regions touch there.
const (
	nearCorners = 3
	maxJoint    = 5
)

// ends returns the two corners of a side.
func (g *grid) ends(s side) [2][2]int {
	i, j := s.cell%g.cells, s.cell/g.cells
	if s.side == 0 {
		return [2][2]int{{i + 1, j}, {i + 1, j + 1}}
	}
	return [2][2]int{{i, j + 1}, {i + 1, j + 1}}
}

// gather finds the places where more than two regions meet, and moves there the borders that are
// between corners of one place.
func (g *grid) gather() {
	g.joint = make(map[[2]int][2]float64)
	meeting := make(map[[2]int][]side)
	var corners [][2]int
	for _, s := range g.borders() {
		for _, c := range g.ends(s) {
			if len(meeting[c]) == 0 {
				corners = append(corners, c)
			}
			meeting[c] = append(meeting[c], s)
		}
	}
	for _, c := range corners {
		if _, done := g.joint[c]; done || len(meeting[c]) < 3 {
			continue
		}
		around := g.near(c, meeting)
		place := g.meetingPlace(around, meeting)
		for _, c := range around {
			g.joint[c] = place
		}
		for _, c := range around {
			for _, s := range meeting[c] {
				if ends := g.ends(s); slices.Contains(around, ends[0]) && slices.Contains(around, ends[1]) {
					g.at[s] = place
				}
			}
		}
	}
}

// near returns the corners that are drawn as one with a corner where more than two regions meet:
// others of that kind, and those on the way to them. If these are too far apart, it is the corner
// alone.
func (g *grid) near(c [2]int, meeting map[[2]int][]side) [][2]int {
	from := map[[2]int][2]int{c: c} // the corner before, on the way from the last one that is taken
	steps := map[[2]int]int{c: 0}
	taken := [][2]int{c}
	for queue := [][2]int{c}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		for _, s := range meeting[at] {
			for _, next := range g.ends(s) {
				_, seen := from[next]
				if _, done := g.joint[next]; seen || done || steps[at] == nearCorners {
					continue
				}
				from[next], steps[next] = at, steps[at]+1
				if len(meeting[next]) > 2 {
					for way := next; !slices.Contains(taken, way); way = from[way] {
						taken = append(taken, way)
						steps[way] = 0
					}
				}
				queue = append(queue, next)
			}
		}
	}
	low, high := c, c
	for _, t := range taken {
		for k := range 2 {
			low[k], high[k] = min(low[k], t[k]), max(high[k], t[k])
		}
	}
	if max(high[0]-low[0], high[1]-low[1]) > maxJoint {
		return [][2]int{c}
	}
	return taken
}

// meetingPlace returns the place that is nearest to the straight lines in which borders come to the
// corners, or the mean of where these borders are where there is none near by.
func (g *grid) meetingPlace(around [][2]int, meeting map[[2]int][]side) [2]float64 {
	var mean [2]float64
	var a, b, c, d, e float64 // of the normal equations: a b, b c, and d, e
	count := 0.0
	for _, corner := range around {
		for _, s := range meeting[corner] {
			ends := g.ends(s)
			outer := ends[0]
			if outer == corner {
				outer = ends[1]
			}
			if slices.Contains(around, outer) {
				continue
			}
			at := g.at[s]
			mean[0], mean[1], count = mean[0]+at[0], mean[1]+at[1], count+1
			beyond := meeting[outer]
			if len(beyond) != 2 {
				continue
			}
			next := g.at[beyond[0]]
			if beyond[0] == s {
				next = g.at[beyond[1]]
			}
			length := math.Hypot(next[0]-at[0], next[1]-at[1])
			if length < 1e-6 {
				continue
			}
			nx, ny := (at[1]-next[1])/length, (next[0]-at[0])/length
			a, b, c = a+nx*nx, b+nx*ny, c+ny*ny
			offset := nx*at[0] + ny*at[1]
			d, e = d+nx*offset, e+ny*offset
		}
	}
	corner := [2]float64{float64(around[0][0]), float64(around[0][1])}
	if count == 0 {
		return corner
	}
	mean[0], mean[1] = mean[0]/count, mean[1]/count
	if det := a*c - b*b; det > 0.02 {
		place := [2]float64{(d*c - e*b) / det, (a*e - b*d) / det}
		for _, t := range around {
			if math.Abs(place[0]-float64(t[0])) <= 1.5 && math.Abs(place[1]-float64(t[1])) <= 1.5 {
				return place
			}
		}
	}
	return mean
}
