package engine_test

import (
	"go/format"
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/engine"
	"github.com/hierml/notebook/stdlib"
)

// TestGuards compares the guarded form of programs with the files beside them,
// which keep the lines.
func TestGuards(t *testing.T) {
	testGolden(t, "guard", ".txt", ".guarded", func(t *testing.T, source string) string {
		got, err := engine.Guarded(source, "main", stdlib.Importer)
		if err != nil {
			t.Fatal(err)
		}
		if before, after := strings.Count(source, "\n"), strings.Count(got, "\n"); before != after {
			t.Errorf("has %d lines, and had %d", after, before)
		}
		if _, err := format.Source([]byte(got)); err != nil {
			t.Errorf("is no Go: %v", err)
		}
		return got
	})
}
