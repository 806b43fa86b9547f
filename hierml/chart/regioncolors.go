package chart

import (
	"image/color"
	"math"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// nodeColors gives nodes their colours by where they are in the taxonomy: one hue to what is below
// one of the topmost parts, as leafOrder finds them, and shades of it to the nodes there.
type nodeColors struct {
	order []outlined
	group []int // of each node: the number of its part, or -1 above all of them
	shade []float64
	t     *taxonomy.Taxonomy
}

func newNodeColors(t *taxonomy.Taxonomy) *nodeColors {
	c := &nodeColors{order: outline(t), group: make([]int, t.Len()), shade: make([]float64, t.Len()), t: t}
	tops := t.Roots()
	for len(tops) == 1 && !t.IsLeaf(tops[0]) {
		tops = t.Children(tops[0])
	}
	for n := range c.group {
		c.group[n] = -1
	}
	for i, n := range tops {
		c.group[n] = i
	}
	parent := firstParents(t)
	leaves := make([]int, len(tops))
	position := make([]int, t.Len()) // of a leaf among those of its part
	for _, o := range c.order {
		n := o.node
		if p := parent[n]; c.group[n] < 0 && p >= 0 {
			c.group[n] = c.group[p]
		}
		if g := c.group[n]; g >= 0 && t.IsLeaf(n) {
			position[n] = leaves[g]
			leaves[g]++
		}
	}
	for n := range c.shade {
		c.shade[n] = 0.5
		g := c.group[n]
		switch {
		case g < 0 || !t.IsLeaf(n):
		case leaves[g] > 1:
			c.shade[n] = float64(position[n]) / float64(leaves[g]-1)
		case g >= hues:
			// There are more parts than hues, so that some share one.
			c.shade[n] = float64(g/hues%2) * 0.9
		}
	}
	return c
}

// strong is the colour of the node's points and region is that of its region: paler, as the points
// are drawn over it.
func (c *nodeColors) strong(n int) color.RGBA { return c.mix(n, 0.42, -0.36) }
func (c *nodeColors) region(n int) color.RGBA { return c.mix(n, 0.76, 0.36) }

// PointColors returns the colours of points. DecisionRegions and Margins draw an instance in the
// colour of its label, a node of t.
func PointColors(t *taxonomy.Taxonomy) func(node int) color.RGBA { return newNodeColors(t).strong }

// part is the colour of a region: paler within a margin.
func (c *nodeColors) part(r region) color.RGBA {
	full := c.region(r.node)
	if !r.within {
		return full
	}
	pale := func(v uint8) uint8 { return uint8(math.Round(0.4*float64(v) + 0.6*255)) }
	return color.RGBA{R: pale(full.R), G: pale(full.G), B: pale(full.B), A: 0xff}
}

// hues is the number of colours of parts; black is none.
var hues = len(lineColors) - 1

// mix returns the hue of the node's part, mixed with white by a share that goes from that of the
// first leaf to that of the last; a share below zero is one of black.
func (c *nodeColors) mix(n int, first, last float64) color.RGBA {
	hue, shade := color.RGBA{R: 0x77, G: 0x77, B: 0x77, A: 0xff}, 0.5
	if n >= 0 {
		shade = c.shade[n]
		if c.group[n] >= 0 {
			hue = color.RGBAModel.Convert(lineColors[c.group[n]%hues]).(color.RGBA)
		}
	}
	share, to := first+shade*(last-first), 255.0
	if share < 0 {
		share, to = -share, 0
	}
	part := func(v uint8) uint8 { return uint8(math.Round(float64(v) + share*(to-float64(v)))) }
	return color.RGBA{R: part(hue.R), G: part(hue.G), B: part(hue.B), A: 0xff}
}
