package export

import (
	"github.com/hierml/notebook/kernel/internal/magics"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// withoutMagics makes the source of an exported cell the Go that its magics stand for.
func (x *exporter) withoutMagics(e *exportedCell) (*syntax.Source, *magics.Translated, []syntax.Problem) {
	if e.Plain || !magics.MayHold(e.Source) {
		return syntax.NewSource(e.Cell.Cell), &magics.Translated{}, nil
	}
	t, faults := magics.Translate(e.Source, func(name string) bool { return x.Session.Live[name] != nil })
	cell := &syntax.Source{Cell: e.Cell.Cell, Translation: &t.Translation}
	if len(faults) > 0 {
		return nil, nil, magics.Problems(cell, faults)
	}
	e.Source = t.Text
	src := &syntax.Source{Cell: e.Cell.Cell, Translation: &syntax.Translation{Text: t.Text, Alias: t.Alias, Timed: t.Timed, Of: cell}}
	x.setStrict(cell, t.Before)
	return src, t, nil
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
