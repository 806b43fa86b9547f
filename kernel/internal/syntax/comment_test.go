package syntax_test

import (
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/program"
)

// TestOpenComment parses cells that end within a comment, or seem to.
func TestOpenComment(t *testing.T) {
	for _, source := range []string{"/* a", "x := 1\n/* a", "x := 1 /* a\ny := 2", "x := 1; /* a"} {
		if _, err := enginetest.NewSession().Check(program.Cell{Number: 1, Source: source}); err == nil || !strings.Contains(err.Error(), "comment not terminated") {
			t.Errorf("%q: %v", source, err)
		}
	}
	for _, source := range []string{"/* a */", "x := 1 // /* a", "x := `/* a`", "x := 1 /* a */ /* b */", "// /*"} {
		if _, err := enginetest.NewSession().Check(program.Cell{Number: 1, Source: source}); err != nil {
			t.Errorf("%q: %v", source, err)
		}
	}
}
