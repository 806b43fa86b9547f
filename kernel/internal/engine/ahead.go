package engine

import (
	"context"
	"slices"
	"strings"

	"github.com/hierml/notebook/internal/toolchain"
	"github.com/hierml/notebook/kernel/internal/change"
	"github.com/hierml/notebook/kernel/internal/magics"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// Cells that wait behind another are compiled with it, since a plugin of several units costs little
// more than one of a single unit. The engine predicts their units by going through the cells as if
// each had run well, and then undoes all of that. The units are used if the cells really come out
// the same.

// aheadCells bounds how many cells are compiled together.
const aheadCells = 12

// ahead is what the engine has compiled for cells that have not run yet.
type ahead struct {
	units map[string]string // sources by import path
	// last is the number of the last unit.
	last int
}

// has reports whether a unit is loaded, and whether its path is taken by another.
func (a *ahead) has(unit *toolchain.Unit) (loaded, taken bool) {
	source, there := a.units[unit.Path]
	return there && source == unit.Source, there && source != unit.Source
}

// note records the compiled units.
func (a *ahead) note(units []toolchain.Unit) {
	if a.units == nil {
		a.units = map[string]string{}
	}
	for _, u := range units {
		a.units[u.Path] = u.Source
	}
}

// forgetAhead discards the units that were compiled on assumptions that failed. The compiler does
// not use the paths of these units again. The caller holds mu.
func (e *Engine) forgetAhead() {
	e.emitter.Skip(e.ahead.last)
	e.ahead = ahead{}
}

// batch returns the units of the cells that will run after the one emitted as l, as far as they can
// be predicted. It changes nothing.
func (e *Engine) batch(ctx context.Context, l *change.Change) (units []toolchain.Unit) {
	first := l.K.Source.Cell
	if first.Next == nil {
		return nil
	}
	waiting := first.Next()
	if len(waiting) == 0 {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.hooking.on {
		return nil // hooks are numbered in the order in which cells run
	}
	done := e.workFor(ctx)
	restoreSession, restoreTranscript := e.checker.Session.Snapshot(), e.checker.Transcript.Snapshot()
	count := e.emitter.Units
	var made []*change.Change
	var sources []*syntax.Source
	defer func() {
		// If the engine fails on a cell, that is reported when the cell runs.
		_ = done(recover())
		for _, l := range slices.Backward(made) {
			l.Rollback()
		}
		restoreSession()
		restoreTranscript()
		for _, src := range sources {
			e.checker.Forget(src) // another cell may get its number
		}
		e.ahead.last = max(e.ahead.last, e.emitter.Units)
		e.emitter.Units = count
	}()
	l.Commit(len(l.K.Body))
	l.Keep()
	for i, text := range waiting {
		if i == aheadCells || magics.MayHold(text) || strings.Contains(text, program.Must) {
			break
		}
		cell := program.Cell{Number: first.Number + i + 1, Count: first.ExecutionCount() + i + 1, Source: text}
		src, _, _ := magics.Translate(cell, e.checker.Known)
		sources = append(sources, src.Source)
		k, err := e.checker.CheckSource(src)
		if err != nil {
			break
		}
		next, unit, compiled, problems := e.emitter.Compile(k)
		if len(problems) > 0 {
			break
		}
		made = append(made, next)
		if compiled.Renews {
			break // the cells before must not see the newer types
		}
		if unit != nil {
			loaded, taken := e.ahead.has(unit)
			if taken {
				break
			}
			if !loaded {
				units = append(units, *unit)
			}
		}
		next.Commit(len(next.K.Body))
		next.Keep()
	}
	return units
}
