package display

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"

	"github.com/hierml/notebook/hierml/chart"
	"github.com/hierml/notebook/hierml/taxonomy"
)

type point struct{ X, Y int }

type page struct{ html string }

func (p page) HTML() string { return p.html }

type unlucky struct{}

func (unlucky) HTML() string             { panic("no luck") }
func (unlucky) PNG() ([]byte, error)     { return nil, errors.New("no paper") }
func (unlucky) Markdown() string         { return "*here*" }
func (unlucky) SVG() (s string, e error) { return "<svg/>", nil }

type silent struct{}

func (silent) MimeBundle() map[string]any { return nil }

type whole struct{}

func (whole) MimeBundle() map[string]any {
	return map[string]any{"text/plain": "w", "application/json": []int{1}}
}

type badString struct{ p *int }

func (b badString) String() string { return fmt.Sprint(*b.p) }

type nilSafe struct{}

func (n *nilSafe) HTML() string {
	if n == nil {
		panic("called on nil")
	}
	return "x"
}

// counter shows itself by methods of the pointer alone.
type counter struct{ n int }

func (c *counter) String() string { return fmt.Sprint("counted ", c.n) }
func (c *counter) HTML() string   { return fmt.Sprintf("<b>%d</b>", c.n) }

// filled has a text only where something was put into it.
type filled struct{ p *int }

func (f *filled) String() string { return fmt.Sprint("filled with ", *f.p) }
func (f *filled) HTML() string   { return f.String() }

func TestStructIsShownAsItsPointer(t *testing.T) {
	b := Of(counter{3})
	if b.Text() != "counted 3" || b.Data[HTML] != "<b>3</b>" {
		t.Errorf("a struct with methods of its pointer is shown as %v", b.Data)
	}
}

func TestText(t *testing.T) {
	n := 7
	for _, tt := range []struct {
		values []any
		want   string
	}{
		{[]any{1}, "1"},
		{[]any{"a b"}, "a b"},
		{[]any{2.5}, "2.5"},
		{[]any{[]byte("hi")}, "hi"},
		{[]any{[]byte{1, 255}}, "[1 255]"},
		{[]any{point{1, 2}}, "{X:1 Y:2}"},
		{[]any{&point{1, 2}}, "&{X:1 Y:2}"},
		{[]any{map[string]int{"b": 2, "a": 1}}, "map[a:1 b:2]"},
		{[]any{errors.New("bad file")}, "bad file"},
		{[]any{3, nil}, "3"},
		{[]any{3, errors.New("bad")}, "3 bad"},
		{[]any{1, "a", true}, "1 a true"},
		{[]any{whole{}}, "w"},
		{[]any{(*nilSafe)(nil)}, "<nil>"},
		{[]any{make([]int, 3000)}, "[" + strings.Repeat("0 ", 100) + "… (3000 elements)]"},
		{[]any{&struct{ A []float64 }{make([]float64, 3000)}}, "A  [" + strings.Repeat("0 ", 20) + "… (3000 elements)]"},
		{[]any{1, [][]int{make([]int, 3000), {1}}}, "1 [[" + strings.Repeat("0 ", 100) + "… (3000 elements)] [1]]"},
		{[]any{strings.Repeat("世", 30000)}, strings.Repeat("世", maxText/3) + "\n… (90000 bytes in all)"},
		{[]any{counter{3}}, "counted 3"},
		{[]any{strings.Cut}, "func(string, string) (string, string, bool)"},
		{[]any{(func())(nil)}, "<nil>"},
		{[]any{filled{}}, "{p:<nil>}"},
		{[]any{filled{&n}}, "filled with 7"},
		{[]any{counter{3}, 1}, "counted 3 1"},
		{[]any{*mat.NewVecDense(2, []float64{1, 2})}, "⎡1⎤\n⎣2⎦"},
		{[]any{map[bool]any{true: math.NaN(), false: n}}, "map[false:7 true:NaN]"},
	} {
		b := Of(tt.values...)
		if b == nil || b.Text() != tt.want {
			t.Errorf("%T: got %.300s, want %.300s", tt.values[0], b.Text(), tt.want)
		}
	}
}

func TestNothing(t *testing.T) {
	var err error
	for _, values := range [][]any{nil, {nil}, {nil, err}, {silent{}}} {
		if b := Of(values...); b != nil {
			t.Errorf("%v shows %v", values, b)
		}
	}
}

func TestMethods(t *testing.T) {
	b := Of(page{"<table></table>"})
	if b.Data[HTML] != "<table></table>" || b.Text() != "{html:<table></table>}" {
		t.Errorf("got %v", b)
	}
	b = Of(unlucky{})
	for mime, want := range map[string]any{
		SVG: "<svg/>", Markdown: "*here*",
		Text: "{}\nHTML of display.unlucky panicked: no luck\nPNG of display.unlucky: no paper",
	} {
		if b.Data[mime] != want {
			t.Errorf("%s is %v, want %v", mime, b.Data[mime], want)
		}
	}
	if len(b.Data) != 3 {
		t.Errorf("got %v", b.Data)
	}
	if b := Of(badString{}); !strings.Contains(b.Text(), "PANIC") {
		t.Errorf("got %s", b.Text())
	}
}

// picky leaves out one of the types that it has methods for.
type picky struct{}

func (picky) HTML() string               { return "<b>no</b>" }
func (picky) MimeBundle() map[string]any { return map[string]any{HTML: nil, PNG: []byte("p")} }

func TestLeftOut(t *testing.T) {
	if b := Of(picky{}); len(b.Data) != 2 || b.Data[PNG] == nil || b.Text() == "" {
		t.Errorf("got %v", b.Data)
	}
	// An interactive figure needs no other drawing than the one for front ends that do not know it.
	f, err := chart.LearningCurve([]int{1, 2}, map[string][]float64{"flat": {0.5, 0.6}})
	if err != nil {
		t.Fatal(err)
	}
	b := Of(f)
	if got := slices.Sorted(maps.Keys(b.Data)); !slices.Equal(got, []string{"application/vnd.vegalite.v5+json", PNG, Text}) || b.Metadata[PNG] == nil {
		t.Errorf("a figure is shown as %q", got)
	}
	b = OnScreen(f)
	if got := slices.Sorted(maps.Keys(b.Data)); !slices.Equal(got, []string{"application/vnd.vegalite.v5+json", SVG, Text}) || b.Metadata != nil {
		t.Errorf("on a screen a figure is shown as %q, %v", got, b.Metadata)
	}
	f.X.Min, f.X.Max = 1, math.NaN()
	if b := OnScreen(f); !strings.Contains(b.Text(), "the X axis goes from 1 to NaN") {
		t.Errorf("on a screen: got %s", b.Text())
	}
	if b := Of(f); !strings.Contains(b.Text(), "the X axis goes from 1 to NaN") {
		t.Errorf("got %s", b.Text())
	}
}

// TestAlternatives looks at the texts for those who do not see a picture: the title of a chart, or
// the first line of what else there is.
func TestAlternatives(t *testing.T) {
	curve, err := chart.LearningCurve([]int{1, 2}, map[string][]float64{"flat": {0.5, 0.6}})
	if err != nil {
		t.Fatal(err)
	}
	curve.Title.Text = "Accuracy <of>\nall"
	tax, err := taxonomy.New([]string{"root", "left", "right"}, [][2]int{{0, 1}, {0, 2}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		value any
		mime  string
		want  string
	}{
		{curve, PNG, "Accuracy <of>: all"},
		{plot.New(), PNG, "plot"},
		{tax, PNG, "tree: 3 nodes, 2 leaves, depth 1"},
		{image.NewGray(image.Rect(0, 0, 3, 2)), PNG, "image of 3 by 2 pixels"},
		{picky{}, PNG, "{}"},
	} {
		about, _ := Of(c.value).Metadata[c.mime].(map[string]any)
		if about["alt"] != c.want {
			t.Errorf("%T: the alternative is %q, want %q", c.value, about["alt"], c.want)
		}
	}
	svg, _ := OnScreen(curve).Data[SVG].(string)
	if !strings.Contains(svg, ` role="img" aria-label="Accuracy &lt;of&gt;: all" `) {
		t.Errorf("an SVG document begins with %.200s", svg)
	}
	if b := Of(3); b.Metadata != nil {
		t.Errorf("a number has %v", b.Metadata)
	}
}

func TestTaxonomy(t *testing.T) {
	tax, err := taxonomy.New([]string{"root", "left", "right"}, [][2]int{{0, 1}, {0, 2}})
	if err != nil {
		t.Fatal(err)
	}
	b := Of(tax)
	spec := fmt.Sprint(b.Data["application/vnd.vega.v5+json"])
	if !strings.Contains(spec, "left") || !strings.Contains(b.Text(), "right") || b.Data[PNG] == nil || b.Metadata[PNG] == nil {
		t.Errorf("got %.300v", b)
	}
}

func TestSizeIsBounded(t *testing.T) {
	b := Of(page{strings.Repeat("x", maxData+1)})
	if _, has := b.Data[HTML]; has || !strings.Contains(b.Text(), "(text/html left out: it has 8388609 bytes)") {
		t.Errorf("got %.200s", b.Text()[max(0, len(b.Text())-200):])
	}
	b = Of(image.NewUniform(nil))
	if _, has := b.Data[PNG]; has || !strings.Contains(b.Text(), "more than") {
		t.Errorf("got %v", b)
	}
}

func TestPlot(t *testing.T) {
	const vega = "application/vnd.vega.v5+json"
	p := plot.New()
	p.Title.Text = "gap"
	if b := OnScreen(p); len(b.Data) != 3 || b.Data[SVG] == nil || b.Data[vega] == nil || b.Text() != `plot "gap"` || b.Metadata != nil {
		t.Errorf("on a screen: got %v", b)
	}
	if b := OnScreen(picky{}); b.Data[PNG] == nil {
		t.Errorf("on a screen what has dots only: got %v", b)
	}
	b := Of(p)
	if drawn, err := json.Marshal(b.Data[vega]); err != nil || !strings.Contains(string(drawn), `"description":"gap"`) {
		t.Errorf("in Vega: %.100s, %v", drawn, err)
	}
	data, _ := b.Data[PNG].([]byte)
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := img.Bounds().Size(), image.Pt(1152, 768); got != want {
		t.Errorf("the picture has %v pixels, want %v", got, want)
	}
	if got := fmt.Sprint(b.Metadata[PNG]); got != `map[alt:plot "gap" height:384 width:576]` {
		t.Errorf("shown as %s", got)
	}
	if b.Text() != `plot "gap"` {
		t.Errorf("text %s", b.Text())
	}
	// A plot that cannot be drawn is a text, not a panic.
	p.X.Min, p.X.Max = 1, math.NaN()
	if got := Of(p).Text(); !strings.Contains(got, "the X axis goes from 1 to NaN") {
		t.Errorf("got %s", got)
	}
}

func TestImage(t *testing.T) {
	b := Of(image.NewGray(image.Rect(0, 0, 3, 2)))
	data, _ := b.Data[PNG].([]byte)
	if img, err := png.Decode(bytes.NewReader(data)); err != nil || img.Bounds().Dx() != 3 {
		t.Errorf("got %v", err)
	}
	if b.Text() != "image of 3 by 2 pixels" {
		t.Errorf("got %s", b.Text())
	}
}

func TestMatrix(t *testing.T) {
	b := Of(mat.NewDense(2, 2, []float64{1, 2.5, 3, 4}))
	for _, want := range []string{">2.5</td>", ">4.0</td>", ">2 × 2<"} {
		if html, _ := b.Data[HTML].(string); !strings.Contains(html, want) {
			t.Errorf("got %s, want %s in it", html, want)
		}
	}
	if want := "⎡1  2.5⎤\n⎣3    4⎦"; b.Text() != want {
		t.Errorf("got\n%s\nwant\n%s", b.Text(), want)
	}
	b = Of(mat.NewDense(100, 100, nil))
	if n := strings.Count(b.Data[HTML].(string), "<tr"); n != 22 {
		t.Errorf("%d rows", n)
	}
	if n := strings.Count(b.Text(), "\n"); n > 20 {
		t.Errorf("%d lines", n)
	}
	// A view of a matrix that has been reset has no elements.
	if b := Of(&mat.Dense{}); b == nil {
		t.Error("an empty matrix shows nothing")
	}
}

func FuzzText(f *testing.F) {
	f.Add("a\xff世")
	f.Fuzz(func(t *testing.T, s string) {
		if Of(s).Text() == "" && s != "" {
			t.Errorf("%q shows nothing", s)
		}
	})
}
