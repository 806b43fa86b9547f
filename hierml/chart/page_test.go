package chart

import (
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// In a page, a figure has no background, and its inks are those of the page's text.
func TestFiguresFollowThePage(t *testing.T) {
	for name, f := range figures(t) {
		svg := f.SVG()
		for _, p := range pageInks {
			if fixed := strings.ToUpper(plainHex(p.ink)); strings.Contains(svg, "fill:"+fixed) || strings.Contains(svg, "stroke:"+fixed) {
				t.Errorf("%s: SVG has the colour %s", name, fixed)
			}
		}
		if strings.Contains(svg, fmt.Sprintf("L%g,0L", f.Width.Points())) || !strings.Contains(svg, "fill:currentColor") || !strings.Contains(svg, "svg:root{color:#222222;background:#fff}") {
			t.Errorf("%s: SVG has a background, or not the page's colour: %.900s", name, svg)
		}
		_, spec, err := f.web()
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(spec)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{`"background":"transparent"`, `"renderer":"svg"`, `"labelColor":"currentColor"`, `"type":"resize"`} {
			if !strings.Contains(string(text), want) && (want != `"type":"resize"` || name != "taxonomy" && name != "values") {
				t.Errorf("%s: no %s", name, want)
			}
		}
	}
	// A background that is not the usual one stays.
	f := figures(t)["curve"]
	f.BackgroundColor = color.RGBA{R: 1, G: 2, B: 3, A: 255}
	if svg := f.SVG(); !strings.Contains(svg, "fill:#010203") {
		t.Errorf("the background is lost: %.900s", svg)
	}
}

// Each thing that a canvas draws has its place in Vega.
func TestDrawn(t *testing.T) {
	c := &webCanvas{width: 72, height: 72, state: newWebState()}
	c.SetLineWidth(3)
	c.SetLineDash([]vg.Length{3, 6}, 0)
	c.SetColor(color.NRGBA{R: 255, A: 128})
	var p vg.Path
	p.Move(vg.Point{X: 9, Y: 9})
	p.Line(vg.Point{X: 18, Y: 9})
	p.QuadTo(vg.Point{X: 27, Y: 9}, vg.Point{X: 27, Y: 18})
	p.CubeTo(vg.Point{X: 27, Y: 27}, vg.Point{X: 36, Y: 27}, vg.Point{X: 36, Y: 36})
	p.Close()
	c.Stroke(p)
	c.Push()
	c.SetColor(color.Black)
	c.Translate(vg.Point{X: 36, Y: 36})
	c.Rotate(math.Pi / 2)
	c.Scale(2, 2)
	var dot vg.Path
	dot.Arc(vg.Point{X: 9}, 4.5, 0, 2*math.Pi)
	dot.Close()
	c.Fill(dot)
	c.FillString(font.DefaultCache.Lookup(sans(6, ink).Font, 6), vg.Point{X: 9}, "<&>")
	c.Pop()
	c.SetLineWidth(0)
	c.Stroke(p) // which draws nothing
	got, err := json.Marshal(object{"shapes": c.shapes, "texts": c.texts})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"shapes":[` +
		`{"d":"M12,84L24,84Q36,84 36,72C36,60 48,60 48,48Z","dash":[4,8],"stroke":"#ff000080","width":4},` +
		`{"d":"M48,12A12,12 0 0 0 36,24A12,12 0 0 0 48,36A12,12 0 0 0 60,24A12,12 0 0 0 48,12Z","fill":"currentColor"}],` +
		`"texts":[{"angle":-90,"fill":"currentColor","font":"Liberation Sans, Arial, Helvetica, sans-serif","size":16,"text":"\u003c\u0026\u003e","x":48,"y":24}]}`
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	// What Vega does not draw is left to SVG.
	f := &Figure{Plot: plot.New()}
	f.Add(plotter.NewImage(image.NewGray(image.Rect(0, 0, 2, 2)), 0, 0, 1, 1))
	bundle, err := f.MimeBundle()
	if err != nil || bundle[vegaType] != nil || bundle["image/svg+xml"] == nil {
		t.Errorf("a figure with an image has a bundle of %d types: %v", len(bundle), err)
	}
}
