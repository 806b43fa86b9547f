package chart

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/hierml/notebook/hierml/solver"
)

// spec returns the interactive form of a figure as JSON, or "".
func spec(t *testing.T, f *Figure) string {
	t.Helper()
	s, err := f.spec()
	if err != nil {
		t.Fatal(err)
	}
	if s == nil {
		return ""
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestMimeBundle(t *testing.T) {
	first, second := figures(t), figures(t)
	for name, f := range first {
		if f.twin == nil {
			if name != "confusion" && name != "bars" && name != "contributions" {
				t.Errorf("%s has no interactive form", name)
			}
			continue
		}
		text := spec(t, f)
		if text == "" || text != spec(t, f) || text != spec(t, second[name]) {
			t.Errorf("%s: the interactive form is not there, or another each time: %.200s", name, text)
		}
		if len(text) > 200<<10 {
			t.Errorf("%s: %d bytes", name, len(text))
		}
		for _, outside := range []string{`"url"`, "NaN"} {
			if strings.Contains(text, outside) {
				t.Errorf("%s: there is %s", name, outside)
			}
		}
		bundle, err := f.MimeBundle()
		if err != nil {
			t.Fatal(err)
		}
		if svg, there := bundle["image/svg+xml"]; !there || svg != nil || len(bundle) != 3 || len(bundle["image/png"].([]byte)) > 150<<10 {
			t.Errorf("%s: a bundle of %d types, and SVG %v", name, len(bundle), svg)
		}
		// Titles and sizes are those of the figure when it is shown.
		f.Title.Text = "another title"
		if changed := spec(t, f); !strings.Contains(changed, `"another title"`) {
			t.Errorf("%s: the title stays as it was: %.200s", name, changed)
		}
		// What the interactive form cannot follow leaves the static one alone.
		line, err := plotter.NewLine(plotter.XYs{{X: 1, Y: 1}, {X: 2, Y: 2}})
		if err != nil {
			t.Fatal(err)
		}
		f.Add(line)
		if changed := spec(t, f); changed != "" {
			t.Errorf("%s: the interactive form lacks what was added: %.200s", name, changed)
		}
		bundle, err = f.MimeBundle()
		if svg, there := bundle["image/svg+xml"]; err != nil || !there || svg != nil || bundle[vegaType] == nil {
			t.Errorf("%s: a figure without interactive form has a bundle of %d types: %v", name, len(bundle), err)
		}
	}
}

// Ranges, labels and sizes follow; a style does not.
func TestMimeBundleFollows(t *testing.T) {
	f := figures(t)["curve"]
	f.Y.Min, f.Y.Max, f.X.Label.Text, f.Width = -0.25, 1.75, "documents", 900
	text := spec(t, f)
	for _, want := range []string{"[-0.25,1.75]", `"documents"`, `"width":1200`} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %s in %.300s", want, text)
		}
	}
	f.Title.TextStyle.Font.Size = vg.Points(30)
	if spec(t, f) != "" {
		t.Error("the size of the title's type is not that of the figure")
	}
	f.Y.Max = math.NaN()
	if _, err := f.MimeBundle(); err == nil || !strings.Contains(err.Error(), "NaN") {
		t.Errorf("a figure that cannot be drawn: %v", err)
	}
}

// Large inputs have bounded pictures.
func TestMimeBundleBounded(t *testing.T) {
	large := paths(t, 100, 100)
	leaves := large.Leaves()
	var truth, predicted []int
	for i, leaf := range leaves {
		for k := range 3 {
			truth, predicted = append(truth, leaf), append(predicted, leaves[(i*7919*k+13)%len(leaves)])
		}
	}
	values := make([]float64, large.Len())
	for n := range values {
		values[n] = float64(n)
	}
	var long []solver.Progress
	for e := range 100_000 {
		long = append(long, solver.Progress{Epoch: e, Primal: 2, Dual: 1, Gap: 0.5})
	}
	for name, draw := range map[string]func() (*Figure, error){
		"taxonomy":    func() (*Figure, error) { return Taxonomy(large) },
		"values":      func() (*Figure, error) { return NodeValues(large, values, "weight") },
		"bars":        func() (*Figure, error) { return NodeBars(large, values, "weight") },
		"confusion":   func() (*Figure, error) { return Confusion(large, truth, predicted) },
		"convergence": func() (*Figure, error) { return Convergence(long) },
		"dendrogram":  func() (*Figure, error) { return Dendrogram(pairs(5000)) },
	} {
		f, err := draw()
		if err != nil {
			t.Fatal(err)
		}
		_, web, err := f.web()
		if err != nil {
			t.Fatal(err)
		}
		if text := spec(t, f); (text == "") != (f.twin == nil) || len(text) > 600<<10 {
			t.Errorf("%s: the interactive form has %d bytes", name, len(text))
		}
		svg := len(f.SVG())
		bundle, err := f.MimeBundle()
		if err != nil || (bundle["image/svg+xml"] != nil) != (web == nil && svg <= maxText) {
			t.Errorf("%s: SVG of %d bytes in the bundle is %v: %v", name, svg, bundle["image/svg+xml"] != nil, err)
		}
		if picture, _ := bundle["image/png"].([]byte); len(picture) > 400<<10 || !bytes.HasPrefix(picture, []byte("\x89PNG")) {
			t.Errorf("%s: the picture has %d bytes", name, len(picture))
		}
		screen, err := f.ScreenBundle()
		if err != nil || (screen["image/svg+xml"] != nil) != (svg <= maxText) || (screen["image/png"] != nil) != (svg > maxText) {
			t.Errorf("%s: SVG of %d bytes on a screen is %v, PNG %v: %v", name, svg, screen["image/svg+xml"] != nil, screen["image/png"] != nil, err)
		}
	}
}
