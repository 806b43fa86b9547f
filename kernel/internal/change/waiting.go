package change

import (
	"fmt"
	"go/ast"
	"go/types"

	"github.com/hierml/notebook/kernel/internal/state"
)

// breaks makes pending what does not compile with a new declaration, and what calls that.
func (ch *Change) breaks(fn *state.Function, waitsFor string) {
	if fn.Pending != "" {
		return
	}
	was := *fn
	ch.Later(func() { *fn = was })
	fn.Pending, fn.Emitted = waitsFor, false
	for _, g := range ch.S.All {
		if g.Calls[fn] {
			ch.breaks(g, fn.Name)
		}
	}
}

// spreadWaiting makes pending what calls pending functions.
func (ch *Change) spreadWaiting() {
	for more := true; more; {
		more = false
		for _, f := range append([]*state.Function(nil), ch.Queue...) {
			if f.Pending != "" {
				continue
			}
			if name := ch.waits(f); name != "" {
				was := f.Pending
				ch.Later(func() { f.Pending = was })
				f.Pending = name
				more = true
			}
		}
	}
	kept := ch.Queue[:0]
	for _, f := range ch.Queue {
		if f.Pending == "" {
			kept = append(kept, f)
		}
	}
	ch.Queue = kept
}

// waits returns the name of a pending function that a body mentions.
func (ch *Change) waits(f *state.Function) (name string) {
	ast.Inspect(f.Decl.Body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			if obj, ok := f.Info.Uses[id].(*types.Func); ok {
				if callee := ch.S.Funcs[obj.Origin()]; callee != nil && callee.Pending != "" {
					name = callee.Name
				}
			}
		}
		return name == ""
	})
	return name
}

// Ready refuses a call of a pending function.
func (ch *Change) Ready(fn *state.Function) {
	if fn.Pending != "" {
		ch.Unready = true
		ch.Refuse(ch.Pos, ch.wait(fn))
	}
}

// wait says what a pending function waits for.
func (ch *Change) wait(fn *state.Function) string {
	text := fn.Name
	seen := map[*state.Function]bool{}
	for !seen[fn] {
		seen[fn] = true
		text += " calls " + fn.Pending
		d := ch.S.Live[fn.Pending]
		if d == nil || d.Function == nil {
			return fmt.Sprintf("undefined: %s (%s, which no cell has declared yet)", fn.Pending, text)
		}
		if d.Function.Pending == "" {
			return text + ", and does not compile with it as it is declared now"
		}
		fn = d.Function
		text += ", which"
	}
	return text + " waits for itself"
}
