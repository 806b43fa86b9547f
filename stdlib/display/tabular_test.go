package display

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hierml/notebook/hierml/solver"
)

type measured struct {
	Name string
	Loss float64
	n    int
}

type nested struct {
	Name string
	More any
}

type byPointer struct{ n int }

func (b *byPointer) HTML() string { return fmt.Sprintf("<b>%d</b>", b.n) }

type unluckyString struct{ A, B int }

func (unluckyString) String() string { panic("no text") }

// lines of what stands in the cells of an HTML table, by rows.
func cells(t *testing.T, b *Bundle) string {
	t.Helper()
	html, _ := b.Data[HTML].(string)
	var rows []string
	for _, row := range strings.Split(html, "<tr")[1:] {
		var texts []string
		for _, cell := range strings.Split(row, "padding:2px 8px\">")[1:] {
			end := strings.Index(cell, "</t")
			texts = append(texts, cell[:end])
		}
		rows = append(rows, strings.Join(texts, "|"))
	}
	return strings.Join(rows, "\n")
}

func TestTables(t *testing.T) {
	long := strings.Repeat("word ", 30)
	loop := []any{1, nil}
	loop[1] = loop
	for _, test := range []struct {
		name string
		v    any
		html string // the cells; "" for no table
		text string
	}{
		{"structs", []measured{{"flat", 0.25, 1}, {"tree", math.NaN(), 2}},
			"|Name|Loss\n0|flat|0.25\n1|tree|NaN", "[{Name:flat Loss:0.25 n:1} {Name:tree Loss:NaN n:2}]"},
		{"pointers", []*measured{{"flat", 0.25, 1}, nil},
			"|Name|Loss\n0|flat|0.25\n1||", "   Name  Loss\n0  flat  0.25\n1"},
		{"array", [1]measured{{Name: "a"}}, "|Name|Loss\n0|a|0", "[{Name:a Loss:0 n:0}]"},
		{"structs by name", map[string]measured{"b": {"x", 1, 1}, "a": {"y", 2, 2}},
			"key|Name|Loss\na|y|2\nb|x|1", "map[a:{Name:y Loss:2 n:2} b:{Name:x Loss:1 n:1}]"},
		{"numbers by name", map[string]int{"b": 10, "a": 9}, "key|\na|9\nb|10", "map[a:9 b:10]"},
		{"numbers by number", map[int]float64{10: 1, 9: 0.5}, "key|\n9|0.5\n10|1", "map[9:0.5 10:1]"},
		{"records", []map[string]any{{"a": 1, "b": "x"}, {"a": 2, "c": nil}},
			"|a|b|c\n0|1|x|\n1|2||", "[map[a:1 b:x] map[a:2 c:<nil>]]"},
		{"rows", [][]float64{{1, 2.5}, {3}}, "|0|1\n0|1|2.5\n1|3|", "[[1 2.5] [3]]"},
		{"rows of structs", [][]measured{{{"flat", 0.25, 1}, {"tree", 0.5, 2}}, nil, {{"flat", 1, 1}}},
			"||Name|Loss\n0|0|flat|0.25\n0|1|tree|0.50\n2|0|flat|1.00", "[[{Name:flat Loss:0.25 n:1} {Name:tree Loss:0.5 n:2}] [] [{Name:flat Loss:1 n:1}]]"},
		{"one row of structs", [][]measured{{{"flat", 0.25, 1}, {"tree", 0.5, 2}}},
			"|Name|Loss\n0|flat|0.25\n1|tree|0.50", ""},
		{"long rows of structs", [][]measured{{{long, 1, 0}}, make([]measured, 30)}, "-",
			"       Name                                                          Loss\n0   0  " + oneLine(long, maxCell) + "     1\n" +
				"1   0" + strings.Repeat(" ", 67) + "0\n"},
		{"rows of no structs", [][]any{{measured{"a", 1, 2}, 3}}, "", "[[{Name:a Loss:1 n:2} 3]]"},
		{"numbers", []int{1, 2}, "", "[1 2]"},
		{"words", []string{"a", "b"}, "", "[a b]"},
		{"long words", []string{long, "b<c"}, "0|" + oneLine(long, maxCell) + "\n1|b&lt;c", "0  " + oneLine(long, maxCell) + "\n1  b<c"},
		{"nothing", []measured{}, "", "[]"},
		{"no entries", map[string]int{}, "", "map[]"},
		{"short struct", measured{"a", 1, 2}, "", "{Name:a Loss:1 n:2}"},
		{"durations", map[string]time.Duration{"a": time.Second}, "key|\na|1s", "map[a:1s]"},
		{"what shows itself", []any{&byPointer{1}, byPointer{2}, 3}, "0|<b>1</b>\n1|<b>2</b>\n2|3", ""},
		{"by name", map[string]byPointer{"x": {1}}, "key|\nx|<b>1</b>", "map[x:{n:1}]"},
		{"panics", []unluckyString{{1, 2}}, "|A|B\n0|1|2", "[%!v(PANIC=String method: no text)]"},
		{"loop", loop, "", ""},
	} {
		b := Of(test.v)
		if test.name == "loop" {
			if !strings.HasPrefix(b.Text(), "[1 [1 ") || len(b.Text()) > 1000 {
				t.Errorf("a slice in itself is %.300s", b.Text())
			}
			continue
		}
		if test.html == "-" {
			if !strings.HasPrefix(b.Text(), test.text) || !strings.HasSuffix(b.Text(), "\n… and 11 more rows") {
				t.Errorf("%s: got\n%s\nwant\n%s\n… and 11 more rows", test.name, b.Text(), test.text)
			}
			continue
		}
		if got := cells(t, b); got != test.html {
			t.Errorf("%s: got\n%s\nwant\n%s", test.name, got, test.html)
		}
		if test.text != "" && b.Text() != test.text {
			t.Errorf("%s: got\n%s\nwant\n%s", test.name, b.Text(), test.text)
		}
	}
}

// TestStructKeepsItsText shows a struct by a method of its pointer, with a text of its own.
func TestStructKeepsItsText(t *testing.T) {
	for _, v := range []any{byPointer{7}, &byPointer{7}} {
		if b := Of(v); b.Data[HTML] != "<b>7</b>" || strings.HasPrefix(b.Text(), "&") != (v != byPointer{7}) {
			t.Errorf("%T is shown as %v", v, b.Data)
		}
	}
}

func TestLongStructIsATableOfFields(t *testing.T) {
	v := nested{strings.Repeat("n", 90), map[string]int{"a": 1}}
	b := Of(&v)
	if want := "display.nested\nName  " + v.Name + "\nMore  map[a:1]"; b.Text() != want {
		t.Errorf("got\n%s\nwant\n%s", b.Text(), want)
	}
	if html, _ := b.Data[HTML].(string); !strings.Contains(html, "map[a:1]") {
		t.Errorf("got %s", html)
	}
}

func TestHistoryIsATable(t *testing.T) {
	var history []solver.Progress
	for i := range 30 {
		history = append(history, solver.Progress{Epoch: i + 1, Primal: 10, Gap: 1 / float64(i+1)})
	}
	got := cells(t, Of(history))
	for _, want := range []string{"|Epoch|Primal|Dual|Gap|Seconds|Estimate\n", "\n0|1|10|0|1.0000|", "\n⋯|⋯|⋯|⋯|⋯|", "\n29|30|10|"} {
		if !strings.Contains(got, want) {
			t.Errorf("got\n%s\nwithout %q", got, want)
		}
	}
}

// TestLargeValuesAreBounded shows values whose parts are too many to be looked at one and all.
func TestLargeValuesAreBounded(t *testing.T) {
	deep := any("end")
	for range 10000 {
		deep = []any{deep}
	}
	circle := map[string]any{}
	circle["self"] = circle
	entries := make(map[string]int, 1e6)
	for i := range int(1e6) {
		entries[strconv.Itoa(i)] = i
	}
	points := make(map[[2]int]bool, 1e5)
	for i := range int(1e5) {
		points[[2]int{i, i}] = true
	}
	wide := make([][]string, 100)
	for i := range wide {
		wide[i] = make([]string, 1000)
	}
	for name, test := range map[string]struct {
		v    any
		want string // in the HTML
	}{
		"numbers":    {make([]float64, 10_000_000), "10000000 numbers from 0 to 0, mean 0"},
		"structs":    {make([]measured, 1_000_000), "1000000 rows"},
		"entries":    {entries, "… and 999980 more of 1000000"},
		"points":     {points, "… and 99980 more of 100000"},
		"wide":       {wide, "100 × 1000"},
		"deep":       {[]any{deep, strings.Repeat("x", 100)}, "[[[["},
		"circle":     {circle, "map[self:map[self:"},
		"long texts": {[]string{strings.Repeat("x", 1<<20), ""}, "xxx…"},
		"bytes":      {map[string][]byte{"a": make([]byte, 10_000_000)}, "[0 0 0"},
	} {
		start := time.Now()
		b := Of(test.v)
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%s: took %v", name, took)
		}
		html, _ := b.Data[HTML].(string)
		if !strings.Contains(html, test.want) {
			t.Errorf("%s: got %.300s, without %s", name, html, test.want)
		}
		if len(html) > 1<<18 || len(b.Text()) > 2*maxText {
			t.Errorf("%s: %d and %d bytes", name, len(html), len(b.Text()))
		}
	}
}

func TestPartsThatAreLeftOutAreNamed(t *testing.T) {
	record := map[string]any{}
	for i := range 20 {
		record[fmt.Sprintf("c%02d", i)] = i
	}
	if got := Of([]map[string]any{record}).Data[HTML].(string); !strings.Contains(got, "… and 8 more columns: c12, c13") {
		t.Errorf("got %s", got)
	}
}

// once is a reader that notes that it was read.
type once struct{ read bool }

func (o *once) Read([]byte) (int, error) { o.read = true; return 0, io.EOF }

func TestReadersAreNotRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.txt")
	if err := os.WriteFile(path, []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Read(make([]byte, 2)); err != nil {
		t.Fatal(err)
	}
	o := &once{}
	waiting := make(chan int, 3)
	waiting <- 1
	for _, test := range []struct {
		v    any
		want string
	}{
		{o, "reader *display.once"},
		{strings.NewReader("abc"), "reader *strings.Reader, 3 bytes left"},
		{io.LimitReader(o, 7), "reader *io.LimitedReader, at most 7 bytes left"},
		{bufio.NewReader(o), "reader *bufio.Reader, 0 bytes in its buffer"},
		{bytes.NewBufferString("shown"), "shown"},
		{f, fmt.Sprintf("file %q, 5 bytes, 2 of them read", path)},
		{waiting, "chan int, 1 of at most 3 values waiting"},
		{make(<-chan int), "<-chan int, without buffer"},
		{(chan int)(nil), "<nil>"},
	} {
		if got := Of(test.v).Text(); got != test.want {
			t.Errorf("got %s, want %s", got, test.want)
		}
	}
	if o.read || len(waiting) != 1 {
		t.Error("showing a reader or a channel takes from it")
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if got, want := Of(f).Text(), fmt.Sprintf("file %q, closed", path); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

type selfish struct{}

func (selfish) Error() string   { return "selfish" }
func (s selfish) Unwrap() error { return s }

func TestErrorsShowWhatTheyWrap(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
	}{
		{errors.New("alone"), "alone"},
		{fmt.Errorf("reading: %w", &fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist}),
			"reading: open x: file does not exist\n  wraps *fs.PathError: open x: file does not exist\n    wraps *errors.errorString: file does not exist"},
		{errors.Join(errors.New("a"), errors.New("b")), "a\nb\n  wraps *errors.errorString: a\n  wraps *errors.errorString: b"},
	} {
		if got := Of(test.err).Text(); got != test.want {
			t.Errorf("got\n%s\nwant\n%s", got, test.want)
		}
	}
	if got := Of(selfish{}).Text(); strings.Count(got, "\n") != maxWrapped+1 {
		t.Errorf("an error that wraps itself is %s", got)
	}
}

func TestTimeIsShownWithoutItsClock(t *testing.T) {
	at := time.Now()
	if got := Of(at).Text(); got != at.Round(0).String() {
		t.Errorf("got %s", got)
	}
}

type outcome struct {
	Method string
	Loss   float64
}

func ExampleOf() {
	b := Of([]*outcome{{"flat", 0.25}, {"normalized", 0.2}})
	fmt.Println(b.Text())
	// Output:
	//    Method      Loss
	// 0  flat        0.25
	// 1  normalized  0.20
}
