package chart

import (
	"fmt"
	"image/color"
	"math"
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
		return nil, fmt.Errorf("chart: %d values of %q for a taxonomy of %d nodes; give one a node, in the order of their ids, NaN where there is none", len(values), what, t.Len())
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
	// Halves, because the difference of two values may be more than a number can be.
	at := (v/2 - s.low/2) / (s.high/2 - s.low/2)
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
	label(c, style, vg.Point{X: at.X, Y: bottom - 7*scale}, number(s.low))
	high := number(s.high)
	label(c, style, vg.Point{X: at.X + width - style.Width(high), Y: bottom - 7*scale}, high)
	if zero := vg.Length(-s.low / (s.high - s.low)); s.both && zero > 0.25 && zero < 0.75 {
		label(c, style, vg.Point{X: at.X + zero*width - style.Width("0")/2, Y: bottom - 7*scale}, "0")
	}
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
