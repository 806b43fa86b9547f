package history

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// compileGlob compiles a pattern in the language of SQLite's GLOB, which front ends know from
// IPython: * stands for any text, ? for one character, [a-z_] for one character of a set and
// [^a-z_] for one outside it; ] belongs to a set if it comes first. Case matters, and the whole
// text must match. An unclosed set matches nothing.
func compileGlob(pattern string) (match func(text string) bool) {
	nothing := func(string) bool { return false }
	pattern = strings.ToValidUTF8(pattern, "\uFFFD")
	expression := "(?s)"
	started, star := false, false // the expression has an element; a star precedes the next one
	if !strings.HasPrefix(pattern, "*") {
		expression, started = expression+`\A`, true
	}
	for len(pattern) > 0 {
		r, size := utf8.DecodeRuneInString(pattern)
		pattern = pattern[size:]
		if r == '*' {
			star = true
			continue
		}
		if star && started {
			expression += ".*"
		}
		started, star = true, false
		switch r {
		case '?':
			expression += "."
		case '[':
			set, rest, closed := parseSet(pattern)
			if !closed {
				return nothing
			}
			expression, pattern = expression+set, rest
		default:
			expression += regexp.QuoteMeta(string(r))
		}
	}
	if !star {
		expression += `\z`
	}
	compiled, err := regexp.Compile(expression)
	if err != nil { // The pattern is longer than any input that it could match.
		return nothing
	}
	return compiled.MatchString
}

// parseSet translates the set after a [ into a regular expression, and returns what follows the ].
func parseSet(s string) (class, rest string, closed bool) {
	s, negated := strings.CutPrefix(s, "^")
	var ranges strings.Builder
	add := func(from, to rune) {
		if from <= to {
			fmt.Fprintf(&ranges, `\x{%X}-\x{%X}`, from, to)
		}
	}
	var previous rune // where a range may start; 0 if it may not
	for first := true; len(s) > 0; first = false {
		r, size := utf8.DecodeRuneInString(s)
		s = s[size:]
		switch {
		case r == ']' && !first:
			switch {
			case !negated && ranges.Len() == 0:
				return `[^\x00-\x{10FFFF}]`, s, true
			case !negated:
				return "[" + ranges.String() + "]", s, true
			case ranges.Len() == 0:
				return ".", s, true
			}
			return "[^" + ranges.String() + "]", s, true
		case r == '-' && previous != 0 && len(s) > 0 && s[0] != ']':
			to, size := utf8.DecodeRuneInString(s)
			s = s[size:]
			add(previous, to)
			previous = 0
		default:
			add(r, r)
			if !first || r != ']' {
				previous = r
			}
		}
	}
	return "", "", false
}
