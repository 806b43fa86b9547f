package engine

import (
	"fmt"
	"strings"

	"github.com/hierml/notebook/kernel/internal/magics"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// noteInput adds a cell to what %history lists.
func (e *Engine) noteInput(cell program.Cell) {
	if cell.Aside {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.inputs = append(e.inputs, program.Cell{Number: cell.Number, Count: cell.Count, Source: cell.Source})
}

// listInputs shows the inputs of the session before a cell. Lines but the first of one are
// indented.
func (e *Engine) listInputs(src *syntax.Source, m *magics.Use, out program.Output) {
	last, _ := m.LastInputs(src.Cell.Source) // which was looked at before
	e.mu.Lock()
	inputs := e.inputs
	e.mu.Unlock()
	var before []program.Cell
	for _, cell := range inputs {
		if cell.Number < src.Cell.Number {
			before = append(before, cell)
		}
	}
	if last > 0 && last < len(before) {
		before = before[len(before)-last:]
	}
	var text strings.Builder
	for _, cell := range before {
		source := strings.ReplaceAll(strings.TrimRight(cell.Source, " \t\r\n"), "\n", "\n      ")
		fmt.Fprintf(&text, "%4d: %s\n", cell.Count, source)
	}
	out.Stream("stdout", text.String())
}
