package notebook

import (
	"regexp"
	"strings"
)

// control matches the control sequences of terminals.
var control = regexp.MustCompile("\x1b(?:\\[[0-9;:?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|[@-Z\\\\^_])")

// Plain returns the text that a terminal would show, without colours.
func Plain(text string) string { return Overwritten(control.ReplaceAllString(text, "")) }

// Overwritten applies carriage returns and backspaces. A line that is overwritten by a shorter one
// counts as erased, as programs intend.
func Overwritten(text string) string {
	if !strings.ContainsAny(text, "\r\b") {
		return text
	}
	var b strings.Builder
	for line := range strings.SplitAfterSeq(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		body, newline := strings.CutSuffix(line, "\n")
		body = strings.TrimRight(body, "\r")
		body = body[strings.LastIndexByte(body, '\r')+1:]
		var kept []rune
		for _, r := range body {
			switch {
			case r != '\b':
				kept = append(kept, r)
			case len(kept) > 0:
				kept = kept[:len(kept)-1]
			}
		}
		b.WriteString(string(kept))
		if newline {
			b.WriteByte('\n')
		}
	}
	return b.String()
}
