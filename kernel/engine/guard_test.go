package engine_test

import (
	"go/format"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/engine"
	"github.com/hierml/notebook/stdlib"
)

// TestGuards compares the guarded form of programs with the files beside them,
// which keep the lines.
func TestGuards(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "guard", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got, err := engine.Guarded(string(source), "main", stdlib.Importer)
			if err != nil {
				t.Fatal(err)
			}
			if before, after := strings.Count(string(source), "\n"), strings.Count(got, "\n"); before != after {
				t.Errorf("has %d lines, and had %d", after, before)
			}
			if _, err := format.Source([]byte(got)); err != nil {
				t.Errorf("is no Go: %v", err)
			}
			golden := strings.TrimSuffix(file, ".txt") + ".guarded"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("becomes:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}
