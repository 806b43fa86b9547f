package code

import (
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestPieces(t *testing.T) {
	for _, test := range []struct {
		text string
		want []Piece
	}{
		{"", nil},
		{" \n", []Piece{{Plain, " \n"}}},
		{"func f(x int) string { return `a\r\nb` }", []Piece{
			{Keyword, "func"}, {Plain, " "}, {Function, "f"}, {Plain, "(x "}, {Type, "int"}, {Plain, ") "}, {Type, "string"},
			{Plain, " { "}, {Keyword, "return"}, {Plain, " "}, {String, "`a\r\nb`"}, {Plain, " }"},
		}},
		{"x := nil // why\ny != 0x1p-2 || 'c'", []Piece{
			{Plain, "x "}, {Operator, ":="}, {Plain, " "}, {Constant, "nil"}, {Plain, " "}, {Comment, "// why"}, {Plain, "\ny "},
			{Operator, "!="}, {Plain, " "}, {Number, "0x1p-2"}, {Plain, " "}, {Operator, "||"}, {Plain, " "}, {String, "'c'"},
		}},
		{"a /* b\r\n*/ len(string)", []Piece{
			{Plain, "a "}, {Comment, "/* b\r\n*/"}, {Plain, " "}, {Function, "len"}, {Plain, "("}, {Type, "string"}, {Plain, ")"},
		}},
		{"%time é? \"open\n`open", []Piece{
			{Operator, "%"}, {Plain, "time é? "}, {String, "\"open"}, {Plain, "\n"}, {String, "`open"},
		}},
	} {
		if got := Pieces(test.text); !slices.Equal(got, test.want) {
			t.Errorf("%q: %v, want %v", test.text, got, test.want)
		}
	}
}

func FuzzPieces(f *testing.F) {
	f.Add("var x = \"é\\\n`\r\n/*\x00\xff// ''")
	f.Fuzz(func(t *testing.T, text string) {
		var all strings.Builder
		for _, p := range Pieces(text) {
			all.WriteString(p.Text)
		}
		if all.String() != text {
			t.Errorf("the pieces of %q are %q", text, all.String())
		}
	})
}

// TestPlainIsLinear cuts what is plain to the end: what is allocated is proportional to the text.
func TestPlainIsLinear(t *testing.T) {
	text := strings.Repeat("a ", 100_000)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	pieces := Pieces(text)
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; len(pieces) != 1 || n > 20<<20 {
		t.Errorf("%d pieces, for which %d MB are allocated", len(pieces), n>>20)
	}
}
