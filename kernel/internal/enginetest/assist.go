package enginetest

import (
	"log/slog"
	"strings"
	"testing"
	"unicode/utf8"
)

// FailOnFaults fails the test when the engine reports a fault in itself.
func FailOnFaults(t testing.TB) {
	t.Helper()
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(faults{t}, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
}

type faults struct{ t testing.TB }

func (f faults) Write(p []byte) (int, error) {
	f.t.Errorf("%s", p)
	return len(p), nil
}

// Cursor returns the source without the bar that marks the cursor, and where it was.
func Cursor(t testing.TB, marked string) (source string, cursor int) {
	t.Helper()
	before, after, ok := strings.Cut(marked, "|")
	if !ok {
		t.Fatalf("%s: no cursor", marked)
	}
	return before + after, utf8.RuneCountInString(before)
}
