package engine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/program"
)

// TestProgramsWaitForNothing has a program refused for what it does not declare, where that is
// used.
func TestProgramsWaitForNothing(t *testing.T) {
	n := newNotebook(t)
	_, err := n.engine.Run(context.Background(), program.Cell{Number: 1, Source: "func main() {\n\tprintln(f())\n}\nmain()", Plain: true}, &enginetest.Recorder{})
	if err == nil || !strings.Contains(err.Error(), ":2:10: undefined: f") || strings.Contains(err.Error(), "yet") {
		t.Error(err)
	}
}

// TestPlacesOfTheCompiler has declarations refused which only the compiler refuses, where they
// stand.
func TestPlacesOfTheCompiler(t *testing.T) {
	n := newWorkerNotebook(t, program.CompiledMode)
	for _, tt := range []struct{ cell, want string }{
		{"\nvar c chan [2 << 16]byte\nfunc f() { _ = 42 }", ":2:5: channel element type too large"},
		{"x := 1\nvar (\n\tc chan [2 << 16]byte\n)\nx = 2", ":3:"}, // the column is that of no text
		{"\nfunc f(c chan [2 << 16]byte) {}", ":2:"},
	} {
		if _, _, err := n.run(tt.cell); err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "/cell/") {
			t.Errorf("%q: %v, want %s", tt.cell, err, tt.want)
		}
	}
}
