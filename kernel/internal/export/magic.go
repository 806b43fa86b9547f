package export

import (
	"slices"
	"strings"

	"github.com/hierml/notebook/kernel/internal/magics"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// withoutMagics turns the magics of an exported cell into Go.
func (x *exporter) withoutMagics(e *exportedCell) (*syntax.Lexed, magics.Own, []syntax.Problem) {
	l, own, problems := magics.Translate(e.Cell.Cell, x.Known)
	cell := l.Source
	for _, m := range slices.Concat(own.Before, own.After) {
		switch m.Name {
		case "run":
			problems = append(problems, syntax.Problem{Source: cell, Offset: m.Start, Msg: "%run is not exported. Put the text of the file into the notebook, or skip the cell"})
		case "capture":
			problems = append(problems, syntax.Problem{Source: cell, Offset: m.Start, Msg: "%%capture is not exported, since a program has no cells. Skip the cell"})
		}
	}
	if len(problems) > 0 || cell.Text == e.Source {
		return l, own, problems
	}
	e.Source = cell.Text
	l.Source = &syntax.Source{Cell: e.Cell.Cell, Translation: &syntax.Translation{Text: cell.Text, Alias: cell.Alias, Timed: cell.Timed, Of: cell}}
	x.applyMagics(cell, own.Before)
	return l, own, nil
}

// applyMagics carries out %strict and %rm before or after a cell. The other magics of the engine
// have no meaning in a program.
func (x *exporter) applyMagics(src *syntax.Source, uses []*magics.Use) {
	for _, m := range uses {
		argument := src.Cell.Source[m.Argument:m.ArgumentEnd]
		switch m.Name {
		case "strict":
			if argument != "" {
				x.Strict = argument == "on"
			}
		case "rm":
			for _, name := range strings.Fields(argument) {
				x.Session.Forget(name)
			}
		}
	}
}
