package chart

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// legend names lines in rows above the data area, for which it reserves the room.
type legend struct {
	entries []legendEntry
	width   vg.Length // that a row may take
}

type legendEntry struct {
	name  string
	line  draw.LineStyle
	glyph *draw.GlyphStyle // or nil
}

const (
	legendText   = 11
	legendRow    = 16
	legendSample = 26
	legendGap    = 16
	legendMargin = 6
)

// rows divides the entries into rows that fit.
func (l *legend) rows() [][]legendEntry {
	var rows [][]legendEntry
	var used vg.Length
	for _, e := range l.entries {
		w := l.entryWidth(e)
		if len(rows) == 0 || used+w > l.width {
			rows = append(rows, nil)
			used = 0
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], e)
		used += w
	}
	return rows
}

func (l *legend) entryWidth(e legendEntry) vg.Length {
	return legendSample + 5 + sans(legendText, ink).Width(l.fitted(e.name)) + legendGap
}

// fitted returns a name that takes at most a row.
func (l *legend) fitted(name string) string {
	room := l.width - legendSample - 5
	for n := len([]rune(name)); n > 1 && sans(legendText, ink).Width(name) > room; n-- {
		name = short(name, n-1)
	}
	return name
}

// GlyphBoxes reserves the room above the data.
func (l *legend) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	height := vg.Length(len(l.rows()))*legendRow + legendMargin
	return []plot.GlyphBox{{Y: 1, Rectangle: vg.Rectangle{Max: vg.Point{Y: height}}}}
}

// Plot draws the legend.
func (l *legend) Plot(c draw.Canvas, _ *plot.Plot) {
	style := sans(legendText, ink)
	rows := l.rows()
	for i, row := range rows {
		x := c.Min.X
		y := c.Max.Y + legendMargin + (vg.Length(len(rows)-i)-0.5)*legendRow
		for _, e := range row {
			c.StrokeLine2(e.line, x, y, x+legendSample, y)
			if e.glyph != nil {
				c.DrawGlyphNoClip(*e.glyph, vg.Point{X: x + legendSample/2, Y: y})
			}
			label(c, style, vg.Point{X: x + legendSample + 5, Y: y}, l.fitted(e.name))
			x += l.entryWidth(e)
		}
	}
}
