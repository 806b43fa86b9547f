package table

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
)

var sample = &Table{
	Title:   "scores",
	Columns: []Column{{Head: true}, {Name: "größe", Right: true}, {Name: "note", Help: "what <was> said"}},
	Rows: [][]Cell{
		{{Text: "α"}, {Text: "1.5", Strong: true}, {Text: "a & b"}},
		{{Text: "beta"}, {Text: "12.25"}},
	},
	Notes: []string{"two rows"},
}

func TestString(t *testing.T) {
	want := strings.Join([]string{
		"scores",
		"      größe   note",
		"α       1.5*  a & b",
		"beta  12.25",
		"two rows",
	}, "\n")
	if got := sample.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, want := (&Table{Columns: make([]Column, 2), Rows: [][]Cell{Texts("a", "b")}}).String(), "a  b"; got != want {
		t.Errorf("without names: got %q, want %q", got, want)
	}
	if got := (&Table{}).String(); got != "" {
		t.Errorf("an empty table is %q", got)
	}
}

// TestWideLetters holds that columns are aligned where a terminal shows them.
func TestWideLetters(t *testing.T) {
	wide := &Table{Columns: make([]Column, 2), Rows: [][]Cell{Texts("日本", "x"), Texts("e\u0301te", "y"), Texts("👩‍🔬", "z")}}
	if got, want := wide.String(), "日本  x\ne\u0301te   y\n👩‍🔬    z"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestHTML(t *testing.T) {
	html := sample.HTML()
	for _, want := range []string{
		">scores</caption>", ">größe</th>", `title="what &lt;was&gt; said"`, "<strong>1.5</strong>", ">a &amp; b</td>",
		`<th style="text-align:left;padding:2px 8px">α</th>`, "<small>two rows</small>",
	} {
		if !strings.Contains(html, want) {
			t.Errorf("%s is not in\n%s", want, html)
		}
	}
	if n := strings.Count(html, "<tr"); n != 3 {
		t.Errorf("%d rows", n)
	}
}

func TestNumbers(t *testing.T) {
	for _, test := range []struct {
		values []float64
		want   []string
	}{
		{nil, []string{}},
		{[]float64{1, 2, -3}, []string{"1", "2", "-3"}},
		{[]float64{1, 2.5}, []string{"1.0", "2.5"}},
		{[]float64{math.Pi, 100 * math.Pi}, []string{"3.14", "314.16"}},
		{[]float64{math.Pi, math.NaN(), math.Inf(-1)}, []string{"3.1416", "NaN", "-Inf"}},
		{[]float64{1e-7, 0.5}, []string{"1e-07", "0.5"}},
		{[]float64{1.5e12, 2}, []string{"1500000000000", "2"}},
		{[]float64{1.5e300, 0}, []string{"1.5e+300", "0"}},
		{[]float64{0.25, 0}, []string{"0.25", "0.00"}},
		{[]float64{math.NaN()}, []string{"NaN"}},
	} {
		if got := Numbers(test.values); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%v: got %q, want %q", test.values, got, test.want)
		}
	}
}

func ExampleTable() {
	t := &Table{
		Columns: []Column{{Name: "method", Head: true}, {Name: "loss", Right: true}},
		Rows:    [][]Cell{Texts("flat", "0.25"), Texts("normalized", "0.2")},
	}
	fmt.Println(t)
	// Output:
	// method      loss
	// flat        0.25
	// normalized   0.2
}
