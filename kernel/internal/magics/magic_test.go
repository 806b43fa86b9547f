package magics_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/magics"
	"github.com/hierml/notebook/kernel/internal/program"
)

// TestMagicText compares the Go of cells with the files beside them. What is wrong with a magic is
// written as a comment.
func TestMagicText(t *testing.T) {
	enginetest.Golden(t, "magic", ".cells", ".translated", func(t *testing.T, source string) string {
		var got strings.Builder
		for i, cell := range enginetest.Cells(source) {
			if i > 0 {
				got.WriteString("// ---\n")
			}
			src, _, problems := magics.Translate(program.Cell{Source: cell}, nothing)
			for _, f := range problems {
				line := strings.Count(cell[:f.Offset], "\n") + 1
				fmt.Fprintf(&got, "// line %d, column %d: %s\n", line, f.Offset-strings.LastIndexByte(cell[:f.Offset], '\n'), f.Msg)
			}
			if len(problems) == 0 {
				got.WriteString(src.Text + "\n")
			}
		}
		return got.String()
	})
}

// TestMagicExamples checks that the example of each magic is a cell without a problem, which has
// that magic.
func TestMagicExamples(t *testing.T) {
	for _, k := range magics.Kinds {
		bundle, complaint := magics.Describe(k.Name)
		if complaint != "" {
			t.Fatal(complaint)
		}
		text := bundle.Data["text/plain"].(string)
		_, example, _ := strings.Cut(text, "\n\nExample: ")
		if !strings.Contains(example, "%"+k.Name) {
			t.Errorf("the example of %s is %q", k.Name, example)
		}
		if _, _, problems := magics.Translate(program.Cell{Source: example}, nothing); len(problems) > 0 {
			t.Errorf("the example of %s, %q: %s", k.Name, example, problems[0].Msg)
		}
	}
}

// nothing says of no name that the session has declared it.
func nothing(string) bool { return false }

// seeds are cells with magics, and with Go.
var seeds = []string{"testdata/magic/*.cells", "../interpreted/lower/testdata/lowering/*.cells", "../engine/testdata/programs/*.txtar"}

// FuzzMagics holds that magics are found in any text without a fault, that all places of the Go are
// places of the cell, and that whole files of Go have none; a function must may be put before them,
// and a call of main behind them.
func FuzzMagics(f *testing.F) {
	enginetest.Seeds(f, seeds...)
	f.Fuzz(func(t *testing.T, cell string) {
		if err := checkMagics(cell); err != nil {
			t.Fatal(err)
		}
	})
}

// TestMagicsSpoiled holds the same of cells that are spoiled.
func TestMagicsSpoiled(t *testing.T) {
	for cell := range enginetest.Spoiled(t, 5000, seeds...) {
		if err := checkMagics(cell); err != nil {
			t.Errorf("%v\n%q", err, cell)
		}
	}
}

// checkMagics translates a cell and looks at what becomes of it.
func checkMagics(cell string) error {
	src, _, problems := magics.Translate(program.Cell{Source: cell}, nothing)
	text := src.Text
	for _, fault := range problems {
		if fault.Offset < 0 || fault.Offset > len(cell) {
			return fmt.Errorf("a fault at %d of %d", fault.Offset, len(cell))
		}
	}
	last := 0
	for i := range len(text) + 1 {
		at := src.Origin(i)
		if at < last && !src.Program || at < 0 || at > len(cell) { // the call of main is placed at its declaration
			return fmt.Errorf("offset %d of the Go is %d of the cell, after %d of %d\n%s", i, at, last, len(cell), text)
		}
		last = at
	}
	without := magics.Without(cell, nothing)
	if len(without) != len(cell) || strings.Count(without, "\n") != strings.Count(cell, "\n") {
		return fmt.Errorf("without magics:\n%s", without)
	}
	if text == cell && len(problems) == 0 && without != cell {
		return fmt.Errorf("no magics, and without them:\n%s", without)
	}
	if call := "\nmain()\n"; src.Program && src.Main >= 0 && len(problems) == 0 && strings.Count(text, call) <= strings.Count(cell, call) {
		return fmt.Errorf("the program does not call main:\n%s", text)
	}
	file := "package p\n" + cell
	if f, err := parser.ParseFile(token.NewFileSet(), "", file, parser.SkipObjectResolution); err == nil && !commands(f, file) {
		if len(problems) > 0 || text != cell && !(strings.HasPrefix(text, "func must[") && strings.HasSuffix(text, "\n"+cell)) && !src.Program {
			return fmt.Errorf("Go becomes\n%s\n%v", text, problems)
		}
	}
	return nil
}

// commands reports whether a statement of a file begins as a shell command does: it parses, but no
// value that begins with ! is used as a statement or assigned to, and the line !ls in a function is
// told of as what it is meant to be.
func commands(f *ast.File, source string) bool {
	found := false
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(ast.Stmt); ok {
			begin := int(s.Pos() - f.FileStart)
			found = found || begin < len(source) && source[begin] == '!'
		}
		return !found
	})
	return found
}
