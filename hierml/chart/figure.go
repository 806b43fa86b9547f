package chart

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"image/color"
	"image/png"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/hierml/notebook/internal/replace"
)

// Figure is a plot with a size at which it is readable. You may change the plot (Title, X.Label,
// Add, ...) before you show it; MimeBundle says which of these changes an interactive figure
// follows.
type Figure struct {
	*plot.Plot

	// Below, if not nil, is drawn below Plot with its data area aligned to it.
	Below *plot.Plot

	// Beside are drawn right of Plot, three plots in a row, with their data areas aligned; Below is
	// nil then.
	Beside []*plot.Plot

	// Width and Height are what SVG, PNG and Save use; zero stands for those of a learning curve,
	// see Size. There are 72 points to the inch.
	Width, Height vg.Length

	twin *twin // or nil
}

const (
	// dotsPerInch of PNG: twice what screens show, so that it stays sharp on fine ones. A figure
	// that would have more than maxDots has fewer to the inch.
	dotsPerInch = 192
	maxDots     = 5e6

	// margin is left free around the figure: points.
	margin = 6
)

// Size returns the width and height of the drawing: those of the figure, or those of a learning
// curve if they are zero.
func (f *Figure) Size() (width, height vg.Length) {
	return cmp.Or(f.Width, curveWidth), cmp.Or(f.Height, curveHeight)
}

// Draw draws the figure.
func (f *Figure) Draw(c draw.Canvas) {
	if f.BackgroundColor != nil {
		c.SetColor(f.BackgroundColor)
		c.Fill(c.Rectangle.Path())
	}
	c = draw.Crop(c, margin, -margin, margin, -margin)
	rows := f.rows()
	for i := range rows {
		for j, p := range rows[i] {
			if p != nil {
				fitted := *p
				fitted.Title.Text = f.title(p)
				rows[i][j] = &fitted
			}
		}
	}
	if len(rows) == 1 && len(rows[0]) == 1 {
		rows[0][0].Draw(c)
		return
	}
	tiles := draw.Tiles{Rows: len(rows), Cols: len(rows[0]), PadX: 12, PadY: 12}
	for i, row := range plot.Align(rows, tiles, c) {
		for j, panel := range row {
			if rows[i][j] != nil {
				rows[i][j].Draw(panel)
			}
		}
	}
}

// title returns the title of one of the figure's plots, in lines that fit its width.
func (f *Figure) title(p *plot.Plot) string {
	width, _ := f.Size()
	return broken(p, (width-2*margin)/vg.Length(len(f.rows()[0])))
}

// broken breaks the title of a plot into lines of at most a width. Each line has at least one word.
func broken(p *plot.Plot, width vg.Length) string {
	var lines []string
	for line := range strings.SplitSeq(p.Title.Text, "\n") {
		first := true
		for word := range strings.SplitSeq(line, " ") {
			last := len(lines) - 1
			if !first && p.Title.TextStyle.Width(lines[last]+" "+word) <= width {
				lines[last] += " " + word
				continue
			}
			lines, first = append(lines, word), false
		}
	}
	return strings.Join(lines, "\n")
}

// rows returns the plots by row; the last row may end in nil.
func (f *Figure) rows() [][]*plot.Plot {
	if f.Below != nil {
		return [][]*plot.Plot{{f.Plot}, {f.Below}}
	}
	all := append([]*plot.Plot{f.Plot}, f.Beside...)
	columns := min(len(all), besideColumns)
	for len(all)%columns != 0 {
		all = append(all, nil)
	}
	return slices.Collect(slices.Chunk(all, columns))
}

// besideColumns is how many plots stand in a row.
const besideColumns = 3

// SVG returns the figure as an SVG document. In an HTML page it has no background, and its text has
// the colour of the page's text; as a separate document it has a white background. If you changed
// the figure so that gonum's plot cannot draw it, the document says why.
func (f *Figure) SVG() string {
	text, err := f.svg()
	if err != nil {
		return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="600" height="40"><text x="4" y="24">%s</text></svg>`,
			html.EscapeString("chart: "+err.Error()))
	}
	return text
}

func (f *Figure) svg() (string, error) {
	c := vgsvg.New(f.Size())
	if err := f.onPage().drawOn(c); err != nil {
		return "", err
	}
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return "", fmt.Errorf("writing SVG: %w", err)
	}
	// The fonts with which the text was measured are not on every machine; these are as wide.
	text := strings.ReplaceAll(b.String(), "font-family:Liberation Sans;", "font-family:Liberation Sans,Arial,Helvetica,sans-serif;")
	for _, p := range pageInks {
		hex := strings.ToUpper(plainHex(p.ink))
		for _, property := range []string{"fill", "stroke"} {
			thin := ""
			if p.opacity < 1 {
				thin = fmt.Sprintf(";%s-opacity:%g", property, p.opacity)
			}
			text = strings.ReplaceAll(text, property+":"+hex, property+":currentColor"+thin)
		}
	}
	// In a column that is narrower than the figure, the figure shrinks. A screen reader says its
	// name. A document of its own has a white page.
	name := html.EscapeString(f.name())
	text = strings.Replace(text, "<svg ", `<svg style="max-width:100%;height:auto" fill="currentColor" role="img" aria-label="`+name+`" `, 1)
	return strings.Replace(text, "<g ", "<style>svg:root{color:"+plainHex(ink)+";background:#fff}</style>\n<g ", 1), nil
}

// onPage returns the figure without the white background of its plots, to be drawn on a page.
func (f *Figure) onPage() *Figure {
	clear := func(p *plot.Plot) *plot.Plot {
		if p == nil || p.BackgroundColor != color.White {
			return p
		}
		c := *p
		c.BackgroundColor = nil
		return &c
	}
	c := *f
	c.Plot, c.Below, c.Beside = clear(f.Plot), clear(f.Below), slices.Clone(f.Beside)
	for i, p := range c.Beside {
		c.Beside[i] = clear(p)
	}
	return &c
}

// PNG returns the figure as a picture with 192 dots per inch (fewer if the picture would have more
// than five million), or nil if the figure cannot be drawn; SVG says why.
func (f *Figure) PNG() []byte {
	data, err := f.png()
	if err != nil {
		return nil
	}
	return data
}

func (f *Figure) png() ([]byte, error) {
	width, height := f.Size()
	dots := width.Dots(dotsPerInch) * height.Dots(dotsPerInch)
	if !(width > 0 && height > 0 && dots < 1e12) {
		return nil, fmt.Errorf("a figure of %v x %v points cannot be drawn", width.Points(), height.Points())
	}
	perInch := dotsPerInch * min(1, math.Sqrt(maxDots/dots))
	c := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(int(perInch)))
	if err := f.drawOn(c); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&b, paletted(c.Image())); err != nil {
		return nil, fmt.Errorf("writing PNG: %w", err)
	}
	return b.Bytes(), nil
}

// Save writes the figure to a file. The extension chooses the format: .svg, .png, .pdf, or another
// that gonum's plot knows.
func (f *Figure) Save(file string) error {
	var content []byte
	var err error
	switch extension := strings.ToLower(filepath.Ext(file)); extension {
	case ".svg":
		var text string
		text, err = f.svg()
		content = []byte(text)
	case ".png":
		content, err = f.png()
	default:
		var c vg.CanvasWriterTo
		width, height := f.Size()
		if c, err = draw.NewFormattedCanvas(width, height, strings.TrimPrefix(extension, ".")); err != nil {
			return fmt.Errorf("chart: cannot save as %q: %w; use .svg, .png or .pdf", file, err)
		}
		if err = f.drawOn(c); err == nil {
			var b bytes.Buffer
			_, err = c.WriteTo(&b)
			content = b.Bytes()
		}
	}
	if err == nil {
		err = replace.Content(file, content)
	}
	if err != nil {
		return fmt.Errorf("chart: saving %s: %w", file, err)
	}
	return nil
}

// drawOn draws the figure and returns what gonum's plot panics about, such as a logarithmic axis
// over zero, or could not draw in any time, as an error.
func (f *Figure) drawOn(c vg.CanvasSizer) (err error) {
	for _, p := range slices.Concat(f.rows()...) {
		if err := Check(p); err != nil {
			return fmt.Errorf("the figure cannot be drawn: %w", err)
		}
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the figure cannot be drawn: %v", r)
		}
	}()
	f.Draw(draw.New(c))
	return nil
}

// Check returns an error that names the axis of p on which gonum's plot would search ticks for
// ever: an axis that begins or ends at NaN. A nil plot has no error.
func Check(p *plot.Plot) error {
	if p == nil {
		return nil
	}
	for _, axis := range []struct {
		name string
		plot.Axis
	}{{"X", p.X}, {"Y", p.Y}} {
		if math.IsNaN(axis.Min) || math.IsNaN(axis.Max) {
			return fmt.Errorf("the %s axis goes from %v to %v; its ends must be numbers", axis.name, axis.Min, axis.Max)
		}
	}
	return nil
}

// name is the title of the figure in one line.
func (f *Figure) name() string {
	return cmp.Or(strings.ReplaceAll(f.Title.Text, "\n", ": "), "figure")
}

// String names the figure.
func (f *Figure) String() string {
	title := f.name()
	width, height := f.Size()
	return fmt.Sprintf("%s (%.0f x %.0f points)", title, width.Points(), height.Points())
}
