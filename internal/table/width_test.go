package table

import (
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

func TestWidth(t *testing.T) {
	for text, want := range map[string]int{
		"":         0,
		"plain":    5,
		"größe":    5,
		"e\u0301":  1,
		"日本":       4,
		"ｱ":        1,
		"한":        2, // as three characters
		"ที่":      1,
		"a\u200bb": 2,
		"👩‍🔬":      2,
		"👨‍👩‍👧‍👦":  2,
		"👍🏽":       2,
		"🏽":        2,
		"❤":        1,
		"❤️":       2,
		"1️⃣":      2,
		"🇩🇪🇫🇷":     4,
	} {
		if got := width(text); got != want {
			t.Errorf("%q has width %d, want %d", text, got, want)
		}
		if got := ansi.StringWidth(text); got != want {
			t.Errorf("%q has width %d by package ansi, want %d", text, got, want)
		}
	}
}

// TestWidthOfEach compares each character with package ansi.
func TestWidthOfEach(t *testing.T) {
	for r := rune(' '); r <= unicode.MaxRune; r++ {
		if !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Zs, unicode.Cf, unicode.Co) {
			continue
		}
		switch {
		case unicode.In(r, unicode.Mc), isMedialJamo(r): // with nothing before it
			continue
		case r >= 0x1f1e6 && r <= 0x1f1ff: // half a flag
			continue
		}
		if got, want := width(string(r)), ansi.StringWidth(string(r)); got != want {
			t.Errorf("%U %c has width %d, want %d", r, r, got, want)
		}
	}
}
