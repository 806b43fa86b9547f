package display

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"reflect"
	"regexp"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"github.com/hierml/notebook/hierml/chart"
	"github.com/hierml/notebook/hierml/taxonomy"
	"github.com/hierml/notebook/internal/table"
)

const (
	plotWidth  = 6 * vg.Inch
	plotHeight = 4 * vg.Inch

	maxPixels = 32 << 20 // of an image
	maxData   = 8 << 20  // bytes of any representation but text

	// Larger tables show their first and last rows or columns.
	maxRows    = 20
	maxColumns = 12
)

// isKnown reports whether known draws values of the type, which have no methods for that.
func isKnown(t reflect.Type) bool {
	return t == reflect.TypeFor[*plot.Plot]() || t == reflect.TypeFor[*taxonomy.Taxonomy]()
}

// known draws values of packages that know nothing about notebooks.
func (b *Bundle) known(v any) error {
	switch v := v.(type) {
	case *plot.Plot:
		return b.plot(v)
	case *chart.Figure:
		b.size(v.Size())
	case *taxonomy.Taxonomy:
		figure, err := chart.Taxonomy(v)
		if err != nil {
			return err
		}
		if _, err := b.whole(figure); err != nil {
			return err
		}
		b.size(figure.Size())
	case image.Image:
		return b.image(v)
	case mat.Matrix:
		b.matrix(v)
	}
	return nil
}

func (b *Bundle) plot(p *plot.Plot) error {
	figure := &chart.Figure{Plot: p, Width: plotWidth, Height: plotHeight}
	if _, err := b.whole(figure); err != nil {
		return err
	}
	title := "plot"
	if p.Title.Text != "" {
		title += " " + fmt.Sprintf("%q", p.Title.Text)
	}
	b.Data[Text] = bounded(title)
	b.size(plotWidth, plotHeight)
	return nil
}

// describe gives raster images an alternative text for readers who do not see them, as in HTML made
// from a notebook: the value as text, on one line.
func (b *Bundle) describe() {
	for _, mime := range []string{PNG, JPEG} {
		if b.Data[mime] == nil {
			continue
		}
		about, ok := b.Metadata[mime].(map[string]any)
		if !ok {
			if b.Metadata[mime] != nil {
				continue // the value's own text, of another form
			}
			about = map[string]any{}
		}
		if _, has := about["alt"]; !has {
			about["alt"] = alternative(b.Text())
		}
		b.Metadata[mime] = about
	}
}

// maxAlternative is the maximum length of an alternative text, in characters.
const maxAlternative = 160

// sizeOf matches the size in the text of a figure.
var sizeOf = regexp.MustCompile(` \([0-9]+ x [0-9]+ points\)$`)

// alternative returns the first line of a text, if it is not too long, without a figure's size.
func alternative(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return oneLine(sizeOf.ReplaceAllString(line, ""), maxAlternative)
}

// size sets the displayed size of the picture in CSS pixels, of which 96 make an inch, independent
// of its resolution.
func (b *Bundle) size(width, height vg.Length) {
	b.Metadata[PNG] = map[string]any{"width": int(width / vg.Inch * 96), "height": int(height / vg.Inch * 96)}
}

func (b *Bundle) image(img image.Image) error {
	size := img.Bounds().Size()
	b.Data[Text] = fmt.Sprintf("image of %d by %d pixels", size.X, size.Y)
	if _, has := b.Data[PNG]; has || size.X <= 0 || size.Y <= 0 {
		return nil
	}
	if size.X > maxPixels/size.Y {
		return fmt.Errorf("the image has more than %d pixels", maxPixels)
	}
	var buf bytes.Buffer
	if err := png.Encode(&buf, img); err != nil {
		return err
	}
	b.Data[PNG] = buf.Bytes()
	return nil
}

func (b *Bundle) matrix(m mat.Matrix) {
	rows, columns := m.Dims()
	// fmt prints a matrix as its struct; this form is readable.
	if rows > maxRows || columns > maxColumns {
		b.Data[Text] = bounded(excerpt(m))
	} else {
		b.Data[Text] = bounded(fmt.Sprintf("%.5g", mat.Formatted(m, mat.Squeeze())))
	}
	if _, has := b.Data[HTML]; has {
		return
	}
	t := grid(rows, columns, true, table.Digits, func(i, j int) value { return valueOf(m.At(i, j)) })
	t.Notes = []string{fmt.Sprintf("%d × %d", rows, columns)}
	b.Data[HTML] = t.HTML()
}

// excerpt formats the first and last rows and columns of a matrix. gonum's mat.Excerpt does the
// same, but panics if a number beside the omitted ones is the longest of its column.
func excerpt(m mat.Matrix) string {
	const side = maxColumns / 2
	rows, columns := m.Dims()
	ri, ci := shownIndices(rows, 2*side), shownIndices(columns, 2*side)
	texts, widths := make([][]string, len(ri)), make([]int, len(ci))
	for k, i := range ri {
		texts[k] = make([]string, len(ci))
		for l, j := range ci {
			switch {
			case i >= 0 && j >= 0:
				texts[k][l] = fmt.Sprintf("%.5g", m.At(i, j))
			case j < 0 && (i == 0 || i == rows-1):
				texts[k][l] = "...  ..."
			}
			widths[l] = max(widths[l], len(texts[k][l]))
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Dims(%d, %d)\n", rows, columns)
	for k, i := range ri {
		begin, end := "⎢", "⎥\n"
		switch {
		case i < 0:
			b.WriteString(" .\n .\n .\n")
			continue
		case rows == 1:
			begin, end = "[", "]"
		case i == 0:
			begin, end = "⎡", "⎤\n"
		case i == rows-1:
			begin, end = "⎣", "⎦"
		}
		b.WriteString(begin)
		for l, text := range texts[k] {
			if l > 0 {
				b.WriteString("  ")
			}
			fmt.Fprintf(&b, "%*s", widths[l], text)
		}
		b.WriteString(end)
	}
	return b.String()
}

// shownIndices returns 0..n-1, or, if that is more than most, its two ends with -1 for the omitted
// middle.
func shownIndices(n, most int) []int {
	var shown []int
	for i := range n {
		switch {
		case n <= most || i < most/2 || i >= n-most/2:
			shown = append(shown, i)
		case i == most/2:
			shown = append(shown, -1)
		}
	}
	return shown
}

// bound removes representations that are too large for a notebook, and reports them.
func (b *Bundle) bound() {
	var dropped []string
	for mime, data := range b.Data {
		n := 0
		switch d := data.(type) {
		case string:
			n = len(d)
		case []byte:
			n = len(d)
		}
		if mime != Text && n > maxData {
			dropped = append(dropped, fmt.Sprintf("(%s left out: it has %d bytes)", mime, n))
			delete(b.Data, mime)
		}
	}
	for _, note := range dropped {
		b.Data[Text] = b.Text() + "\n" + note
	}
}
