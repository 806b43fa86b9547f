package magics

import (
	"strings"
)

// fenced returns a block of Go in Markdown. The fence is longer than any row of
// backquotes in it.
func Fenced(code string) string {
	fence := "```"
	for strings.Contains(code, fence) {
		fence += "`"
	}
	return fence + "go\n" + code + "\n" + fence
}
