package chart

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// leastScale is how small a drawing is made at most, in part of its size, so that it fits a narrow
// window: its names stay readable.
const leastScale = 0.55

// drawn returns the figure as it is drawn, in Vega: a part of the page, in its colours. It is nil
// where there is what Vega does not draw.
func (f *Figure) drawn() (object, error) {
	w, h := f.Size()
	c := &webCanvas{width: w, height: h, state: newWebState()}
	if err := f.onPage().drawOn(c); err != nil {
		return nil, err
	}
	if c.images {
		return nil, nil
	}
	width := pixels(w)
	return vega(object{
		"description": f.name(), "autosize": "none", "padding": 0,
		"signals": list{
			resized("scale", fmt.Sprintf("max(%v, %s / %v)", leastScale, fitting(width), width)),
			object{"name": "width", "update": fmt.Sprintf("scale * %v", width)},
			object{"name": "height", "update": fmt.Sprintf("scale * %v", pixels(h))},
		},
		"data": list{object{"name": "shapes", "values": c.shapes}, object{"name": "texts", "values": c.texts}},
		"marks": list{
			mark("path", "shapes", object{
				"path": field("d"), "scaleX": signal("scale"), "scaleY": signal("scale"),
				"fill": field("fill"), "stroke": field("stroke"), "strokeWidth": field("width"), "strokeDash": field("dash"),
			}),
			mark("text", "texts", object{
				"text": field("text"), "x": signal("scale * datum.x"), "y": signal("scale * datum.y"), "angle": field("angle"),
				"font": field("font"), "fontSize": signal("scale * datum.size"), "fill": field("fill"),
			}),
		},
	}), nil
}

// webCanvas is a canvas that collects paths and texts in the pixels of a web page.
type webCanvas struct {
	width, height vg.Length
	state         webState
	stack         []webState
	shapes, texts list
	images        bool // there are images
}

// perPoint is the number of pixels of a web page in a point.
const perPoint = 96.0 / 72

// webState is what a canvas draws with, and where: at place m·(x, y) + (x, y).
type webState struct {
	m     [2][2]float64
	x, y  float64
	line  vg.Length
	dash  list
	color color.Color
}

func newWebState() webState {
	return webState{m: [2][2]float64{{1, 0}, {0, 1}}, color: color.Black, dash: list{}}
}

func (c *webCanvas) Size() (x, y vg.Length)              { return c.width, c.height }
func (c *webCanvas) SetLineWidth(w vg.Length)            { c.state.line = w }
func (c *webCanvas) SetColor(col color.Color)            { c.state.color = col }
func (c *webCanvas) Push()                               { c.stack = append(c.stack, c.state) }
func (c *webCanvas) DrawImage(vg.Rectangle, image.Image) { c.images = true }

// SetLineDash implements vg.Canvas. A pattern begins at its beginning.
func (c *webCanvas) SetLineDash(pattern []vg.Length, _ vg.Length) {
	c.state.dash = list{}
	for _, l := range pattern {
		c.state.dash = append(c.state.dash, float64(l)*perPoint)
	}
}

// Pop implements vg.Canvas.
func (c *webCanvas) Pop() {
	last := len(c.stack) - 1
	c.state, c.stack = c.stack[last], c.stack[:last]
}

// Rotate implements vg.Canvas.
func (c *webCanvas) Rotate(angle float64) {
	sin, cos := math.Sincos(angle)
	m := c.state.m
	for k := range m {
		c.state.m[k] = [2]float64{m[k][0]*cos + m[k][1]*sin, -m[k][0]*sin + m[k][1]*cos}
	}
}

// Translate implements vg.Canvas.
func (c *webCanvas) Translate(by vg.Point) { c.state.x, c.state.y = c.place(by) }

// Scale implements vg.Canvas.
func (c *webCanvas) Scale(x, y float64) {
	for k := range c.state.m {
		c.state.m[k][0] *= x
		c.state.m[k][1] *= y
	}
}

// place returns where a point is, in points from the lower left corner.
func (c *webCanvas) place(p vg.Point) (x, y float64) {
	m, px, py := c.state.m, float64(p.X), float64(p.Y)
	return m[0][0]*px + m[0][1]*py + c.state.x, m[1][0]*px + m[1][1]*py + c.state.y
}

// at writes where a point is, in pixels from the upper left corner.
func (c *webCanvas) at(p vg.Point) string {
	x, y := c.place(p)
	return hundredths(x*perPoint) + "," + hundredths((float64(c.height)-y)*perPoint)
}

// hundredths writes a number of pixels, so that small circles are round.
func hundredths(v float64) string {
	return strconv.FormatFloat(math.Round(100*v)/100+0, 'f', -1, 64)
}

// Stroke implements vg.Canvas.
func (c *webCanvas) Stroke(p vg.Path) {
	if c.state.line > 0 {
		c.add(p, "stroke", object{"width": math.Round(100*perPoint*float64(c.state.line)) / 100, "dash": c.state.dash})
	}
}

// Fill implements vg.Canvas.
func (c *webCanvas) Fill(p vg.Path) { c.add(p, "fill", object{}) }

func (c *webCanvas) add(p vg.Path, how string, row object) {
	row["d"], row[how] = c.path(p), c.paint()
	c.shapes = append(c.shapes, row)
}

// paint is the colour that is drawn with; those of pages have eight digits where one shines
// through.
func (c *webCanvas) paint() string {
	text := hex(c.state.color)
	if _, _, _, alpha := c.state.color.RGBA(); alpha < 0xffff {
		full := color.NRGBAModel.Convert(c.state.color).(color.NRGBA)
		text = fmt.Sprintf("#%02x%02x%02x%02x", full.R, full.G, full.B, full.A)
	}
	return text
}

// path writes a path as SVG has it.
func (c *webCanvas) path(p vg.Path) string {
	var b strings.Builder
	for _, part := range p {
		switch part.Type {
		case vg.MoveComp:
			b.WriteString("M" + c.at(part.Pos))
		case vg.LineComp:
			b.WriteString("L" + c.at(part.Pos))
		case vg.CurveComp:
			b.WriteString(" QC"[len(part.Control):][:1])
			for _, control := range part.Control {
				b.WriteString(c.at(control) + " ")
			}
			b.WriteString(c.at(part.Pos))
		case vg.CloseComp:
			b.WriteString("Z")
		case vg.ArcComp:
			c.arc(&b, part)
		}
	}
	return b.String()
}

// arc writes an arc as pieces of at most a quarter of a circle, before which there is a line to its
// beginning unless the path begins there.
func (c *webCanvas) arc(b *strings.Builder, arc vg.PathComp) {
	on := func(angle float64) vg.Point {
		sin, cos := math.Sincos(angle)
		return arc.Pos.Add(vg.Point{X: arc.Radius * vg.Length(cos), Y: arc.Radius * vg.Length(sin)})
	}
	command := "L"
	if b.Len() == 0 {
		command = "M"
	}
	b.WriteString(command + c.at(on(arc.Start)))
	pieces := math.Ceil(math.Abs(arc.Angle)/(math.Pi/2) - 1e-9)
	radius := hundredths(float64(arc.Radius) * math.Sqrt(math.Abs(c.state.m[0][0]*c.state.m[1][1]-c.state.m[0][1]*c.state.m[1][0])) * perPoint)
	sweep := 0 // the other way round than in SVG, where down is positive
	if arc.Angle < 0 {
		sweep = 1
	}
	for k := 1.0; k <= pieces; k++ {
		fmt.Fprintf(b, "A%s,%s 0 0 %d %s", radius, radius, sweep, c.at(on(arc.Start+arc.Angle*k/pieces)))
	}
}

// webFonts are the typefaces of pages by the variants of plots.
var webFonts = map[font.Variant]string{"Sans": webFont, "Serif": "Liberation Serif, Times New Roman, serif", "Mono": "Liberation Mono, monospace", "": webFont}

// FillString implements vg.Canvas.
func (c *webCanvas) FillString(f font.Face, p vg.Point, text string) {
	x, y := c.place(p)
	m := c.state.m
	c.texts = append(c.texts, object{
		"x": round(x * perPoint), "y": round((float64(c.height) - y) * perPoint), "text": text, "fill": c.paint(),
		"font": webFonts[f.Font.Variant], "size": round(float64(f.Font.Size) * math.Hypot(m[0][0], m[1][0]) * perPoint), "angle": round(-math.Atan2(m[1][0], m[0][0]) * 180 / math.Pi),
	})
}

// round returns a number with one digit after the point.
func round(v float64) float64 { return math.Round(10*v)/10 + 0 }
