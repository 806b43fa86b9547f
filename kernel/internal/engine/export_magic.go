package engine

// withoutMagics makes the source of an exported cell the Go that its magics
// stand for.
func (x *exporter) withoutMagics(e *exportedCell) (*source, *translated, []problem) {
	if e.Plain || !mayHoldMagics(e.Source) {
		return newSource(e.Cell), &translated{}, nil
	}
	t, faults := translate(e.Source, func(name string) bool { return x.session.live[name] != nil })
	cell := &source{e.Cell, &t.translation}
	if len(faults) > 0 {
		return nil, nil, magicProblems(cell, faults)
	}
	e.Source = t.text
	src := &source{e.Cell, &translation{text: t.text, alias: t.alias, timed: t.timed, of: cell}}
	x.setStrict(cell, t.before)
	return src, t, nil
}

// setStrict does what %strict says before a cell, or behind it. The other
// magics that the engine carries out itself mean nothing in a program.
func (x *exporter) setStrict(src *source, uses []*magicUse) {
	for _, m := range uses {
		if m.name == "strict" {
			x.strict = src.cell.Source[m.argument:m.argumentEnd] != "off"
		}
	}
}

// inCell returns problems with the Go of a cell as those of the cell.
func (s *source) inCell(problems []problem) []problem {
	for i, p := range problems {
		if p.source == s && s.of != nil {
			problems[i] = problem{source: s.of, offset: s.of.origin(p.offset), msg: p.msg}
		}
	}
	return problems
}
