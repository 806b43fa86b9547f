package engine

import (
	"maps"
	"slices"

	"github.com/hierml/notebook/internal/toolchain"
	"github.com/hierml/notebook/kernel/internal/program"
)

// Cells that wait behind another are compiled with it, since a plugin of several
// units costs little more than one of a single unit. What their units will be
// is found out by going through the cells as if each had run well, and taking
// all of that back; they are used if they are what the cells really become.

// aheadCells bounds how many cells are compiled together.
const aheadCells = 12

// ahead is what the engine has compiled for cells that have not run yet.
type ahead struct {
	units map[string]string // sources by import path
	// last is the number of the last unit.
	last int
}

// has reports whether a unit is loaded, and whether its path is taken by
// another.
func (a *ahead) has(unit *toolchain.Unit) (loaded, taken bool) {
	source, there := a.units[unit.Path]
	return there && source == unit.Source, there && source != unit.Source
}

// note keeps what was compiled.
func (a *ahead) note(units []toolchain.Unit) {
	if len(units) == 0 {
		return
	}
	a.units = map[string]string{}
	for _, u := range units {
		a.units[u.Path] = u.Source
	}
}

// batch returns the units of the cells that will run after one which has been
// emitted as l, as far as they can be told. It changes nothing.
func (e *Engine) batch(l *change, src *source) (units []toolchain.Unit) {
	if src.cell.Next == nil {
		return nil
	}
	waiting := src.cell.Next()
	if len(waiting) == 0 {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	restore := e.session.snapshot()
	count := e.emitter.units
	var made []*change
	defer func() {
		// A cell that the engine fails on is left for its own turn.
		_ = recover()
		for _, l := range slices.Backward(made) {
			l.rollback()
		}
		restore()
		e.ahead.last = e.emitter.units
		e.emitter.units = count
	}()
	l.commit(len(l.k.body))
	l.keep()
	for i, text := range waiting {
		if i == aheadCells || mayHoldMagics(text) {
			break
		}
		cell := program.Cell{Number: src.cell.Number + i + 1, Count: src.cell.ExecutionCount() + i + 1, Source: text}
		k, err := e.check(newSource(cell))
		if err != nil {
			break
		}
		next, unit, compiled, problems := e.emitter.compile(k)
		if len(problems) > 0 {
			break
		}
		made = append(made, next)
		if len(compiled.Moved) > 0 {
			break
		}
		if unit != nil {
			units = append(units, *unit)
		}
		next.commit(len(next.k.body))
		next.keep()
	}
	return units
}

// snapshot returns a function that makes the session what it is now. Changes to
// functions and types are not its business: rollbacks take them back.
func (s *session) snapshot() (restore func()) {
	was := *s
	was.live, was.byObject, was.funcs = maps.Clone(s.live), maps.Clone(s.byObject), maps.Clone(s.funcs)
	was.versions, was.aliases, was.sent = maps.Clone(s.versions), maps.Clone(s.aliases), maps.Clone(s.sent)
	was.emitted, was.localTypes, was.gone = maps.Clone(s.emitted), maps.Clone(s.localTypes), maps.Clone(s.gone)
	was.instances, was.funcInstances = maps.Clone(s.instances), maps.Clone(s.funcInstances)
	was.described, was.missed = maps.Clone(s.described), maps.Clone(s.missed)
	was.outputs, was.inputs = maps.Clone(s.outputs), maps.Clone(s.inputs)
	was.all, was.obsolete, was.late = slices.Clone(s.all), slices.Clone(s.obsolete), slices.Clone(s.late)
	return func() { *s = was }
}
