package main

import (
	"fmt"
	"image/color"
	"io"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// drawGrowth draws the time and memory of the grown problems, up to wikipedia, as multiples of what
// the smallest takes.
func drawGrowth(w io.Writer, measured []measurement) error {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = "nodes", "times what the smallest takes"
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.Y.Tick.Marker = plot.LogTicks{Prec: -1}
	p.Legend.Top, p.Legend.Left = true, true
	var problems []string
	for _, g := range grown {
		problems = append(problems, g.problem)
	}
	problems = append(problems, "wikipedia")
	var found []measurement
	for _, problem := range problems {
		if k := slices.IndexFunc(measured, func(m measurement) bool {
			return m.is(training{problem: problem, method: "flat", workers: "2"}) && m.Epochs > 0
		}); k >= 0 {
			found = append(found, measured[k])
		}
	}
	if len(found) == 0 {
		return fmt.Errorf("nothing to draw: no problem of %v was measured", problems)
	}
	var ticks plot.ConstantTicks
	for _, m := range found {
		ticks = append(ticks, plot.Tick{Value: float64(m.Nodes), Label: fmt.Sprint(m.Nodes)})
	}
	p.X.Tick.Marker = ticks
	for k, series := range []struct {
		name   string
		of     func(m measurement) float64
		dashes []vg.Length
	}{
		{"CPU time of an epoch", func(m measurement) float64 { return m.TrainingCPU / float64(m.Epochs) }, nil},
		{"peak memory", func(m measurement) float64 { return m.Peak }, nil},
		{"entries of the instances times leaves", func(m measurement) float64 { return float64(m.Entries) * float64(m.Leaves) }, []vg.Length{1, 3}},
		{"nodes", func(m measurement) float64 { return float64(m.Nodes) }, []vg.Length{4, 3}},
	} {
		xys := make(plotter.XYs, len(found))
		for i, m := range found {
			xys[i] = plotter.XY{X: float64(m.Nodes), Y: series.of(m) / series.of(found[0])}
		}
		line, points, err := plotter.NewLinePoints(xys)
		if err != nil {
			return err
		}
		line.Color = []color.Color{color.NRGBA{R: 31, G: 119, B: 180, A: 255}, color.NRGBA{R: 255, G: 127, B: 14, A: 255}, color.Gray{Y: 100}, color.Gray{Y: 100}}[k]
		line.Width, line.Dashes = vg.Points(1.5), series.dashes
		points.Shape, points.Color = draw.CircleGlyph{}, line.Color
		p.Add(line)
		if series.dashes == nil {
			p.Add(points)
		}
		p.Legend.Add(series.name, line)
	}
	canvas := vgsvg.New(6*vg.Inch, 4*vg.Inch)
	p.Draw(draw.New(canvas))
	_, err := canvas.WriteTo(w)
	return err
}
