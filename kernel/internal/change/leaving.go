package change

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"sort"
	"strings"

	"github.com/hierml/notebook/kernel/internal/check"
	"github.com/hierml/notebook/kernel/internal/state"
)

// leave handles the functions that do not compile with the cell's declarations.
func (ch *Change) leave() {
	names, variables := ch.K.Changed(ch.S)
	for _, x := range ch.K.Left {
		fn := x.Fn
		switch {
		case fn.Pending != nil:
			if len(x.Problems) > 0 {
				ch.note("%s does not compile: %s", fn.Name, x.Why())
				continue
			}
			was := fn.Pending
			ch.Later(func() { fn.Pending = was })
			fn.Pending = x.Waits
			if !x.Waits.Within(was) {
				ch.note("%s %s", fn.Name, x.Waits.Undeclared())
			}
		case x.Late, x.Selects:
			ch.note("%s keeps the older %s: %s", fn.Name, strings.Join(x.Names, ", "), x.Why())
		default:
			x.Names = slices.DeleteFunc(x.Names, func(name string) bool { return !names[name] })
			if len(x.Names) == 0 {
				continue
			}
			callee := slices.IndexFunc(x.Names, func(name string) bool {
				_, ok := ch.K.Pkg.Scope().Lookup(name).(*types.Func)
				return ok && ch.S.Live[name] != nil && ch.S.Live[name].Function != nil
			})
			if callee >= 0 {
				ch.breaks(fn, state.Wait{Name: x.Names[callee], Calls: true})
				ch.note("%s does not compile any more: %s", fn.Name, x.Why())
				continue
			}
			ch.note("%s keeps the older %s: %s", fn.Name, strings.Join(x.Names, ", "), x.Why())
		}
	}
	ch.commits = append(ch.commits, func() {
		ch.S.Late = slices.DeleteFunc(ch.S.Late, func(x *state.Follower) bool {
			return !ch.S.Current(x.Fn) || slices.ContainsFunc(ch.K.Left, func(y *state.Follower) bool { return y.Fn == x.Fn }) || ch.K.Follows(x.Fn)
		})
	})
	ch.moved = variables
	for _, d := range ch.K.NewlyDeferred {
		ch.note("%s", d.Why())
	}
	ch.commits = append(ch.commits, func() { ch.S.Deferred = ch.K.Deferred })
}

// trail makes the functions that mention a variable follow it with the next cell.
func (ch *Change) trail(name string) {
	if !ch.moved[name] {
		return
	}
	for _, fn := range ch.S.All {
		if ch.S.Current(fn) && fn.Pending == nil && fn.Info != ch.K.Info && len(ch.S.Mentions(fn, map[string]bool{name: true})) > 0 {
			ch.S.Late = append(ch.S.Late, &state.Follower{Fn: fn, Names: []string{name}})
		}
	}
}

func (ch *Change) note(format string, args ...any) {
	ch.noted = append(ch.noted, fmt.Sprintf("note: "+format+"\n", args...))
}

// Notes lists the functions of the cell that are pending, and what happened to those of other
// cells.
func (ch *Change) Notes() []string {
	notes := ch.noted
	for _, fn := range ch.S.All {
		if fn.Pending != nil && (fn.Cell == ch.K.Source.Cell.Number || fn.Info == ch.K.Info) {
			notes = append(notes, fmt.Sprintf("note: %s %s\n", fn.Name, fn.Pending.Undeclared()))
		}
	}
	if ch.leavesMain() {
		notes = append(notes, "note: main is declared; call main() to run it\n")
	}
	sort.Strings(notes)
	return slices.Compact(notes)
}

// leavesMain reports whether the cell declares a function main that none of its statements
// mentions.
func (ch *Change) leavesMain() bool {
	declares := slices.ContainsFunc(ch.K.Funcs, func(f *check.Func) bool {
		return f.Decl.Recv == nil && f.Decl.Name.Name == "main" && f.Again == nil && len(f.Pending) == 0
	})
	for _, s := range ch.K.Body {
		ast.Inspect(s, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			declares = declares && !(ok && id.Name == "main")
			return declares
		})
	}
	return declares
}
