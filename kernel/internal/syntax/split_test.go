package syntax_test

import (
	"fmt"
	"go/token"
	"testing"

	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// lowering are the cells that lowering is tested with, and programs those of the engine.
const (
	lowering = "../interpreted/lower/testdata/lowering/*.cells"
	programs = "../engine/testdata/programs/*.txtar"
)

// FuzzSplit holds that the items of a cell follow each other and leave out nothing but blanks,
// comments and semicolons.
func FuzzSplit(f *testing.F) {
	enginetest.Seeds(f, lowering, programs)
	f.Fuzz(func(t *testing.T, cell string) {
		if err := checkSplit(cell); err != nil {
			t.Fatal(err)
		}
	})
}

// TestSplitSpoiled holds the same of cells that are spoiled.
func TestSplitSpoiled(t *testing.T) {
	for cell := range enginetest.Spoiled(t, 5000, lowering, programs) {
		if err := checkSplit(cell); err != nil {
			t.Errorf("%v\n%q", err, cell)
		}
	}
}

// checkSplit splits a cell and looks at the items.
func checkSplit(cell string) error {
	last := 0
	for _, it := range syntax.Split(cell) {
		if it.Start < last || it.End <= it.Start || it.End > len(cell) {
			return fmt.Errorf("item %d to %d after %d", it.Start, it.End, last)
		}
		for _, l := range syntax.Lex(cell[last:it.Start]) {
			if l.Tok != token.SEMICOLON && l.Tok != token.EOF {
				return fmt.Errorf("%s at %d is in no item", l.Tok, last+l.Pos)
			}
		}
		last = it.End
	}
	return nil
}
