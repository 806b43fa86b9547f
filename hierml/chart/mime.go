package chart

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"gonum.org/v1/plot"
)

// MIME types of the interactive pictures: of the versions that JupyterLab 4 and VS Code draw.
const (
	vegaType     = "application/vnd.vega.v5+json"
	vegaLiteType = "application/vnd.vegalite.v5+json"
)

// maxText bounds an interactive picture and an SVG document, which a notebook stores as text:
// bytes.
const maxText = 1 << 20

// twin is the interactive picture of a figure.
type twin struct {
	mime   string
	spec   func(f *Figure) object
	ranges bool        // the ranges of the axes are free, as spec reads them
	made   []plot.Plot // the plots as the chart made them
}

// interactive gives the figure, whose plots are ready, its twin.
func (f *Figure) interactive(mime string, ranges bool, spec func(f *Figure) object) *Figure {
	f.twin = &twin{mime: mime, spec: spec, ranges: ranges}
	for _, p := range slices.Concat(f.rows()...) {
		f.twin.made = append(f.twin.made, copied(p))
	}
	return f
}

func copied(p *plot.Plot) plot.Plot {
	if p == nil {
		return plot.Plot{}
	}
	return *p
}

// shows tells whether the twin still shows what the figure does: everything of the plots is as it
// was made, but for what the twin takes from them.
func (t *twin) shows(f *Figure) bool {
	plots := slices.Concat(f.rows()...)
	if len(plots) != len(t.made) {
		return false
	}
	for i, p := range plots {
		now, made := copied(p), t.made[i]
		made.Title.Text, made.X.Label.Text, made.Y.Label.Text = now.Title.Text, now.X.Label.Text, now.Y.Label.Text
		if t.ranges {
			made.X.Min, made.X.Max, made.Y.Min, made.Y.Max = now.X.Min, now.X.Max, now.Y.Min, now.Y.Max
		}
		if !reflect.DeepEqual(now, made) {
			return false
		}
	}
	return true
}

// MimeBundle returns the outputs that a notebook shows, by MIME type: the picture of PNG, and a
// Vega or Vega-Lite specification, a value for encoding/json, for front ends that draw those. The
// latter has the colours of the page and uses the available width.
//
// Charts with an interactive form return that as the Vega specification. It follows the size of the
// figure, its titles and the labels and ranges of its axes. A figure that was changed in another
// way (for example, you added a plotter), and one that has no interactive form, is in Vega as it is
// drawn. If that has more than a megabyte, or contains images, an SVG document takes its place if
// it has at most a megabyte. It is an error if the figure cannot be drawn.
func (f *Figure) MimeBundle() (map[string]any, error) {
	picture, err := f.png()
	if err != nil {
		return nil, fmt.Errorf("chart: %w", err)
	}
	bundle := map[string]any{"image/png": picture, "image/svg+xml": nil}
	mime, spec, err := f.web()
	if err != nil {
		return nil, fmt.Errorf("chart: %w", err)
	}
	if spec != nil {
		bundle[mime] = spec
		return bundle, nil
	}
	text, err := f.svg()
	if err != nil {
		return nil, fmt.Errorf("chart: %w", err)
	}
	if len(text) <= maxText {
		bundle["image/svg+xml"] = text
	}
	return bundle, nil
}

// ScreenBundle returns the outputs for a page on a screen, by MIME type: an SVG document instead of
// the picture that MimeBundle has for files, and the same Vega specification. It takes a small part
// of the time. If the document has more than a megabyte, it returns MimeBundle.
func (f *Figure) ScreenBundle() (map[string]any, error) {
	text, err := f.svg()
	if err != nil {
		return nil, fmt.Errorf("chart: %w", err)
	}
	if len(text) > maxText {
		return f.MimeBundle()
	}
	bundle := map[string]any{"image/svg+xml": text, "image/png": nil}
	mime, spec, err := f.web()
	if err != nil {
		return nil, fmt.Errorf("chart: %w", err)
	}
	if spec != nil {
		bundle[mime] = spec
	}
	return bundle, nil
}

// web returns the figure in Vega or Vega-Lite: its interactive form, or else what is drawn. It is
// nil where that is not to be had, or too large.
func (f *Figure) web() (mime string, spec object, err error) {
	if spec, err = f.spec(); err != nil || spec != nil {
		return f.twin.mime, spec, err
	}
	if spec, err = f.drawn(); err == nil {
		spec, err = bounded(spec)
	}
	return vegaType, spec, err
}

// spec returns the interactive form, or nil where there is none.
func (f *Figure) spec() (object, error) {
	if f.twin == nil || !f.twin.shows(f) {
		return nil, nil
	}
	return bounded(f.twin.spec(f))
}

// bounded returns a specification, or nil where it is too large.
func bounded(spec object) (object, error) {
	text, err := json.Marshal(spec)
	if err != nil {
		return nil, fmt.Errorf("the figure in Vega: %w", err)
	}
	if len(text) > maxText {
		return nil, nil
	}
	return spec, nil
}
