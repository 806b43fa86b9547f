package page

import (
	"strings"
	"testing"
	"time"
)

// TestHostileMarkdown is the finding html_export_slow: texts of marks that begin and end nothing,
// which took half a minute each. What is measured is how the time grows, and only where it is much.
func TestHostileMarkdown(t *testing.T) {
	for _, piece := range []string{
		"[a](", "*a_ ", "![a][", "~~a_ ", "<!-- ", "<a ", "`a``b", "[", "]", "<", "**a* ", "$a ", "$$", "[a]: b\n", "> ", "- ", "1. ", "|",
		"http://a ", "a@a ", "\\begin{x}", "&a", "\\[", "*", "_", "<http://", "#", "[^a]",
	} {
		took := func(n int) time.Duration {
			start := time.Now()
			pageOf(t, strings.Repeat(piece, n))
			return time.Since(start)
		}
		const n = 2000
		small := took(n)
		large := took(8 * n)
		if large > 40*small && large > 5*time.Second {
			t.Errorf("%q: %v for %d, %v for %d", piece, small, n, large, 8*n)
		}
		t.Log(piece, small, large)
	}
}

func TestMarksWithinBudget(t *testing.T) {
	many := strings.Repeat("[a](b) and *c* and ~~d~~\n\n", 2*marksOfBlock)
	if got := strings.Count(pageOf(t, many), "<em>c</em>"); got != 2*marksOfBlock {
		t.Errorf("%d of %d are emphasised", got, 2*marksOfBlock)
	}
}
