package pipeline_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/internal/testrun"
)

// pattern draws an expression of Go.
func pattern(rng *rand.Rand, depth int) string {
	pieces := []string{
		"a", "b", "é", "_", "-", " ", ".", `\.`, `\d`, `\D`, `\w`, `\W`, `\s`, `\S`, `\b`, `\B`, "^", "$", `\A`, `\z`, `\pL`, `\PL`, `\p{Lu}`, `\p{Nd}`, `\pM`, `\n`, `\x61`, `\x{1F600}`,
		"[a-c]", "[^a-c]", `[\w-]`, `[^\s\d]`, `[]a]`, `[^]b]`, `[\pL\-]`, "[a-c1-3é]", "{", "{,2}", `[\x{e9}-\x{ff}]`,
	}
	if depth == 0 {
		return pieces[rng.IntN(len(pieces))]
	}
	switch rng.IntN(6) {
	case 0:
		return pattern(rng, depth-1) + "|" + pattern(rng, depth-1)
	case 1:
		return []string{"(", "(?:", "(?P<x>", "(?<y>"}[rng.IntN(4)] + pattern(rng, depth-1) + ")"
	case 2:
		of := pattern(rng, 0)
		if rng.IntN(2) == 0 {
			of = "(?:" + pattern(rng, depth-1) + ")"
		}
		return of + []string{"*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{0,1}", "{2,}", "{1,3}?"}[rng.IntN(11)]
	default:
		return pattern(rng, depth-1) + pattern(rng, depth-1)
	}
}

// mangled returns an expression with some of its characters removed, and others put in: as a rule
// one that Go refuses, or reads in another way than it looks.
func mangled(rng *rand.Rand, p string) string {
	letters := []rune(p)
	for range 1 + rng.IntN(3) {
		at := rng.IntN(len(letters) + 1)
		if rng.IntN(3) == 0 && at < len(letters) {
			letters = slices.Delete(letters, at, at+1)
			continue
		}
		pieces := []string{"(", ")", "[", "]", "{", "}", "{1}", "{01}", "{2,1}", "{1001}", "{2}{3}", "{9999999999}", "|", `\`, "*", "+", "?", "^", "$", "-", ",", ":", "<", ">", "(?P<x>", `\p`, `\p{`, `\p{L`, `\x`, `\x{`, `\x{4_1}`, `\x4`, `\1`, `\_`, "0", "9", "a"}
		letters = slices.Insert(letters, at, []rune(pieces[rng.IntN(len(pieces))])...)
	}
	return string(letters)
}

// TestPythonFindsTheSameMatches draws expressions, and compares what the package for Python finds
// by those that it takes with what Go finds. It takes none that Go refuses.
func TestPythonFindsTheSameMatches(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	var given struct {
		Patterns []string `json:"patterns"`
		Texts    []string `json:"texts"`
	}
	var compiled []*regexp.Regexp
	n := 600
	if testrun.Long() {
		n = 20_000
	}
	refused := 0
	for len(compiled) < n {
		p := pattern(rng, 1+rng.IntN(4))
		if rng.IntN(3) == 0 {
			p = mangled(rng, p)
		}
		c, err := regexp.Compile(p)
		if err != nil {
			refused++
		}
		given.Patterns, compiled = append(given.Patterns, p), append(compiled, c)
	}
	letters := []string{"a", "a", "b", "c", "A", "é", "e\u0301", "1", "2", "٣", " ", "\n", "-", "_", ".", "😀", "{", ",", "}", "]", "ÿ", "ß", "\v"}
	for k := range 30 {
		var b strings.Builder
		some, length := letters, 12
		if k%3 == 0 { // in which much is repeated
			some, length = []string{"a", "b", letters[rng.IntN(len(letters))]}, 60
		}
		for range rng.IntN(length) {
			b.WriteString(some[rng.IntN(len(some))])
		}
		given.Texts = append(given.Texts, b.String())
	}
	input, err := json.Marshal(given)
	if err != nil {
		t.Fatal(err)
	}
	c := python(t, filepath.Join("testdata", "matches.py"))
	c.Stdin = bytes.NewReader(input)
	var got [][][]string
	if err := json.Unmarshal(output(t, c), &got); err != nil {
		t.Fatal(err)
	}
	taken := 0
	for k, pattern := range given.Patterns {
		if got[k] == nil {
			continue
		}
		if compiled[k] == nil {
			t.Errorf("Python takes %s, which Go refuses", pattern)
			continue
		}
		taken++
		for i, text := range given.Texts {
			want := slices.DeleteFunc(compiled[k].FindAllString(text, -1), func(match string) bool { return match == "" })
			if fmt.Sprintf("%q", got[k][i]) != fmt.Sprintf("%q", want) {
				t.Errorf("%s in %q: Python finds %q, Go %q", pattern, text, got[k][i], want)
			}
		}
	}
	t.Logf("%d of %d expressions, of which Go refuses %d; %d pairs", taken, n, refused, taken*len(given.Texts))
	if taken < (n-refused)/2 {
		t.Errorf("Python takes %d of %d expressions", taken, n-refused)
	}
}
