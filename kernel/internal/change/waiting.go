package change

import (
	"fmt"
	"go/ast"
	"slices"

	"github.com/hierml/notebook/kernel/internal/state"
)

// breaks makes functions pending that do not compile with a new declaration, and their callers.
func (ch *Change) breaks(fn *state.Function, waitsFor state.Wait) {
	if fn.Pending != nil {
		return
	}
	was := *fn
	ch.Later(func() { *fn = was })
	fn.Pending, fn.Emitted = state.Waits{waitsFor}, false
	for _, g := range ch.S.All {
		if g.Calls[fn] {
			ch.breaks(g, state.WaitFor(fn, true))
		}
	}
}

// spreadWaiting makes the callers of pending functions pending.
func (ch *Change) spreadWaiting() {
	list := slices.Clone(ch.Queue)
	for _, f := range ch.S.All {
		if f.Generic && f.Info == ch.K.Info { // only its instances are lowered
			list = append(list, f)
		}
	}
	for more := true; more; {
		more = false
		for _, f := range list {
			if f.Pending != nil {
				continue
			}
			if waits := ch.waits(f); waits != nil {
				if f.Base == "init" { // it runs with the cell
					ch.Pos = f.Written.Pos()
					ch.Ready(waits[0].Function)
				}
				was := f.Pending
				ch.Later(func() { f.Pending = was })
				f.Pending = waits
				more = true
			}
		}
	}
	kept := ch.Queue[:0]
	for _, f := range ch.Queue {
		if f.Pending == nil {
			kept = append(kept, f)
		}
	}
	ch.Queue = kept
}

// waits returns the pending functions that a body mentions.
func (ch *Change) waits(f *state.Function) (waits state.Waits) {
	called := map[*ast.Ident]bool{}
	ast.Inspect(f.Decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			switch fun := ast.Unparen(n.Fun).(type) {
			case *ast.Ident:
				called[fun] = true
			case *ast.SelectorExpr:
				called[fun.Sel] = true
			}
		case *ast.Ident:
			if callee := ch.S.FunctionOf(f.Info.Uses[n]); callee != nil && callee.Pending != nil {
				waits = waits.Add(state.WaitFor(callee, called[n]))
			}
		}
		return true
	})
	return waits
}

// Ready refuses a call of a pending function.
func (ch *Change) Ready(fn *state.Function) {
	if fn.Pending != nil {
		ch.Unready = true
		ch.Refuse(ch.Pos, ch.wait(fn))
	}
}

// wait says what a pending function waits for.
func (ch *Change) wait(fn *state.Function) string {
	text := fn.Name
	for seen := map[*state.Function]bool{}; !seen[fn]; {
		seen[fn] = true
		w := fn.Pending[max(0, slices.IndexFunc(fn.Pending, func(w state.Wait) bool { return !ch.isThere(w) }))]
		w.Hint = ""
		text += " " + state.Waits{w}.String()
		next := w.Function
		if d := ch.S.Live[w.Name]; next == nil && d != nil {
			next = d.Function
		}
		switch {
		case next == nil || next.Pending == nil && !ch.isThere(w):
			return fmt.Sprintf("undefined: %s (%s, which no cell has declared yet)", w, text)
		case next.Pending == nil:
			return text + ", and does not compile with its present declaration"
		}
		fn = next
		text += ", which"
	}
	return text + " waits for itself"
}

// isThere reports whether the session has the name that a wait is for.
func (ch *Change) isThere(w state.Wait) bool {
	if w.Function != nil {
		return w.Function.Pending == nil
	}
	return ch.S.Live[w.Name] != nil
}
