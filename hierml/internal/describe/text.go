package describe

import (
	"fmt"
	"strings"
)

// Cut returns the text on one line of at most n characters.
func Cut(text string, n int) string {
	var b strings.Builder
	length, space := 0, false
	for _, r := range text {
		if r <= ' ' {
			space = b.Len() > 0
			continue
		}
		if space {
			b.WriteByte(' ')
			length++
			space = false
		}
		if length >= n-1 {
			b.WriteString("…")
			break
		}
		b.WriteRune(r)
		length++
	}
	return b.String()
}

// Count returns the number with its noun: one for 1, many otherwise.
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
