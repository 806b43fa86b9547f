package chart

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// valueScale gives values their colours: from pale to dark, or, for values of both signs, from blue
// over white to red with white at zero.
type valueScale struct {
	low, high float64 // of the values that there are; NaN if there are none
	both      bool    // signs
}

// noValue is the colour of a node without a value.
var noValue = color.RGBA{R: 0xd9, G: 0xd9, B: 0xd9, A: 0xff}

// newValueScale returns the scale of the values of the nodes, of which each has one or NaN.
func newValueScale(t *taxonomy.Taxonomy, values []float64, what string) (*valueScale, error) {
	if t == nil {
		return nil, fmt.Errorf("chart: no taxonomy to draw")
	}
	if len(values) != t.Len() {
		return nil, fmt.Errorf("chart: %d values of %q for a taxonomy of %d nodes; give one per node, in the order of the node ids, and NaN for a node without a value", len(values), what, t.Len())
	}
	s := &valueScale{low: math.Inf(1), high: math.Inf(-1)}
	for n, v := range values {
		if math.Abs(v) > 1e300 {
			return nil, fmt.Errorf("chart: node %q has the value %v of %q; values have to be finite, or NaN for none", t.Name(n), v, what)
		}
		if !math.IsNaN(v) {
			s.low, s.high = min(s.low, v), max(s.high, v)
		}
	}
	if s.low > s.high {
		s.low, s.high = math.NaN(), math.NaN()
	}
	s.both = s.low < 0 && s.high > 0
	return s, nil
}

// color returns the colour of v.
func (s *valueScale) color(v float64) color.RGBA {
	switch {
	case math.IsNaN(v):
		return noValue
	case s.both:
		return diverging(v / max(-s.low, s.high))
	case s.low == s.high:
		return shade(0.5)
	}
	at := s.share(v)
	if s.high <= 0 {
		at = 1 - at // the further from zero, the darker
	}
	return shade(at)
}

// diverging returns the colour at v, from -1 to 1.
func diverging(v float64) color.RGBA {
	white := [3]float64{0xf4, 0xf4, 0xf4}
	end := [3]float64{0xc4, 0x3c, 0x00}
	if v < 0 {
		end = [3]float64{0x00, 0x5a, 0x9c}
	}
	share := min(math.Abs(v), 1)
	mix := func(k int) uint8 { return uint8(math.Round(white[k] + share*(end[k]-white[k]))) }
	return color.RGBA{R: mix(0), G: mix(1), B: mix(2), A: 0xff}
}

// The room and the parts of the strip that explains the colours, in points.
const (
	stripRoom   = 38
	stripWidth  = 170
	stripHeight = 9
	stripSteps  = 40
)

// plot draws what means which colour: a strip with its ends named, its lower left corner 16 points
// above at.
func (s *valueScale) plot(c draw.Canvas, at vg.Point, scale vg.Length, what string) {
	style := sans(nameSize*scale, ink)
	bottom, top := at.Y+14*scale, at.Y+(14+stripHeight)*scale
	label(c, style, vg.Point{X: at.X, Y: top + 7*scale}, what)
	if math.IsNaN(s.low) {
		label(c, sans(nameSize*scale, paleInk), vg.Point{X: at.X, Y: bottom + 3*scale}, "no node has a value")
		return
	}
	if s.low == s.high {
		fillBox(c, s.color(s.low), vg.Point{X: at.X, Y: bottom}, vg.Point{X: at.X + 12*scale, Y: top})
		label(c, style, vg.Point{X: at.X + 17*scale, Y: bottom + 4*scale}, number(s.low))
		return
	}
	width := stripWidth * scale
	for i := range stripSteps {
		from := at.X + vg.Length(i)*width/stripSteps
		v := s.low + (s.high-s.low)*(float64(i)+0.5)/stripSteps
		// Up to the end, and the next over it, so that no seams show.
		fillBox(c, s.color(v), vg.Point{X: from, Y: bottom}, vg.Point{X: at.X + width, Y: top})
	}
	strokeBox(c, draw.LineStyle{Color: frameInk, Width: 0.6 * scale}, vg.Point{X: at.X, Y: bottom}, vg.Point{X: at.X + width, Y: top})
	for _, v := range s.named(func(text string) float64 { return float64(sans(nameSize, ink).Width(text)) }) {
		x := at.X + vg.Length(s.share(v))*width
		c.StrokeLine2(draw.LineStyle{Color: frameInk, Width: 0.6 * scale}, x, bottom, x, bottom-2*scale)
		half := style.Width(number(v)) / 2
		label(c, style, vg.Point{X: min(max(x-half, at.X), at.X+width-2*half), Y: bottom - 8*scale}, number(v))
	}
}

// share returns where on the strip a value is, from 0 to 1.
func (s *valueScale) share(v float64) float64 {
	return (v/2 - s.low/2) / (s.high/2 - s.low/2) // halves, because a difference may overflow
}

// named returns the values to write at the strip: its ends, and round values between them if there
// is room. width returns the width of a text in points.
func (s *valueScale) named(width func(text string) float64) []float64 {
	type place struct{ from, to float64 }
	span := func(v float64) place {
		w := width(number(v))
		from := min(max(s.share(v)*stripWidth-w/2, 0), stripWidth-w)
		return place{from, from + w}
	}
	values := []float64{s.low, s.high}
	taken := []place{span(s.low), span(s.high)}
	for _, t := range (roundTicks{}).Ticks(s.low, s.high) {
		p := span(t.Value)
		if !slices.ContainsFunc(taken, func(o place) bool { return p.from < o.to+6 && o.from < p.to+6 }) {
			values, taken = append(values, t.Value), append(taken, p)
		}
	}
	slices.Sort(values)
	return values
}

// number writes a value as people read it.
func number(v float64) string {
	if math.IsNaN(v) {
		return "no value"
	}
	if v == math.Trunc(v) && math.Abs(v) < 1e6 {
		return strconv.Itoa(int(v))
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}
