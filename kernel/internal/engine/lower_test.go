package engine_test

import (
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/engine"
	"github.com/hierml/notebook/kernel/internal/program"
)

// TestLowering compares what cells become with the files beside them. Cells
// are separated by lines of three hyphens.
func TestLowering(t *testing.T) {
	testGolden(t, "lowering", ".cells", ".lowered", func(t *testing.T, text string) string {
		n := newNotebook(t)
		var got strings.Builder
		for i, cell := range cellsOf(text) {
			lowered, err := n.engine.Lower(program.Cell{Number: i + 1, Source: cell})
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

// seeds adds the cells and programs of testdata to a fuzz target.
func seeds(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("testdata", "lowering", "*.cells"))
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, cell := range strings.Split(string(text), "\n---\n") {
			f.Add(cell)
		}
	}
	for _, programs := range archives(f) {
		for _, p := range programs {
			f.Add(p.source)
		}
	}
}

// FuzzLower holds that whatever type-checks is refused or becomes Go that
// parses, and that nothing makes the engine fail.
func FuzzLower(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, cell string) {
		n := newEngine(t)
		lowered, err := n.Lower(program.Cell{Number: 1, Source: cell})
		if err != nil {
			if strings.Contains(err.Error(), "InternalError") {
				t.Fatalf("%v", err)
			}
			return
		}
		if _, err := parser.ParseFile(token.NewFileSet(), "", "package main\n"+lowered, 0); err != nil {
			t.Fatalf("%v\n%s", err, lowered)
		}
	})
}

// FuzzSplit holds that the items of a cell follow each other and leave out
// nothing but blanks, comments and semicolons.
func FuzzSplit(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, cell string) {
		if err := engine.CheckSplit(cell); err != nil {
			t.Fatal(err)
		}
	})
}
