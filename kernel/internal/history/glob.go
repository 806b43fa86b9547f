package history

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// A glob is a pattern as SQLite's GLOB takes it, which front ends know from
// IPython: * stands for any text, ? for one character, [a-z_] for one character
// of a set and [^a-z_] for one outside of it; ] is in a set when it is the first
// there. Case matters and the whole text has to match. A set that is not closed
// matches nothing.
//
// It is kept as what stands between the stars. Since each character of a pattern stands for exactly
// one of the text, the leftmost match of each part is as good as any, and the last part, which ends
// the text, is found from there: matching never goes back.
type glob struct {
	parts []part
	never bool
}

// A part of a glob matches a text of a fixed number of characters.
type part struct {
	literal  []byte // if there is no element other than a character
	elements []element
	first    [utf8.RuneSelf]bool // whether a match may begin with a character of ASCII
}

// An element matches one character: one of the ranges, or none of them. A ? stands outside of no
// ranges.
type element struct {
	ranges  []span
	negated bool
}

type span struct{ from, to rune }

func compileGlob(pattern string) glob {
	pattern = strings.ToValidUTF8(pattern, "\uFFFD")
	var g glob
	var elements []element
	for len(pattern) > 0 {
		r, size := utf8.DecodeRuneInString(pattern)
		pattern = pattern[size:]
		switch r {
		case '*':
			g.parts = append(g.parts, newPart(elements))
			elements = nil
		case '?':
			elements = append(elements, element{negated: true})
		case '[':
			set, rest, closed := parseSet(pattern)
			if !closed {
				return glob{never: true}
			}
			elements = append(elements, set)
			pattern = rest
		default:
			elements = append(elements, element{ranges: []span{{r, r}}})
		}
	}
	g.parts = append(g.parts, newPart(elements))
	return g
}

// parseSet parses what follows a [ and returns what follows the ].
func parseSet(s string) (set element, rest string, closed bool) {
	if after, ok := strings.CutPrefix(s, "^"); ok {
		set.negated, s = true, after
	}
	var previous rune // what a range may start at; 0 is nothing
	for first := true; len(s) > 0; first = false {
		r, size := utf8.DecodeRuneInString(s)
		s = s[size:]
		switch {
		case r == ']' && !first:
			return set, s, true
		case r == '-' && previous != 0 && len(s) > 0 && s[0] != ']':
			to, size := utf8.DecodeRuneInString(s)
			s = s[size:]
			set.ranges = append(set.ranges, span{previous, to})
			previous = 0
		default:
			set.ranges = append(set.ranges, span{r, r})
			if first && r == ']' {
				continue
			}
			previous = r
		}
	}
	return element{}, "", false
}

func newPart(elements []element) part {
	var literal []byte
	for _, e := range elements {
		if e.negated || len(e.ranges) != 1 || e.ranges[0].from != e.ranges[0].to {
			p := part{elements: elements}
			for c := range p.first {
				p.first[c] = elements[0].match(rune(c))
			}
			return p
		}
		literal = utf8.AppendRune(literal, e.ranges[0].from)
	}
	return part{literal: literal}
}

// match reports whether a text in UTF-8 matches.
func (g glob) match(text []byte) bool {
	if g.never {
		return false
	}
	n, ok := g.parts[0].prefix(text)
	if !ok {
		return false
	}
	text = text[n:]
	if len(g.parts) == 1 {
		return len(text) == 0
	}
	last := len(g.parts) - 1
	for _, p := range g.parts[1:last] {
		end := p.find(text)
		if end < 0 {
			return false
		}
		text = text[end:]
	}
	return g.parts[last].suffix(text)
}

// prefix reports whether a text begins with a match, and the length of that.
func (p part) prefix(text []byte) (n int, ok bool) {
	if p.elements == nil {
		return len(p.literal), bytes.HasPrefix(text, p.literal)
	}
	for _, e := range p.elements {
		r, size := utf8.DecodeRune(text[n:])
		if size == 0 || !e.match(r) {
			return 0, false
		}
		n += size
	}
	return n, true
}

// find returns where the leftmost match in a text ends, or -1.
func (p part) find(text []byte) int {
	if p.elements == nil {
		i := bytes.Index(text, p.literal)
		if i < 0 {
			return -1
		}
		return i + len(p.literal)
	}
	for start := 0; start < len(text); {
		if c := text[start]; c < utf8.RuneSelf && !p.first[c] {
			start++
			continue
		}
		if n, ok := p.prefix(text[start:]); ok {
			return start + n
		}
		_, size := utf8.DecodeRune(text[start:])
		start += size
	}
	return -1
}

// suffix reports whether a text ends with a match.
func (p part) suffix(text []byte) bool {
	if p.elements == nil {
		return bytes.HasSuffix(text, p.literal)
	}
	start := len(text)
	for range p.elements {
		_, size := utf8.DecodeLastRune(text[:start])
		if size == 0 {
			return false
		}
		start -= size
	}
	_, ok := p.prefix(text[start:])
	return ok
}

func (e element) match(r rune) bool {
	for _, s := range e.ranges {
		if s.from <= r && r <= s.to {
			return !e.negated
		}
	}
	return e.negated
}
