package engine_test

import (
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/program"
)

// TestEmission compares the units that cells become with the files beside them.
func TestEmission(t *testing.T) {
	testGolden(t, "emission", ".cells", ".units", func(t *testing.T, text string) string {
		emit := newNotebook(t).engine.Emission()
		var got strings.Builder
		for i, cell := range cellsOf(text) {
			unit, err := emit(program.Cell{Number: i + 1, Source: cell})
			if err != nil {
				t.Fatal(err)
			}
			got.WriteString(unit)
		}
		return got.String()
	})
}
