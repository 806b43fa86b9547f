package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/types"
	"os"
	"slices"

	"github.com/hierml/notebook/internal/toolchain"
	"github.com/hierml/notebook/kernel/internal/magics"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib/host"
)

// A process cannot unload compiled code. %who -m shows how much it has loaded. Before that gets too
// much, another process takes over the session.

// The defaults of the limits in Config.
const (
	maxPlugins = 300
	maxCode    = 1 << 30
)

// A loadedPlugin is one that the executor's process has loaded.
type loadedPlugin struct {
	of   string // which cells
	size int64  // of the file
}

// loadedCode is the compiled code in the executor's process.
type loadedCode struct {
	plugins []loadedPlugin
	size    int64
	// maxPlugins and maxCode are the limits above which the process is replaced. They rise if
	// replacing fails.
	maxPlugins int
	maxCode    int64
}

// build builds the units of the cell with a title, or of something else with one, and those of the
// cells behind it.
func (e *Engine) build(ctx context.Context, units []toolchain.Unit, title string) (plugin string, err error) {
	if plugin, err = e.compiler.Build(ctx, units); err != nil {
		return "", err
	}
	p := loadedPlugin{of: title}
	if behind := len(units) - 1; behind > 0 {
		p.of += " and " + count(behind, "cell", "cells") + " behind it"
	}
	if info, err := os.Stat(plugin); err == nil { // in tests the file may not exist
		p.size = info.Size()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.code.plugins = append(e.code.plugins, p)
	e.code.size += p.size
	return plugin, nil
}

// full reports whether the process must be replaced.
func (c *loadedCode) full() bool { return len(c.plugins) >= c.maxPlugins || c.size >= c.maxCode }

// table lists the compiled code in the process.
func (c *loadedCode) table() *program.Bundle {
	var rows [][]string
	for _, p := range c.plugins {
		rows = append(rows, []string{p.of, bytesText(p.size)})
	}
	rows = append(rows, []string{"all: " + count(len(c.plugins), "plugin", "plugins"), bytesText(c.size)})
	text, page := magics.Table([]string{"compiled code of", "size"}, rows)
	text += fmt.Sprintf("Above %d plugins or %s the process is replaced, and variables are carried over.\n", c.maxPlugins, bytesText(c.maxCode))
	return &program.Bundle{Data: map[string]any{"text/plain": text, "text/html": page}}
}

func bytesText(size int64) string {
	switch {
	case size < 1e6:
		return fmt.Sprintf("%.0f kB", float64(size)/1e3)
	case size < 1e9:
		return fmt.Sprintf("%.1f MB", float64(size)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(size)/1e9)
}

// whoMemory carries out %who -m.
func (e *Engine) whoMemory(out program.Output) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.code.plugins) == 0 {
		out.Stream("stdout", "There is no compiled code.\n")
		return
	}
	out.Display(e.code.table(), "", false)
}

// replaceFull replaces the executor's process if it has too much compiled code. It fails only if
// the context is done or both processes die; if replacing is not possible otherwise, the old
// process stays.
func (e *Engine) replaceFull(ctx context.Context, cell program.Cell, out program.Output) error {
	replacer, ok := e.executor.(program.Replacer)
	e.mu.Lock()
	due := ok && e.code.full() && e.running.Load() == 1 // this one
	before := e.code
	e.mu.Unlock()
	if !due {
		return nil
	}
	err := e.replace(ctx, cell, replacer, out)
	var death *program.DeathError
	switch {
	case err == nil:
		out.Stream(host.Notes, fmt.Sprintf("note: the process that runs cells was replaced by another, since it had %s of compiled code in %s; variables were carried over; goroutines and widgets ended\n", bytesText(before.size), count(len(before.plugins), "plugin", "plugins")))
		return nil
	case ctx.Err() != nil, errors.As(err, &death):
		return err
	}
	e.mu.Lock()
	e.code.maxPlugins, e.code.maxCode = len(e.code.plugins)+maxPlugins, e.code.size+maxCode
	e.mu.Unlock()
	out.Stream(host.Notes, fmt.Sprintf("note: the process that runs cells has %s of compiled code, and could not be replaced by another: %v\n", bytesText(before.size), err))
	return nil
}

func (e *Engine) replace(ctx context.Context, cell program.Cell, replacer program.Replacer, out program.Output) (err error) {
	unit, units, undo, err := e.emitEverything()
	if err != nil {
		return err
	}
	e.mu.Lock()
	before := e.code
	e.code.plugins, e.code.size = nil, 0
	e.mu.Unlock()
	defer func() {
		if err != nil {
			e.mu.Lock()
			defer e.mu.Unlock()
			undo()
			e.code = before
			e.noteDeath(err)
		}
	}()
	if units.Plugin, err = e.build(ctx, []toolchain.Unit{*unit}, "all that is declared"); err != nil {
		return err
	}
	adoption := &program.Adoption{Cell: cell.Number, Title: cell.Title(), Units: units, Shown: e.shownCells()}
	left, ended, err := replacer.Replace(ctx, adoption, out)
	if err != nil {
		return errors.Join(err, removeBuilt(units.Plugin))
	}
	e.mu.Lock()
	e.dead = max(e.dead, ended)
	e.hooking.stale = true
	e.emitter.Only(unit.Path)
	e.forgetAhead()
	notes := append(e.leave(left.Whole), partNotes(units.Moved, left.InPart)...)
	e.checker.Transcript.Lose(func(cell int) string {
		key := program.ShownKey(cell)
		if reason := cmp.Or(left.Whole[key], left.InPart[key]); reason != "" {
			return stayed("the value", reason)
		}
		return ""
	})
	e.mu.Unlock()
	for _, note := range notes {
		out.Stream(host.Notes, note)
	}
	return nil
}

// stayed says that something was not carried over, and why.
func stayed(what, reason string) string {
	return what + " was not carried over to the new process: " + reason
}

// leave marks the variables that were not carried over as lost, and returns a note on each that has
// a name now. The keys of left are the places that the variables should have moved to.
func (e *Engine) leave(left map[string]string) (notes []string) {
	for _, d := range e.checker.Session.ByObject {
		unit, name, ok := e.emitter.Variable(d)
		reason, lost := left[program.Moved{Unit: unit, Variable: name}.Key()]
		if _, is := d.Object.(*types.Var); !ok || !is || !lost || d.Lost != "" {
			continue
		}
		if e.checker.Session.Live[d.Name] == d {
			notes = append(notes, "note: "+stayed(d.Name, reason)+"\n")
		}
		e.checker.Session.LoseVariable(d, stayed("the variable", reason))
	}
	slices.Sort(notes)
	return notes
}

// partNotes returns a note on each variable of which a part was not carried over.
func partNotes(moved []program.Moved, parts map[string]string) (notes []string) {
	for _, m := range moved {
		if part, ok := parts[m.Key()]; ok {
			notes = append(notes, "note: "+stayed("a part of "+m.Name, part)+"\n")
		}
	}
	return notes
}

// shownCells returns the numbers of the cells whose values are still available.
func (e *Engine) shownCells() (cells []int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, out := range e.checker.Transcript.Shown {
		if out.Lost == "" {
			cells = append(cells, out.Cell)
		}
	}
	slices.Sort(cells)
	return cells
}

// removeBuilt removes a plugin that was not loaded.
func removeBuilt(plugin string) error {
	if err := os.Remove(plugin); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
