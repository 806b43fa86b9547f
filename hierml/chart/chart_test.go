package chart

import (
	"bytes"
	"fmt"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"github.com/hierml/notebook/hierml/calibration"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// paths returns a taxonomy of tops with leaves each: t0/l0, t0/l1, ...
func paths(t testing.TB, tops, leaves int) *taxonomy.Taxonomy {
	t.Helper()
	var list []string
	for i := range tops {
		for j := range leaves {
			list = append(list, fmt.Sprintf("t%d/t%d-l%d", i, i, j))
		}
	}
	tax, err := taxonomy.FromPaths(list, "/")
	if err != nil {
		t.Fatal(err)
	}
	return tax
}

func history(epochs int) []solver.Progress {
	var list []solver.Progress
	for e := range epochs {
		gap := math.Pow(0.5, float64(e))
		list = append(list, solver.Progress{Epoch: e + 1, Primal: 100 * (1 + gap), Dual: 100 * (1 - gap), Gap: gap})
	}
	return list
}

// figures returns one figure of each kind.
func figures(t *testing.T) map[string]*Figure {
	t.Helper()
	tax := paths(t, 3, 4)
	leaves := tax.Leaves()
	figures := make(map[string]*Figure)
	add := func(name string, f *Figure, err error) {
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		figures[name] = f
	}
	f, err := Taxonomy(tax)
	add("taxonomy", f, err)
	f, err = LearningCurve([]int{1, 5, 20, 3000}, map[string][]float64{"flat": {.1, .2, .3, .4}, "hierarchical <&>": {.2, .3, .4, .5}, "normalized": {.2, .2, .2, .2}})
	add("curve", f, err)
	f, err = Confusion(tax, []int{leaves[0], leaves[1], leaves[11], leaves[5]}, []int{leaves[0], leaves[1], leaves[2], leaves[5]})
	add("confusion", f, err)
	f, err = Convergence(history(25))
	add("convergence", f, err)
	f, err = Dendrogram(pairs(3))
	add("dendrogram", f, err)
	f, err = Parameter("C", "accuracy", []float64{0.1, 1, 10, 100}, map[string][]float64{"flat <&>": {.1, .2, math.NaN(), .4}, "none": {.1, .1, .1, .1}},
		map[string][]float64{"flat <&>": {.1, math.NaN(), .2, 0}})
	add("parameter", f, err)
	f, err = Reliability(map[string]*calibration.Reliability{"raw <&>": reliability(t, []float64{.1, .15, .5, .9, .95, 1}), "one": reliability(t, []float64{0})})
	add("reliability", f, err)
	values := make([]float64, tax.Len())
	for n := range values {
		values[n] = float64(n)/3 - 1
	}
	values[2] = math.NaN()
	f, err = NodeValues(tax, values, "weight <&>")
	add("values", f, err)
	f, err = NodeBars(tax, values, "weight <&>")
	add("bars", f, err)
	f, err = Icicle(tax, nil, values, "weight <&>")
	add("icicle", f, err)
	f, err = Contributions(explained{[]string{"ball <&>", "space"}, []string{"sport", "sport/hockey"}, [][]float64{{0.5, 0.25}, {-0.75, -0.2}}})
	add("contributions", f, err)
	f, err = ConfusionByLevel(mistaken(t))
	add("levels", f, err)
	d := nine(t)
	f, err = DecisionRegions(t.Context(), sectors(d), d)
	add("regions", f, err)
	f, err = CompareRegions(t.Context(), d, Contender{"sectors <&>", sectors(d)}, Contender{"rings", rings(d)}, Contender{"again", rings(d)}, Contender{"last", rings(d)})
	add("compared regions", f, err)
	cornered := newCornered(d)
	cornered.sums[1] = 1
	f, err = Margins(t.Context(), cornered, d)
	add("margins", f, err)
	return figures
}

// reliability returns that of probabilities of which every second is of something true.
func reliability(t *testing.T, probabilities []float64) *calibration.Reliability {
	t.Helper()
	positive := make([]bool, len(probabilities))
	for i := range positive {
		positive[i] = i%2 == 1
	}
	r, err := calibration.NewReliability(probabilities, positive, 4, calibration.EqualWidth)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A reliability diagram names the errors, and has the diagonal in both forms.
func TestReliability(t *testing.T) {
	f, err := Reliability(map[string]*calibration.Reliability{"raw": reliability(t, []float64{.1, .15, .5, .9, .95, 1}), "sure": reliability(t, []float64{0, 1})})
	if err != nil {
		t.Fatal(err)
	}
	svg, web := f.SVG(), spec(t, f)
	for _, want := range []string{"raw, error 0.", "sure, error 0.000", "probability", "part that is true"} {
		if !strings.Contains(svg, want) || !strings.Contains(web, want) {
			t.Errorf("no %q", want)
		}
	}
	if !strings.Contains(web, `{"x":0,"x2":1,"y":0,"y2":1}`) {
		t.Error("no diagonal in the interactive form")
	}
	for name, wrong := range map[string]map[string]*calibration.Reliability{"none": nil, "nil": {"a": nil}, "empty": {"a": {}}} {
		if _, err := Reliability(wrong); err == nil || !strings.HasPrefix(err.Error(), "chart: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFigures(t *testing.T) {
	first, second := figures(t), figures(t)
	dir := t.TempDir()
	for name, f := range first {
		svg := f.SVG()
		if svg != f.SVG() || svg != second[name].SVG() {
			t.Errorf("%s: drawn again, it is another SVG", name)
		}
		if !strings.Contains(svg, "<svg") || strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
			t.Errorf("%s: %.300s", name, svg)
		}
		picture, err := png.DecodeConfig(bytes.NewReader(f.PNG()))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if want := int(f.Width.Dots(dotsPerInch)); math.Abs(float64(picture.Width-want)) > 1 {
			t.Errorf("%s: %d dots wide, want %d", name, picture.Width, want)
		}
		for _, extension := range []string{"svg", "png", "pdf"} {
			file := filepath.Join(dir, name+"."+extension)
			if err := f.Save(file); err != nil {
				t.Error(err)
			}
			if info, err := os.Stat(file); err != nil || info.Size() < 1000 {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
	if err := first["curve"].Save(filepath.Join(dir, "x.doc")); err == nil || !strings.Contains(err.Error(), ".svg") {
		t.Errorf("saves a text document: %v", err)
	}
	if err := first["curve"].Save(filepath.Join(dir, "none", "x.svg")); err == nil {
		t.Error("saves into a folder that is not there")
	}
	if svg := first["curve"].SVG(); !strings.Contains(svg, "hierarchical &lt;&amp;&gt;") {
		t.Error("the name of a method is not escaped")
	}
}

// Everything is drawn within the figure: a name that is cut cannot be read.
func TestFiguresWithin(t *testing.T) {
	all := figures(t)
	still, err := arrowsFigure(paths(t, 3, 4), directions(paths(t, 3, 4)), "weights <&>", false)
	if err != nil {
		t.Fatal(err)
	}
	all["arrows"] = still
	for _, shape := range [][2]int{{1, 1}, {1, 150}, {60, 3}, {40, 40}} {
		f, err := Taxonomy(paths(t, shape[0], shape[1]))
		if err != nil {
			t.Fatal(err)
		}
		all[fmt.Sprint("taxonomy ", shape)] = f
	}
	for _, k := range []int{1, 50, 200} {
		f, err := Dendrogram(pairs(k))
		if err != nil {
			t.Fatal(err)
		}
		all[fmt.Sprint("dendrogram of pairs ", k)] = f
	}
	for name, f := range all {
		var r recorder.Canvas
		f.Draw(draw.NewCanvas(&r, f.Width, f.Height))
		size := vg.Length(10)
		rotated := false
		for _, action := range r.Actions {
			switch a := action.(type) {
			case *recorder.Push:
				rotated = false
			case *recorder.Rotate:
				rotated = true
			case *recorder.FillString:
				if rotated {
					continue
				}
				size = a.Size
				width := sans(a.Size, ink).Width(a.String)
				if a.Point.X < 0 || a.Point.X+width > f.Width || a.Point.Y < 0 || a.Point.Y+0.8*size > f.Height {
					t.Errorf("%s: %q at %v, %v wide, is not within %v x %v", name, a.String, a.Point, width, f.Width, f.Height)
				}
			}
		}
	}
}

// A figure without a size has that of a learning curve.
func TestFigureWithoutSize(t *testing.T) {
	for _, f := range []*Figure{{Plot: plot.New()}, {Plot: plot.New(), Width: 100}, {Plot: plot.New(), Height: 100}} {
		bundle, err := f.MimeBundle()
		if err != nil {
			t.Fatal(err)
		}
		width, height := f.Size()
		picture, err := png.DecodeConfig(bytes.NewReader(bundle["image/png"].([]byte)))
		if err != nil || picture.Width != int(width.Dots(dotsPerInch)+0.5) || picture.Height != int(height.Dots(dotsPerInch)+0.5) {
			t.Errorf("%v by %v is drawn with %d by %d dots, %v", width, height, picture.Width, picture.Height, err)
		}
		if svg := f.SVG(); !strings.Contains(svg, fmt.Sprintf(`width="%gpt"`, width.Points())) {
			t.Errorf("drawn as %.200s", svg)
		}
	}
	f := &Figure{Plot: plot.New(), Width: -1}
	if _, err := f.MimeBundle(); err == nil || err.Error() != "chart: a figure of -1 x 320 points cannot be drawn" {
		t.Errorf("a negative width: %v", err)
	}
	if got, want := (&Figure{Plot: plot.New()}).String(), "figure (460 x 320 points)"; got != want {
		t.Errorf("called %s, want %s", got, want)
	}
}

// A figure that was changed to what cannot be drawn says so, and does not panic.
func TestFigureBroken(t *testing.T) {
	f := figures(t)["curve"]
	f.Y.Scale = plot.LogScale{}
	f.Y.Min = 0
	if f.PNG() != nil || !strings.Contains(f.SVG(), "cannot be drawn") {
		t.Errorf("got %.200s", f.SVG())
	}
	if err := f.Save(filepath.Join(t.TempDir(), "x.png")); err == nil || strings.Count(err.Error(), "chart:") != 1 || !strings.HasPrefix(err.Error(), "chart: saving") {
		t.Errorf("saves it: %v", err)
	}
	for _, panel := range []string{"above", "below"} {
		f := figures(t)["curve"]
		f.Below = plot.New()
		p := f.Below
		if panel == "above" {
			p = f.Plot
		}
		p.Y.Min, p.Y.Max = 1, math.NaN()
		if f.PNG() != nil || !strings.Contains(f.SVG(), "the Y axis goes from 1 to NaN") {
			t.Errorf("%s: got %.200s", panel, f.SVG())
		}
	}
}

// A title that is wider than the figure takes several lines, and a name in the legend is cut: all
// texts are within the figure.
func TestLongTitles(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("a long name ", 20))
	f, err := Parameter("the "+long, "measure", []float64{1, 2}, map[string][]float64{long: {1, 2}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	f.X.Label.Text = ""
	var r recorder.Canvas
	f.Draw(draw.NewCanvas(&r, f.Width, f.Height))
	titles := 0
	for _, action := range r.Actions {
		a, ok := action.(*recorder.FillString)
		if !ok || !strings.Contains(a.String, "long") {
			continue
		}
		titles++
		if a.Point.X < 0 || a.Point.X+sans(a.Size, ink).Width(a.String) > f.Width {
			t.Errorf("%q at %v is not within %v", a.String, a.Point, f.Width)
		}
	}
	if titles < 4 {
		t.Errorf("%d texts, want the lines of the title and the legend", titles)
	}
	if web := spec(t, f); !strings.Contains(web, `[\"measure over the a long name`) {
		t.Errorf("the title of the interactive form is %.300s", web[strings.LastIndex(web, `"title":`):])
	}
}

// The strip of colours names round values between its ends, and none over another.
func TestScaleNames(t *testing.T) {
	width := func(text string) float64 { return 5 * float64(len(text)) }
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{0, 0.9375, "0 0.2 0.4 0.6 0.9375"},
		{-1, 3.667, "-1 0 1 2 3.667"},
		{-1e300, 1e300, "-1e+300 0 1e+300"},
		{1, 1000000, "1 200000 600000 1e+06"},
	} {
		s := &valueScale{low: c.low, high: c.high, both: c.low < 0}
		var names []string
		for _, v := range s.named(width) {
			names = append(names, number(v))
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("from %v to %v there are %v, want %v", c.low, c.high, got, c.want)
		}
	}
}

func TestLegendAboveData(t *testing.T) {
	curves := make(map[string][]float64)
	for i := range 9 {
		curves[fmt.Sprintf("a method with a long name, number %d", i)] = []float64{0.5, 1}
	}
	f, err := LearningCurve([]int{1, 2}, curves)
	if err != nil {
		t.Fatal(err)
	}
	var r recorder.Canvas
	canvas := draw.NewCanvas(&r, f.Width, f.Height)
	f.Draw(canvas)
	data := f.DataCanvas(draw.Crop(canvas, margin, -margin, margin, -margin))
	named := 0
	for _, action := range r.Actions {
		if a, ok := action.(*recorder.FillString); ok && strings.HasPrefix(a.String, "a method") {
			named++
			if a.Point.Y < data.Max.Y || a.Point.X+sans(a.Size, ink).Width(a.String) > f.Width {
				t.Errorf("%q stands at %v, over data up to %v", a.String, a.Point, data.Max)
			}
		}
	}
	if named != 9 {
		t.Errorf("%d of 9 methods are named", named)
	}
	if data.Size().Y < 60 {
		t.Errorf("the legend leaves %v points to the data", data.Size().Y)
	}
}

func TestLearningCurve(t *testing.T) {
	f := figures(t)["curve"]
	if _, logarithmic := f.X.Scale.(plot.LogScale); !logarithmic {
		t.Error("sizes from 1 to 3000 are on a linear axis")
	}
	svg := f.SVG()
	best, worst := strings.Index(svg, "hierarchical"), strings.Index(svg, "normalized")
	if best < 0 || best > worst {
		t.Error("the best method does not come first")
	}
	near, err := LearningCurve([]int{100, 200}, map[string][]float64{"only": {1, 1}})
	if err != nil {
		t.Fatal(err)
	}
	if _, logarithmic := near.X.Scale.(plot.LogScale); logarithmic || near.Y.Max > 1 {
		t.Errorf("scale %T, accuracies up to %v", near.X.Scale, near.Y.Max)
	}
	one, err := LearningCurve([]int{5}, map[string][]float64{"only": {0.5}})
	if err != nil || strings.Contains(one.SVG(), "cannot be drawn") {
		t.Errorf("a single size: %v", err)
	}
	for name, c := range map[string]struct {
		sizes  []int
		curves map[string][]float64
		words  string
	}{
		"nothing":       {nil, nil, "at least one"},
		"no curve":      {[]int{1}, nil, "at least one"},
		"descending":    {[]int{2, 1}, map[string][]float64{"a": {1, 2}}, "ascending"},
		"zero":          {[]int{0, 1}, map[string][]float64{"a": {1, 2}}, "positive"},
		"too few":       {[]int{1, 2}, map[string][]float64{"a": {1}}, `"a" has 1 values for 2 sizes`},
		"not a number":  {[]int{1, 2}, map[string][]float64{"a": {1, math.NaN()}}, "at size 2"},
		"infinite":      {[]int{1, 2}, map[string][]float64{"a": {math.Inf(1), 1}}, "at size 1"},
		"another is ok": {[]int{1, 2}, map[string][]float64{"a": {1, 1}, "b": {}}, `"b" has 0`},
	} {
		if _, err := LearningCurve(c.sizes, c.curves); err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestConvergence(t *testing.T) {
	f, err := Convergence([]solver.Progress{
		{Epoch: 1, Primal: math.Inf(1), Dual: math.Inf(-1), Gap: math.NaN()},
		{Epoch: 2, Primal: 5, Dual: 1, Gap: 0.8},
		{Epoch: 3, Primal: 4, Dual: 4, Gap: 0},
	})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(f.SVG(), "cannot be drawn") || f.Below == nil || f.Below.Y.Min <= 0 {
		t.Errorf("got %.200s", f.SVG())
	}
	exact, err := Convergence([]solver.Progress{{Epoch: 1, Primal: 4, Dual: 4}})
	if err != nil || exact.Below != nil || strings.Contains(exact.SVG(), "cannot be drawn") {
		t.Errorf("without a positive gap: %v", err)
	}
	for _, h := range [][]solver.Progress{nil, {{Primal: math.NaN()}}} {
		if _, err := Convergence(h); err == nil || !strings.Contains(err.Error(), "History") {
			t.Errorf("%v: %v", h, err)
		}
	}
}

func TestTicks(t *testing.T) {
	tests := []struct {
		ticker    plot.Ticker
		low, high float64
		want      string
	}{
		{roundTicks{}, 0, 1, "0.0 0.2 0.4 0.6 0.8 1.0"},
		{roundTicks{}, 0.28, 0.31, "0.28 0.29 0.30 0.31"},
		{roundTicks{}, 904.6, 1751.4, "1000 1200 1400 1600"},
		{roundTicks{}, -3, 3, "-2 0 2"},
		{roundTicks{}, 0, 4e12, "0 1e+12 2e+12 3e+12 4e+12"},
		{roundTicks{}, 5, 5, "5"},
		{roundTicks{whole: true}, 1, 3, "1 2 3"},
		{roundTicks{whole: true}, 1, 26, "5 10 15 20 25"},
		{decadeTicks{}, 1e-5, 10, "1e-5 1e-4 0.001 0.01 0.1 1 10"},
	}
	for _, test := range tests {
		var labels []string
		for _, tick := range test.ticker.Ticks(test.low, test.high) {
			labels = append(labels, tick.Label)
		}
		if got := strings.Join(labels, " "); got != test.want {
			t.Errorf("%v to %v: %s, want %s", test.low, test.high, got, test.want)
		}
	}
}
