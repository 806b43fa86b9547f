package lower_test

import (
	"go/format"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/program"
)

// TestLowering compares what cells become with the files beside them. Cells are separated by lines
// of three hyphens.
func TestLowering(t *testing.T) {
	enginetest.Golden(t, "lowering", ".cells", ".lowered", func(t *testing.T, text string) string {
		session := enginetest.NewSession()
		var got strings.Builder
		for i, cell := range enginetest.Cells(text) {
			lowered, err := session.Lower(program.Cell{Number: i + 1, Source: cell})
			if err != nil {
				t.Fatal(err)
			}
			if i > 0 {
				got.WriteString("---\n")
			}
			formatted, err := format.Source([]byte(lowered))
			if err != nil {
				t.Fatalf("%v\n%s", err, lowered)
			}
			got.Write(formatted)
		}
		return got.String()
	})
}

// TestDocExamples lowers the examples of doc.go.
func TestDocExamples(t *testing.T) { enginetest.LoweredExamples(t, "doc.go") }

// seeds are what is spoiled and fuzzed.
var seeds = []string{"testdata/lowering/*.cells", "../../engine/testdata/programs/*.txtar"}

// FuzzLower holds that whatever type-checks is refused or becomes Go that parses, and that nothing
// makes the engine fail.
func FuzzLower(f *testing.F) {
	enginetest.Seeds(f, seeds...)
	f.Fuzz(checkLower)
}

// TestLowerSpoiled holds the same of cells that are spoiled.
func TestLowerSpoiled(t *testing.T) {
	for cell := range enginetest.Spoiled(t, 2000, seeds...) {
		checkLower(t, cell)
	}
}

func checkLower(t *testing.T, cell string) {
	lowered, err := enginetest.NewSession().Lower(program.Cell{Number: 1, Source: cell})
	if err != nil {
		return
	}
	if _, err := parser.ParseFile(token.NewFileSet(), "", "package main\n"+lowered, 0); err != nil {
		t.Errorf("%q: %v\n%s", cell, err, lowered)
	}
}
