package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/engine"
)

// TestEmission compares the units that cells become with the files beside them.
func TestEmission(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "emission", "*.cells"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cells: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".cells"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			emit := newNotebook(t).engine.Emission()
			var got strings.Builder
			for i, cell := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n---\n") {
				unit, err := emit(engine.Cell{Number: i + 1, Source: cell})
				if err != nil {
					t.Fatal(err)
				}
				got.WriteString(unit)
			}
			golden := strings.TrimSuffix(file, ".cells") + ".units"
			if *update {
				if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got.String() != string(want) {
				t.Errorf("become:\n%s\nwant:\n%s", got.String(), want)
			}
		})
	}
}
