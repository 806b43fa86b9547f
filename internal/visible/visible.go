// Package visible makes text from data safe for a terminal: characters that would control the
// terminal become visible.
//
// A name in a file may contain anything: sequences that write to the clipboard, move earlier text,
// or change the direction of text. All data that hierml prints passes through this package. Output
// of the user's own code does not, as with go run.
package visible

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text replaces control characters by Go's notation in strings, such as \x1b: ASCII control
// characters except newlines and tabs, the C1 characters, those that change the direction of text,
// and bytes that are not UTF-8.
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

// hidden reports whether a character may control a terminal, or may be an invalid byte.
func hidden(r rune) bool {
	return r == utf8.RuneError || r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) ||
		r == '\u2028' || r == '\u2029'
}

var colour = regexp.MustCompile("\x1b\\[[0-9;]*m")

// Coloured is Text for text that hierml has coloured itself: sequences for colours and bold type
// stay.
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
