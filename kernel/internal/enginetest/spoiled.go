package enginetest

import (
	"iter"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Spoiled returns n cells that are made of the seeds which files and archives hold, see [Seeds]:
// each with up to three pieces too much, too few, or in another place, cut off, of pieces alone, or
// with the lines of Windows. They are the same in every run.
func Spoiled(t testing.TB, n int, patterns ...string) iter.Seq[string] {
	t.Helper()
	var cells [][]string
	for _, seed := range seeds(t, patterns...) {
		if tokens := spoiledToken.FindAllString(seed, -1); len(tokens) > 0 {
			cells = append(cells, tokens)
		}
	}
	return func(yield func(string) bool) {
		s := spoiler{rand.New(rand.NewPCG(1, 2)), cells}
		for range n {
			if !yield(s.cell()) {
				return
			}
		}
	}
}

// spoiledToken is a word, a stretch of blanks, or a sign.
var spoiledToken = regexp.MustCompile(`\w+|\s+|[^\w\s]`)

// spoiledPieces are what cells, Go and magics consist of, and what tends to be left open.
var spoiledPieces = strings.Split("%|%%|!|!!|?|??|\n|\n|\n|\r\n| |\t|`|\"|'|/*|*/|//|\\|{|}|(|)|[|]|;|,|=|:=|"+
	"time|prof|who|rm|test|goflags|env|run|bash|html|capture|writefile|history|args|x|y|a.b|func f() {|var x = |type T |import \"fmt\"|"+
	"package p|const c = 1|é|\x00|\xff|$|-n|--|1|go |{x}|<<|&|+|.|return|for |if |range |//line a:1|label:|map[string]int{|"+
	"func(x int) int { return x }|defer |switch x {|case |select {|<-|chan int|struct{|interface{ |...|*|fmt.Println(|must(|nb.|err|"+
	"[]int{1}|0x1|'a'|iota|type G[T any] struct{ v T }|~int|recover()|panic(1)|goto l|nil|len(|make(|string|x.y|x[0]", "|")

type spoiler struct {
	*rand.Rand
	cells [][]string
}

func (s spoiler) piece() string { return spoiledPieces[s.IntN(len(spoiledPieces))] }

func (s spoiler) cell() string {
	tokens := slices.Clone(s.cells[s.IntN(len(s.cells))])
	switch s.IntN(10) {
	case 0, 1, 2:
		tokens = tokens[:0]
		for range 1 + s.IntN(12) {
			tokens = append(tokens, s.piece())
		}
	case 3:
		tokens = append(tokens[:s.IntN(len(tokens)+1)], s.piece())
	case 4:
		return strings.ReplaceAll(s.spoil(tokens), "\n", "\r\n")
	default:
		return s.spoil(tokens)
	}
	return strings.Join(tokens, "")
}

// spoil changes up to three places.
func (s spoiler) spoil(tokens []string) string {
	for range 1 + s.IntN(3) {
		i := s.IntN(len(tokens) + 1)
		before, behind := tokens[:i:i], tokens[i:]
		switch s.IntN(4) {
		case 0:
			behind = behind[min(1+s.IntN(4), len(behind)):]
		case 1:
			before = append(before, s.piece())
		case 2:
			other := s.cells[s.IntN(len(s.cells))]
			before = append(before, other[:min(1+s.IntN(20), len(other))]...)
		default:
			if len(behind) > 0 {
				before, behind = append(before, tokens[s.IntN(len(tokens))]), behind[1:]
			}
		}
		tokens = append(before, behind...)
	}
	return strings.Join(tokens, "")
}
