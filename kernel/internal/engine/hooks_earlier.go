package engine

import (
	"cmp"
	"context"
	"go/ast"
	"slices"

	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// hookEarlier declares the functions and methods of earlier cells again, now with hooks, after the
// debugger has attached. Variables stay, and so do the function literals in them, which have no
// hooks. A function that no longer compiles, since names in it mean something else by now, stays as
// it is.
func (e *Engine) hookEarlier(ctx context.Context) {
	for _, cell := range e.unhooked() {
		of := cell.Source
		cell.Number, cell.Source = e.number(0), cell.functions
		src, own, err := e.translated(cell.Cell)
		if err != nil || len(own.Before)+len(own.After) > 0 {
			continue
		}
		e.mu.Lock()
		e.hooking.again[cell.Number] = of
		e.mu.Unlock()
		_ = e.runAside(ctx, src) // or it stays without hooks
	}
}

// An unhookedCell is a cell that has run, and the functions without hooks in its text. Spaces
// replace everything else, so that places agree with those of the cell.
type unhookedCell struct {
	program.Cell
	functions string
}

// unhooked returns the cells whose functions have no hooks.
func (e *Engine) unhooked() []unhookedCell {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.checker.Session
	pieces := map[*syntax.Source][]ast.Node{}
	for _, fn := range s.All {
		if fn.Pending != nil || fn.Name == "init" || !s.Current(fn) {
			continue
		}
		src, _ := e.checker.At(fn.Written.Pos())
		if src == nil || src.Cell.Number <= 0 || e.hooking.has(src.Cell.Number) {
			continue
		}
		pieces[src] = append(pieces[src], fn.Written)
	}
	var cells []unhookedCell
	for src, list := range pieces {
		text := []byte(src.Cell.Source)
		kept := make([]bool, len(text))
		for _, n := range list {
			_, start := e.checker.At(n.Pos())
			_, end := e.checker.At(n.End())
			for i := start; i < end; i++ {
				kept[i] = true
			}
		}
		for i, c := range text {
			if c != '\n' && !kept[i] {
				text[i] = ' '
			}
		}
		cell := src.Cell
		cell.Count, cell.Aside, cell.Next = cell.ExecutionCount(), true, nil
		cells = append(cells, unhookedCell{cell, string(text)})
	}
	slices.SortFunc(cells, func(a, b unhookedCell) int { return cmp.Compare(a.Number, b.Number) })
	return cells
}
