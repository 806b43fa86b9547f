package visible

import (
	"strings"
	"testing"
	"unicode"
)

func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "",
		"plain é 世 🙂\tand\nlines":    "plain é 世 🙂\tand\nlines",
		"\x1b[31mred":                `\x1b[31mred`,
		"\x1b]52;c;ZXZpbA==\x07":     `\x1b]52;c;ZXZpbA==\x07`,
		"over\rwritten\b":            `over\x0dwritten\x08`,
		"\u009b31m":                  `\u009b31m`,
		"\x9b31m\xff":                `\x9b31m\xff`,
		"a\u202eb\u2066c\u2069":      `a\u202eb\u2066c\u2069`,
		"the character \uFFFD stays": "the character \uFFFD stays",
		"\x00\x7f":                   `\x00\x7f`,
	} {
		if got := Text(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	const coloured = "\x1b[1;31mno\x1b[0m \x1b]0;title\x07"
	if got, want := Coloured(coloured), "\x1b[1;31mno\x1b[0m \\x1b]0;title\\x07"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func FuzzText(f *testing.F) {
	f.Add("a\x1b[2Jb\u202e\x80\xe4")
	f.Fuzz(func(t *testing.T, text string) {
		got := Text(text)
		for _, r := range got {
			if r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
				t.Errorf("%q holds %q", got, r)
			}
		}
		if Text(got) != got {
			t.Errorf("%q changes again", got)
		}
		if !strings.ContainsRune(Coloured(text), '\x1b') && strings.Contains(text, "\x1b[0m") {
			t.Errorf("%q loses its colours", text)
		}
	})
}
