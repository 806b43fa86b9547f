package engine

import (
	"cmp"
	"context"
	"go/ast"
	"go/token"
	"slices"

	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/state"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// hookEarlier declares the functions and methods again that cells have declared before the debugger
// was attached, now with hooks. Variables stay, and with them the function literals in them, which
// have no hooks. What does not compile any more, since names in it mean something else by now, is left
// as it is.
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

// An unhookedCell is one that has run, and its text with nothing but functions without hooks: as much
// space stands for everything else, so that places are those of the cell.
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
		if fn.Receiver != nil && fn.Receiver.Node.TypeParams != nil {
			// Its methods belong into the cell that declares it, where it stays what it is.
			declaration := e.declarationOf(src, fn.Receiver)
			if declaration == nil {
				continue
			}
			pieces[src] = append(pieces[src], declaration)
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

// declarationOf returns the declaration of a type in a cell, if all types that it declares are still
// those of the session; nil if not.
func (e *Engine) declarationOf(src *syntax.Source, spec *state.TypeSpec) ast.Node {
	of, at := e.checker.At(spec.Node.Pos())
	parsed, problems := e.checker.Parse(src)
	if of != src || len(problems) > 0 || parsed.Declarations == nil {
		return nil
	}
	for _, d := range parsed.Declarations.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.TYPE {
			continue
		}
		found, current := false, true
		for _, s := range g.Specs {
			name := s.(*ast.TypeSpec).Name
			live := e.checker.Session.Live[name.Name]
			current = current && live != nil && live.Spec != nil && live.Spec.Text == e.checker.Text(s)
			_, offset := e.checker.At(name.Pos())
			found = found || offset == at
		}
		if found && current {
			return g
		}
	}
	return nil
}
