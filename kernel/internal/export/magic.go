package export

import (
	"github.com/hierml/notebook/kernel/internal/magics"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// withoutMagics makes the source of an exported cell the Go that its magics stand for.
func (x *exporter) withoutMagics(e *exportedCell) (*syntax.Source, magics.Own, []syntax.Problem) {
	cell, own, problems := magics.Translate(e.Cell.Cell, func(name string) bool { return x.Session.Live[name] != nil })
	if len(problems) > 0 || cell.Text == e.Source {
		return cell, own, problems
	}
	e.Source = cell.Text
	src := &syntax.Source{Cell: e.Cell.Cell, Translation: &syntax.Translation{Text: cell.Text, Alias: cell.Alias, Timed: cell.Timed, Of: cell}}
	x.setStrict(cell, own.Before)
	return src, own, nil
}

// setStrict does what %strict says before a cell, or behind it. The other magics that the engine
// carries out itself mean nothing in a program.
func (x *exporter) setStrict(src *syntax.Source, uses []*magics.Use) {
	for _, m := range uses {
		if m.Name == "strict" {
			x.Strict = src.Cell.Source[m.Argument:m.ArgumentEnd] != "off"
		}
	}
}
