//go:build unix

package history

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// The answers are SQLite's.
func TestGlob(t *testing.T) {
	tests := []struct {
		pattern, text string
		want          bool
	}{
		{"", "", true},
		{"", "a", false},
		{"abc", "abc", true},
		{"abc", "ABC", false},
		{"abc", "abcd", false},
		{"*", "", true},
		{"*", "a\nb", true},
		{"a*", "a := 1", true},
		{"a*", "b := a", false},
		{"*a", "b := a", true},
		{"*a*", "bab", true},
		{"*ab", "abab", true},
		{"ab*ab", "ab", false},
		{"ab*ba", "aba", false},
		{"*a*b*c*", "abc", true},
		{"*a*b*c*", "acb", false},
		{"a**b", "ab", true},
		{"?", "世", true},
		{"?", "", false},
		{"*?界", "世界", true},
		{"??", "世", false},
		{"[a-c]", "b", true},
		{"[a-c]", "d", false},
		{"[^a-c]", "d", true},
		{"[^a-c]", "b", false},
		{"[^a]", "", false},
		{"[!b]", "b", true},
		{"[!b]", "a", false},
		{"[]]", "]", true},
		{"[^]]", "]", false},
		{"[]-a]", "-", true},
		{"[]-a]", "_", false},
		{"[a-]", "-", true},
		{"[-a]", "-", true},
		{"[a-c-e]", "d", false},
		{"[a-c-e]", "-", true},
		{"[一-世]", "世", true},
		{"[", "[", false},
		{"[a", "a", false},
		{"[]", "]", false},
		{"a]", "a]", true},
		{"c[[]1]", "c[1]", true},
		{`\*`, `\x`, true},
		{`a.c`, "abc", false},
		{"*[0-9]?", "x = 12", true},
		{"*[0-9]?", "x = 1", false},
		{"*x?z*end", "xyxyz the end", true},
	}
	for _, test := range tests {
		if got := compileGlob(test.pattern)(test.text); got != test.want {
			t.Errorf("%q matches %q: %v, want %v", test.pattern, test.text, got, test.want)
		}
	}
}

// matches says by trying everything whether a glob matches, as SQLite's patternCompare is written.
func matches(pattern, text []rune) bool {
	if len(pattern) == 0 {
		return len(text) == 0
	}
	if pattern[0] == '*' {
		return matches(pattern[1:], text) || len(text) > 0 && matches(pattern, text[1:])
	}
	if len(text) == 0 {
		return false
	}
	c, rest := text[0], pattern[1:]
	if pattern[0] == '?' {
		return matches(rest, text[1:])
	}
	if pattern[0] != '[' {
		return pattern[0] == c && matches(rest, text[1:])
	}
	next := func() rune {
		if len(rest) == 0 {
			return 0
		}
		r := rest[0]
		rest = rest[1:]
		return r
	}
	seen, invert, prior := false, false, rune(0)
	c2 := next()
	if c2 == '^' {
		invert = true
		c2 = next()
	}
	if c2 == ']' {
		seen = c == ']'
		c2 = next()
	}
	for c2 != 0 && c2 != ']' {
		if c2 == '-' && len(rest) > 0 && rest[0] != ']' && prior > 0 {
			c2 = next()
			seen = seen || prior <= c && c <= c2
			prior = 0
		} else {
			seen = seen || c == c2
			prior = c2
		}
		c2 = next()
	}
	return c2 != 0 && seen != invert && matches(rest, text[1:])
}

func FuzzGlob(f *testing.F) {
	for _, seed := range [][2]string{
		{"*a*b", "aabab"}, {"[^]-a]*?", "]-abc"}, {"[a-c-e][", "a["}, {"*世?[一-界]", "世界世界"}, {"a*[!b-]*", "a-b"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		// The reference takes NUL for the end, and time that grows with the stars.
		if !utf8.ValidString(pattern) || !utf8.ValidString(text) || strings.Contains(pattern+text, "\x00") ||
			len(pattern)+len(text) > 100 || strings.Count(pattern, "*") > 4 {
			return
		}
		got := compileGlob(pattern)(text)
		if want := matches([]rune(pattern), []rune(text)); got != want {
			t.Errorf("%q matches %q: %v, want %v", pattern, text, got, want)
		}
	})
}
