package nb

import (
	"encoding/json"
	"fmt"
	"html"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/chart"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/stdlib/display"
)

// A PointsControl shows the instances of a data set as points, which the user drags.
type PointsControl struct {
	*Box
	data    *dataset.Dataset
	color   func(node int) color.RGBA
	low     [2]float64 // of the plane that is shown
	unit    [2]float64 // of a pixel
	picture *model
	moves   *TextControl // JSON: the pixels of each moved point, by its row
}

const (
	pointsSide  = 240 // pixels of the plane
	pointsRoom  = 0.1 // around the points, as a share of their range
	maxDragged  = 300
	pointRadius = 5
)

// How a pointer drags a point, in JavaScript. The front end has no widget for that: the picture
// writes the new place into the hidden field below it.
const (
	dragStarts = `if (!event.target.dataset.row) return;
this.held = event.target;
this.setPointerCapture(event.pointerId);
event.preventDefault()`
	drags = `if (!this.held) return;
const p = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.getScreenCTM().inverse());
const within = v => Math.round(10 * Math.min(Math.max(v, 0), this.viewBox.baseVal.width)) / 10;
this.held.setAttribute('cx', within(p.x));
this.held.setAttribute('cy', within(p.y));
const field = this.closest('.widget-vbox').querySelector('input');
field.value = JSON.stringify({...JSON.parse(field.value || '{}'), [this.held.dataset.row]: [within(p.x), within(p.y)]});
field.dispatchEvent(new Event('input', {bubbles: true}))`
	dragEnds = `this.held = null`
)

// Points returns a control in which the user drags the instances of d over the plane, to see what a
// model does with them:
//
//	nb.Interact(func(d *dataset.Dataset) any {
//		model := svm.Hierarchical{C: 10}.Fit(nb.Context(), d)
//		return chart.Margins(nb.Context(), model, d)
//	}, nb.Points(train))
//
// The first two columns of d.X are the plane. d may have at most 300 instances; it does not change.
func Points(d *dataset.Dataset, label ...string) *PointsControl {
	c, err := newPoints(d, label)
	must("nb.Points", err)
	return c
}

func newPoints(d *dataset.Dataset, label []string) (*PointsControl, error) {
	if err := d.Check(); err != nil {
		return nil, err
	}
	if n := d.Len(); n == 0 || n > maxDragged || d.X.Cols < 2 {
		return nil, fmt.Errorf("%d instances with %d columns; give 1 to %d instances with at least two columns", n, d.X.Cols, maxDragged)
	}
	c := &PointsControl{data: d, color: chart.PointColors(d.Taxonomy)}
	x := d.X.Dense()
	for k := range c.low {
		column := mat.Col(nil, k, x)
		low, high := slices.Min(column), slices.Max(column)
		room := pointsRoom * (high - low)
		if room == 0 {
			room = 1
		}
		c.low[k] = low - room
		c.unit[k] = (high + room - c.low[k]) / pointsSide
	}
	c.moves = TextInput("")
	c.moves.state["continuous_update"] = true
	c.moves.hidden = true
	c.moves.still = func() map[string]any { return map[string]any{display.Text: ""} }
	c.moves.check = func(text string) error { _, err := c.placed(text); return err }
	c.picture = &model{
		name: "HTML", module: controlsModule, styleName: "HTMLStyle", style: map[string]any{"description_width": ""},
		state: described(map[string]any{"value": c.drawing(x), "placeholder": ""}, label),
	}
	c.picture.still = func() map[string]any { return c.picture.stillText(fmt.Sprintf("%d points", d.Len())) }
	c.moves.watch(func() {
		x, _ := c.placed(c.moves.value) // was checked
		c.picture.mu.Lock()
		defer c.picture.mu.Unlock()
		c.picture.state["value"] = c.drawing(x) // for pages that open later: this one has moved it
	})
	c.Box = VBox(&Box{c.picture}, c.moves)
	return c, nil
}

// Value returns the data set with its points where they are now, also while a cell runs.
func (c *PointsControl) Value() *dataset.Dataset {
	x, _ := c.placed(c.moves.Value()) // was checked
	rows := make([][]float64, c.data.Len())
	for i := range rows {
		rows[i] = x.RawRowView(i)
	}
	matrix, err := dataset.MatrixOf(rows...)
	must("nb.Points", err)
	d := *c.data
	d.X = matrix
	return &d
}

// placed returns the features with the points where the text of moves puts them.
func (c *PointsControl) placed(text string) (*mat.Dense, error) {
	x := c.data.X.Dense()
	if text == "" {
		return x, nil
	}
	var pixels map[int][2]float64
	if err := json.Unmarshal([]byte(text), &pixels); err != nil {
		return nil, err
	}
	for i, p := range pixels {
		if i < 0 || i >= c.data.Len() || max(math.Abs(p[0]-pointsSide/2), math.Abs(p[1]-pointsSide/2)) > pointsSide/2 {
			return nil, fmt.Errorf("there is no point %d at %v", i, p)
		}
		x.Set(i, 0, c.low[0]+c.unit[0]*p[0])
		x.Set(i, 1, c.low[1]+c.unit[1]*(pointsSide-p[1]))
	}
	return x, nil
}

// drawing returns the points as an SVG element whose pointer events drag them.
func (c *PointsControl) drawing(x *mat.Dense) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %d %[1]d" width="%[1]d" style="max-width:100%%;touch-action:none;background:#fff;border:1px solid #888"`, pointsSide)
	fmt.Fprintf(&b, ` onpointerdown="%s" onpointermove="%s" onpointerup="%s" onpointercancel="%[3]s">`,
		html.EscapeString(dragStarts), html.EscapeString(drags), html.EscapeString(dragEnds))
	for i, labels := range c.data.Labels {
		label, name := -1, ""
		if len(labels) > 0 {
			label, name = labels[0], c.data.Taxonomy.Name(labels[0])
		}
		fill := c.color(label)
		fmt.Fprintf(&b, `<circle data-row="%d" cx="%.1f" cy="%.1f" r="%d" fill="#%02x%02x%02x" stroke="#222" style="cursor:grab"><title>%s</title></circle>`,
			i, (x.At(i, 0)-c.low[0])/c.unit[0], pointsSide-(x.At(i, 1)-c.low[1])/c.unit[1], pointRadius, fill.R, fill.G, fill.B, html.EscapeString(name))
	}
	b.WriteString("</svg>")
	return b.String()
}
