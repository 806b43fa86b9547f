package chart

import (
	"cmp"
	"image"
	"image/color"
	"image/draw"
	"maps"
	"slices"
)

// paletted returns img with the 256 colours of most of its dots, every other one replaced by the
// nearest of those. What a figure has beyond its few colours is the blur of edges, and without it
// the PNG is less than half as large.
func paletted(img image.Image) *image.Paletted {
	rgba := image.NewRGBA(img.Bounds())
	draw.Draw(rgba, rgba.Rect, img, rgba.Rect.Min, draw.Src)
	dots := map[color.RGBA]int{}
	runs(rgba, func(c color.RGBA, _, length int) { dots[c] += length })
	frequent := slices.SortedFunc(maps.Keys(dots), func(a, b color.RGBA) int {
		return cmp.Or(
			cmp.Compare(dots[b], dots[a]),
			cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B), cmp.Compare(a.A, b.A),
		)
	})
	var palette color.Palette
	for _, c := range frequent[:min(256, len(frequent))] {
		palette = append(palette, c)
	}
	index := make(map[color.RGBA]uint8, len(dots))
	for c := range dots {
		index[c] = uint8(palette.Index(c))
	}
	p := image.NewPaletted(rgba.Rect, palette)
	runs(rgba, func(c color.RGBA, at, length int) {
		for i := range length {
			p.Pix[at+i] = index[c]
		}
	})
	return p
}

// runs calls f with every run of dots of one colour: where it starts, counting the dots line by
// line, and its length.
func runs(img *image.RGBA, f func(c color.RGBA, at, length int)) {
	dot := func(i int) color.RGBA {
		p := img.Pix[4*i : 4*i+4]
		return color.RGBA{p[0], p[1], p[2], p[3]}
	}
	for at, n := 0, len(img.Pix)/4; at < n; {
		c, end := dot(at), at+1
		for end < n && dot(end) == c {
			end++
		}
		f(c, at, end-at)
		at = end
	}
}
