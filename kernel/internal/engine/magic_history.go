package engine

import (
	"fmt"
	"strings"

	"github.com/hierml/notebook/kernel/internal/program"
)

// listInputs shows the last inputs of the session before the cell with a number, or all of them if
// last is 0. It indents all lines of an input after the first.
func (e *Engine) listInputs(number, last int, out program.Output) {
	e.mu.Lock()
	inputs := e.inputs
	e.mu.Unlock()
	var before []program.Cell
	for _, cell := range inputs {
		if cell.Number < number {
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
