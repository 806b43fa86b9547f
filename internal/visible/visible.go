// Package visible makes text that comes from data fit to be shown on a terminal: what would give
// the terminal an order is written so that it can be seen.
//
// A name in a file may hold anything: sequences that write into the clipboard, move what was
// written before, or turn the direction of text around. All that hierml prints of data goes through
// here. What the user's own code prints does not, as with go run.
package visible

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text returns the text with control characters as Go writes them in strings, such as \x1b: those
// of ASCII except for newlines and tabs, those behind it (C1), those that change the direction of
// text, and bytes that are no UTF-8.
func Text(text string) string {
	first := strings.IndexFunc(text, hidden)
	if first < 0 {
		return text
	}
	var b strings.Builder
	b.WriteString(text[:first])
	for text = text[first:]; text != ""; {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && size == 1, r < utf8.RuneSelf && hidden(r):
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case r != utf8.RuneError && hidden(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteString(text[:size])
		}
		text = text[size:]
	}
	return b.String()
}

// hidden reports whether a terminal takes a character for an order, or it may be a byte that is
// none.
func hidden(r rune) bool {
	return r == utf8.RuneError || r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) ||
		r == '\u2028' || r == '\u2029'
}

var colour = regexp.MustCompile("\x1b\\[[0-9;]*m")

// Coloured is Text for what hierml has coloured itself: sequences for colours and bold type stay.
func Coloured(text string) string {
	var b strings.Builder
	last := 0
	for _, at := range colour.FindAllStringIndex(text, -1) {
		b.WriteString(Text(text[last:at[0]]) + text[at[0]:at[1]])
		last = at[1]
	}
	b.WriteString(Text(text[last:]))
	return b.String()
}
