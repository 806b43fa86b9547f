package engine_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/engine"
)

// TestMagicText compares the Go of cells with the files beside them. What is
// wrong with a magic is written as a comment.
func TestMagicText(t *testing.T) {
	testGolden(t, "magic", ".cells", ".translated", func(t *testing.T, source string) string {
		var got strings.Builder
		for i, cell := range cellsOf(source) {
			if i > 0 {
				got.WriteString("// ---\n")
			}
			text, faults, _ := engine.Translate(cell)
			for _, f := range faults {
				line := strings.Count(cell[:f.Offset], "\n") + 1
				fmt.Fprintf(&got, "// line %d, column %d: %s\n", line, f.Offset-strings.LastIndexByte(cell[:f.Offset], '\n'), f.Msg)
			}
			if len(faults) == 0 {
				got.WriteString(text + "\n")
			}
		}
		return got.String()
	})
}

// FuzzMagics holds that magics are found in any text without a fault, that all
// places of the Go are places of the cell, and that whole files of Go have none.
func FuzzMagics(f *testing.F) {
	seeds(f)
	files, err := filepath.Glob(filepath.Join("testdata", "magic", "*.cells"))
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
	f.Fuzz(func(t *testing.T, cell string) {
		text, faults, origin := engine.Translate(cell)
		for _, fault := range faults {
			if fault.Offset < 0 || fault.Offset > len(cell) {
				t.Fatalf("a fault at %d of %d", fault.Offset, len(cell))
			}
		}
		last := 0
		for i := range len(text) + 1 {
			at := origin(i)
			if at < last || at > len(cell) {
				t.Fatalf("offset %d of the Go is %d of the cell, after %d of %d\n%s", i, at, last, len(cell), text)
			}
			last = at
		}
		without := engine.WithoutMagics(cell)
		if len(without) != len(cell) || strings.Count(without, "\n") != strings.Count(cell, "\n") {
			t.Fatalf("without magics:\n%s", without)
		}
		if text == cell && len(faults) == 0 && without != cell {
			t.Fatalf("no magics, and without them:\n%s", without)
		}
		if _, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+cell, parser.SkipObjectResolution); err == nil {
			if len(faults) > 0 || text != cell {
				t.Fatalf("Go becomes\n%s\n%v", text, faults)
			}
		}
	})
}

// TestExportOfMagics compares the program that cells with magics become with the
// file beside them. What it prints is another one each time.
func TestExportOfMagics(t *testing.T) {
	const golden = "testdata/magic/export/magics.go"
	text, err := os.ReadFile("testdata/magic/export/magics.cells")
	if err != nil {
		t.Fatal(err)
	}
	program, err := exportProgram(t, readCells(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(golden, program, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if string(program) != string(want) {
		t.Errorf("becomes:\n%s\nwant:\n%s", program, want)
	}
	_, err = exportProgram(t, readCells("!echo '😀'\n%time x := nope"))
	if err == nil || !strings.Contains(err.Error(), "Cell [1]:2:12: undefined: nope") {
		t.Error(err)
	}
}
