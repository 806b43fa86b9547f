package export

import (
	"go/build/constraint"
	"strings"
	"testing"
)

// TestNoConstraint is a part of the finding html_export_slow: text of a notebook does not become a
// build constraint, wherever it stands.
func TestNoConstraint(t *testing.T) {
	for _, text := range []string{
		"+build ignore", "  +build ignore", "# Title\n+build ignore", "```\n\t+build ignore\n```", "go:build ignore",
		"- item\n+build ignore", strings.Repeat("word ", 40) + strings.Repeat("+build ignore ", 40), "+build ignore\r\n", "+build\tignore",
	} {
		for _, comment := range []string{commentOf(text), quote(text)} {
			for line := range strings.Lines(comment) {
				line = strings.TrimSpace(line)
				if constraint.IsPlusBuild(line) || constraint.IsGoBuild(line) {
					t.Errorf("%q: %q is a constraint", text, line)
				}
			}
		}
	}
}
