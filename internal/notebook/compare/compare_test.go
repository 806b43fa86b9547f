package compare

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/hierml/notebook/internal/notebook"
)

func TestText(t *testing.T) {
	for _, c := range []struct {
		name, stored, now string
		same              bool
		largest           float64 // where only numbers differ
	}{
		{"nothing", "", "", true, 0},
		{"the same", "a 1", "a 1", true, 0},
		{"words", "yes", "no", false, 0},
		{"a number within", "loss 0.50000", "loss 0.50004", true, 0},
		{"a number beyond", "loss 0.500", "loss 0.510", false, 0.01 / 0.51},
		{"the last digit", "0.81", "0.82", true, 0},
		{"two last digits", "0.81", "0.83", false, 0.02 / 0.83},
		{"the last digit of the shorter one", "1.5", "1.61", false, 0.11 / 1.61},
		{"the last digit with an exponent", "1.2e-07", "1.3e-07", true, 0},
		{"an integer", "3 cats", "4 cats", false, 0.25},
		{"a large integer", "100000 cats", "100001 cats", true, 0},
		{"signs", "-1.5", "+1.5", false, 2},
		{"signs of nothing", "-0.0", "+0.0", true, 0},
		{"noise around zero", "3.1e-17", "-2.2e-16", true, 0},
		{"thousands", "1,000,000 rows", "1000001 rows", true, 0},
		{"an infinite exponent", "1e999", "1e998", false, 0},
		{"not a number", "NaN", "NaN", true, 0},
		{"not a number any more", "1.5", "NaN", false, 0},
		{"the width of a column", "a    9.99\nb   10.00", "a   10.00\nb   10.00", true, 0},
		{"the lines of a table", "a\n---\n", "a\n------\n", true, 0},
		{"a name with digits", "x1", "x2", false, 0},
		{"a version", "go1.26.8", "go1.26.9", false, 0},
		{"a bare version", "1.26.8", "1.26.9", false, 0},
		{"a sentence", "It is 1.50. Next.", "It is 1.51. Next.", true, 0},
		{"durations", "took 1.5s", "took 2m3.25s", true, 0},
		{"durations with a space", "12 ms ± 3 µs", "9 s ± 2 ns", true, 0},
		{"durations in a report", "seconds  1.79", "seconds  24", true, 0},
		{"a duration and another thing", "took 1.5s", "took 1.5m", false, 0},
		{"a plural", "3 seats", "5 seats", false, 0.4},
		{"rates", "9.26 epochs/s, 3 MB/s", "120 epochs/s, 0.4 MB/s", true, 0},
		{"times", "2026-11-22 07:56:38.123 +0000 UTC m=+0.5 done", "1999-01-02 23:59:59 +0100 CET done", true, 0},
		{"logs", "2009/11/10 23:00:00 done", "2026/11/22 01:00:00 done", true, 0},
		{"dates", "2026-11-22", "2026-11-23", false, 1. / 23},
		{"addresses", "0xc000012345", "0xc0000abcde", true, 0},
		{"short hexadecimal numbers", "0xff", "0xfe", false, 0},
		{"another line", "a", "a\nb", false, 0},
		{"empty lines at the end", "a\n\n", "a", true, 0},
		{"an empty line within", "a\n\nb", "a\nb", false, 0},
		{"colours", "\x1b[31ma\x1b[0m", "a", true, 0},
		{"overwritten", "10 %\r100 %\n", "100 %\n", true, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, turn := range [][2]string{{c.stored, c.now}, {c.now, c.stored}} {
				m := &measure{tolerance: DefaultTolerance}
				diff := m.text(notebook.Plain(turn[0]), notebook.Plain(turn[1]))
				if (diff == nil) != c.same {
					t.Errorf("the difference is %q", diff)
				}
				largest := m.largest
				if m.words {
					largest = 0
				}
				if math.Abs(largest-c.largest) > 1e-12 {
					t.Errorf("numbers differ by %g, want %g", largest, c.largest)
				}
				if c.largest > 0 && (&measure{tolerance: c.largest * (1 + 1e-12)}).text(turn[0], turn[1]) != nil {
					t.Error("that tolerance does not accept it")
				}
			}
		})
	}
	if (&measure{}).text("0.81", "0.82") == nil || (&measure{}).text("0.81s", "0.82s") != nil {
		t.Error("without tolerance the last digit of a number has to count, and that of a duration not")
	}
}

func TestDiff(t *testing.T) {
	m := &measure{tolerance: 0.01}
	got := strings.Join(m.text("a 1.000\nb 2.000\nc 3\nc 4\nd 4\ne 5\n", "a 1.001\nb 3.000\nc 3\nc 4\nd 4\nf 5\ne 5\n"), "\n")
	// The first line is the same within the tolerance, so it is shown as it is stored.
	if want := "@@ -1,3 +1,3 @@\n a 1.000\n-b 2.000\n+b 3.000\n c 3\n@@ -5,2 +5,3 @@\n d 4\n+f 5\n e 5"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// drawing returns a picture with a rectangle.
func drawing(t *testing.T, width, height int, inked image.Rectangle) string {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(img, img.Bounds(), image.White, image.Point{}, draw.Src)
	draw.Draw(img, inked, image.NewUniform(color.RGBA{B: 200, A: 255}), image.Point{}, draw.Src)
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// bundle is a cell that shows data of one MIME type.
func bundle(mime string, data any) []*notebook.Output {
	return []*notebook.Output{{Kind: notebook.Result, Data: map[string]any{mime: data}}}
}

func stream(name, text string) *notebook.Output {
	return &notebook.Output{Kind: notebook.Stream, Name: name, Text: text}
}

func TestCells(t *testing.T) {
	block := drawing(t, 200, 100, image.Rect(20, 20, 120, 80))
	number := func(s string) any { return map[string]any{"b": json.Number(s), "a": []any{"x", true}} }
	boom := func(message string) []*notebook.Output {
		return []*notebook.Output{{Kind: notebook.Failure, ErrorName: "panic", ErrorValue: message, Traceback: []string{"panic: " + message, "a.go:1:0xc000012345"}}}
	}
	for _, c := range []struct {
		name        string
		stored, now []*notebook.Output
		want        string // titles and diffs, "" for none
	}{
		{"nothing", nil, nil, ""},
		{"streams in pieces", []*notebook.Output{stream("stdout", "a\n"), stream("stderr", "x"), stream("stdout", "b\n")}, []*notebook.Output{stream("stdout", "a\nb\n")}, ""},
		{"standard error", []*notebook.Output{stream("stderr", "x")}, []*notebook.Output{stream("stderr", "y")}, ""},
		{"a progress bar", nil, bundle("text/html", "<div><progress value=1></progress> 3 epochs</div>"), ""},
		{"missing", []*notebook.Output{stream("stdout", "a\nb\n")}, nil, "output 1 is missing|-a|-b"},
		{"new", nil, bundle("text/plain", "a"), "output 1 is new|+a"},
		{"missing between others",
			append(append(bundle("text/plain", "a"), bundle("text/plain", "b")...), bundle("text/plain", "c")...),
			append(bundle("text/plain", "a"), bundle("text/plain", "c")...), "output 2 is missing|-b"},
		{"shown by a call and as a value", bundle("text/plain", "a"), []*notebook.Output{{Kind: notebook.Display, Data: map[string]any{"text/plain": "a"}}}, ""},
		{"HTML with other markup", bundle("text/html", "<table style='x'><tr><th>a</th><td>1.50</td></tr></table>"), bundle("text/html", "<table>\n<tr class=y>\n<td>a</td><td>1.51</td></tr>\n</table>"), ""},
		{"HTML with another number", bundle("text/html", "<table><tr><td>a&nbsp;b</td><td>1.50</td></tr><tr><td>c</td></tr></table>"), bundle("text/html", "<table><tr><td>a b</td><td>2.50</td></tr><tr><td>c</td></tr></table>"), "output 1, text/html|-a b  1.50|+a b  2.50| c"},
		{"HTML with scripts", bundle("text/html", "<script>1</script><style>a</style>x"), bundle("text/html", "<script>2</script>x"), ""},
		{"HTML where text was", bundle("text/plain", "a"), bundle("text/html", "a"), "output 1 is no longer there as text/plain|output 1 is now there as text/html too"},
		{"JSON", bundle("application/vnd.vegalite.v5+json", number("1.5")), bundle("application/vnd.vegalite.v5+json", number("1.50001")), ""},
		{"other JSON", bundle("application/json", number("1.5")), bundle("application/json", number("2.5")), "output 1, application/json|  ],|- \"b\": 1.5|+ \"b\": 2.5| }"},
		{"widgets", bundle("application/vnd.jupyter.widget-view+json", map[string]any{"model_id": "a"}), bundle("application/vnd.jupyter.widget-view+json", map[string]any{"model_id": "b"}), ""},
		{"a picture", bundle("image/png", block), bundle("image/png", drawing(t, 200, 100, image.Rect(22, 20, 123, 80))), ""},
		{"another picture", bundle("image/png", block), bundle("image/png", drawing(t, 200, 100, image.Rect(80, 20, 180, 80))), "output 1, image/png| the picture looks different: 75 % of the drawing"},
		{"an empty picture", bundle("image/png", block), bundle("image/png", drawing(t, 200, 100, image.Rectangle{})), "output 1, image/png| the picture looks different: 100 % of the drawing"},
		{"empty pictures", bundle("image/png", drawing(t, 20, 10, image.Rectangle{})), bundle("image/png", drawing(t, 20, 10, image.Rectangle{})), ""},
		{"a larger picture", bundle("image/png", block), bundle("image/png", drawing(t, 200, 101, image.Rectangle{})), "output 1, image/png| the stored picture has 200 x 100 points, now it has 200 x 101"},
		{"a damaged picture", bundle("image/png", block), bundle("image/png", "AQID"), "output 1, image/png| the stored picture is a PNG, now it cannot be read"},
		{"two damaged pictures", bundle("image/png", "AQID"), bundle("image/png", "AQID"), ""},
		{"a drawing", bundle("image/svg+xml", `<svg width="3pt"><text>a</text><path d="M1"/></svg>`), bundle("image/svg+xml", `<svg width="3pt"><text> a</text><path d="M2"/></svg>`), ""},
		{"another drawing", bundle("image/svg+xml", `<svg width="3pt"><text>a</text></svg>`), bundle("image/svg+xml", `<svg width="30pt"><text>a</text></svg>`), "output 1, image/svg+xml|-width 3pt|+width 30pt| a"},
		{"an error", boom("a"), boom("a"), ""},
		{"another error", boom("a"), boom("b"), "output 1, message, traceback|-a|+b"},
		{"an error for an output", bundle("text/plain", "a"), boom("b"), "output 1 is of another kind|-a|+panic: b|+a.go:1:0xc000012345"},
		{"a new error", nil, boom("b"), "an error is new|+panic: b|+a.go:1:0xc000012345"},
	} {
		t.Run(c.name, func(t *testing.T) {
			of := func(tag string, outputs []*notebook.Output, count int) *notebook.Notebook {
				return &notebook.Notebook{Cells: []*notebook.Cell{
					{Kind: notebook.Markdown},
					{Kind: notebook.Code, Count: count, Outputs: outputs, Metadata: map[string]any{"tags": []any{tag}}},
				}}
			}
			var got []string
			for _, d := range Cells(of("x", c.stored, 3), of("x", c.now, 1), DefaultTolerance) {
				if d.Number != 1 {
					t.Errorf("the cell has the number %d", d.Number)
				}
				for _, p := range d.Parts {
					got = append(append(got, p.Title), p.Diff...)
				}
			}
			if got := strings.Join(got, "|"); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			if d := Cells(of(Changes, c.stored, 3), of(Changes, c.now, 1), DefaultTolerance); d != nil {
				t.Errorf("a cell that may change differs by %v", d)
			}
			if d := Cells(of("x", c.stored, 3), of("x", nil, 0), DefaultTolerance); d != nil {
				t.Errorf("a cell that was not run differs by %v", d)
			}
		})
	}
}

// TestCellsTolerance holds that the tolerance that a difference names accepts it, and none below
// does.
func TestCellsTolerance(t *testing.T) {
	of := func(x, y float64) *notebook.Notebook {
		return &notebook.Notebook{Cells: []*notebook.Cell{{Kind: notebook.Code, Count: 1, Outputs: bundle("text/plain", fmt.Sprintf("%.4f and\n%.4f", x, y))}}}
	}
	a, b := of(1, 2), of(1.01, 2.1)
	d := Cells(a, b, DefaultTolerance)
	if len(d) != 1 || math.Abs(d[0].Largest-0.1/2.1) > 1e-9 {
		t.Fatalf("got %+v", d)
	}
	if d := Cells(a, b, d[0].Largest); d != nil {
		t.Errorf("with that tolerance there is %+v", d)
	}
	if d := Cells(a, b, d[0].Largest*0.999); d == nil {
		t.Error("a smaller tolerance is enough")
	}
}

// TestLargePictures has a small file that claims to be a picture of 4 thousand million points: it
// is compared as it is, and not decoded.
func TestLargePictures(t *testing.T) {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		t.Fatal(err)
	}
	data := b.Bytes()
	binary.BigEndian.PutUint32(data[16:], 1<<16)
	binary.BigEndian.PutUint32(data[20:], 1<<16)
	binary.BigEndian.PutUint32(data[29:], crc32.ChecksumIEEE(data[12:29]))
	if config, err := png.DecodeConfig(bytes.NewReader(data)); err != nil || config.Width != 1<<16 {
		t.Fatal(config, err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	coded := base64.StdEncoding.EncodeToString(data)
	if p := readPicture(coded); p.picture != nil || p.text != coded {
		t.Errorf("it is read as %+v", p)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("%d bytes were allocated", n)
	}
}
