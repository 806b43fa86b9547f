package export

import (
	"slices"
	"strings"

	"github.com/hierml/notebook/kernel/internal/magics"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// withoutMagics makes the source of an exported cell the Go that its magics stand for.
func (x *exporter) withoutMagics(e *exportedCell) (*syntax.Lexed, magics.Own, []syntax.Problem) {
	l, own, problems := magics.Translate(e.Cell.Cell, x.Known)
	cell := l.Source
	for _, m := range slices.Concat(own.Before, own.After) {
		switch m.Name {
		case "run":
			problems = append(problems, syntax.Problem{Source: cell, Offset: m.Start, Msg: "%run is not exported: put the text of the file into the notebook, or skip the cell"})
		case "capture":
			problems = append(problems, syntax.Problem{Source: cell, Offset: m.Start, Msg: "%%capture is not exported, as a program has no cells whose output could be caught: skip the cell"})
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

// applyMagics does what %strict and %rm say before a cell, or behind it. The other magics that the
// engine carries out itself mean nothing in a program.
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
