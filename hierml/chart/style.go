package chart

import (
	"image/color"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The colours that Okabe and Ito chose [OI08] so that all eyes tell them apart; yellow is left out,
// being too pale on white.
var lineColors = []color.Color{
	color.RGBA{R: 0x00, G: 0x72, B: 0xb2, A: 0xff}, // blue
	color.RGBA{R: 0xd5, G: 0x5e, B: 0x00, A: 0xff}, // vermilion
	color.RGBA{R: 0x00, G: 0x9e, B: 0x73, A: 0xff}, // green
	color.RGBA{R: 0xcc, G: 0x79, B: 0xa7, A: 0xff}, // purple
	color.RGBA{R: 0xe6, G: 0x9f, B: 0x00, A: 0xff}, // orange
	color.RGBA{R: 0x56, G: 0xb4, B: 0xe9, A: 0xff}, // sky blue
	color.Black,
}

var (
	lineDashes = [][]vg.Length{nil, {7, 3}, {2, 2.5}, {8, 2.5, 2, 2.5}}
	glyphs     = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}}

	// The ink of what is drawn on the page, which is another on a dark one, see onPage.
	ink      = color.Gray{Y: 0x22}
	paleInk  = color.Gray{Y: 0x66}
	gridInk  = color.Gray{Y: 0xe2}
	frameInk = color.Gray{Y: 0x99}

	// The ink of what is drawn on colours, which is the same on all pages.
	inkOnColor   = color.Gray{Y: 0x23}
	paleOnColor  = color.Gray{Y: 0x67}
	gridOnColor  = color.Gray{Y: 0xe3}
	frameOnColor = color.Gray{Y: 0x98}
)

// pageInk is how an ink is drawn on a page of any theme: in the colour of the page's text, and
// thinner where it is pale.
type pageInk struct {
	ink     color.Color
	opacity float64
}

var pageInks = []pageInk{{ink, 1}, {color.Black, 1}, {paleInk, 0.72}, {frameInk, 0.5}, {gridInk, 0.15}}

const typeface = "Liberation"

// sans returns the text style of the given size in points.
func sans(size vg.Length, c color.Color) text.Style {
	return text.Style{
		Color:   c,
		Font:    font.From(font.Font{Typeface: typeface, Variant: "Sans"}, size),
		XAlign:  draw.XLeft,
		YAlign:  draw.YCenter,
		Handler: plot.DefaultTextHandler,
	}
}

// colored are the methods with styles of their own: each has that of its place.
var colored = []string{"flat", "hierarchical", "normalized", "shared", "orthogonal", "hieron"}

// methodStyles returns the number of each method's style. A method of the list colored has its
// own, also with settings after a comma, as "flat, C=1": of several the first. The others take the
// styles that are left, in their order.
func methodStyles(names []string) []int {
	styles := make([]int, len(names))
	taken := make(map[int]bool)
	for i, name := range names {
		method, _, _ := strings.Cut(name, ",")
		styles[i] = slices.IndexFunc(colored, func(c string) bool { return strings.EqualFold(c, method) })
		if taken[styles[i]] {
			styles[i] = -1
		}
		taken[styles[i]] = true
	}
	free := 0
	for i, style := range styles {
		if style >= 0 {
			continue
		}
		for taken[free] {
			free++
		}
		styles[i], taken[free] = free, true
	}
	return styles
}

// lineStyle returns the style of line i.
func lineStyle(i int) draw.LineStyle {
	return draw.LineStyle{
		Color:  lineColors[i%len(lineColors)],
		Width:  1.6,
		Dashes: lineDashes[i%len(lineDashes)],
	}
}

func glyphStyle(i int) draw.GlyphStyle {
	return draw.GlyphStyle{
		Color:  lineColors[i%len(lineColors)],
		Radius: 3,
		Shape:  glyphs[i%len(glyphs)],
	}
}

// newPlot returns an empty plot in the style of this package.
func newPlot(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text = title
	p.Title.TextStyle.Font = sans(13, ink).Font
	p.Title.TextStyle.Color = ink
	p.Title.Padding = 8
	p.X.Label.Text, p.Y.Label.Text = x, y
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle.Font = sans(12, ink).Font
		axis.Label.TextStyle.Color = ink
		axis.Label.Padding = 4
		axis.Tick.Label.Font = sans(10, ink).Font
		axis.Tick.Label.Color = ink
		axis.Tick.LineStyle.Color = frameInk
		axis.LineStyle.Color = frameInk
		axis.LineStyle.Width = 0.6
		axis.Tick.LineStyle.Width = 0.6
	}
	return p
}

// label writes text to the right of a point, with the middle of its small letters at the point's
// height.
func label(c draw.Canvas, style text.Style, at vg.Point, s string) {
	at.Y += style.Font.Size * 0.11
	c.FillText(style, at, s)
}

// addGrid adds pale lines at the ticks, behind what is added later.
func addGrid(p *plot.Plot) {
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = gridInk, gridInk
	grid.Vertical.Width, grid.Horizontal.Width = 0.5, 0.5
	p.Add(grid)
}
