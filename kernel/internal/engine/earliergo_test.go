//go:build !go1.27

package engine_test

import (
	"strings"
	"testing"
)

// TestLaterGo holds that an error about what only a later release of Go has says which one it is.
func TestLaterGo(t *testing.T) {
	const has = "Go 1.27 has it; this program was built by Go 1.26"
	for _, c := range []struct{ cell, want string }{
		{"strings.CutLast(`a-b-c`, `-`)", "undefined: strings.CutLast (" + has},
		{"rand.New(rand.NewPCG(1, 2)).N(10)", "undefined (type *rand.Rand has no field or method N) (" + has},
		{"uuid.New()", "undefined: uuid (" + has},
		{"import \"uuid\"\nuuid.New()", "package uuid is not available: " + has},
		{"http.Server{DisableClientPriority: true}", "unknown field DisableClientPriority in struct literal of type http.Server (" + has},
		{"strings.CutMiddle(``)", "undefined: strings.CutMiddle"},
	} {
		_, _, err := newNotebook(t).run(c.cell)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.HasSuffix(c.want, "CutMiddle") && strings.Contains(err.Error(), "Go 1.27") {
			t.Errorf("%s: %v, want %s", c.cell, err, c.want)
		}
	}
}
