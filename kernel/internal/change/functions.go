package change

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"

	"github.com/hierml/notebook/kernel/internal/check"
	"github.com/hierml/notebook/kernel/internal/state"
)

// declareFunc gives a function or method of the cell its name. If it was declared before with the
// same signature, it gets a new version, and all its callers are lowered again.
func (ch *Change) declareFunc(f *check.Func) {
	obj := f.Object
	cell := ch.K.Source.Cell.Number
	if src, _ := ch.C.Within(f.Decl.Pos()); src != nil {
		cell = src.Cell.Number // an earlier one, if the function follows what the cell declares
	}
	fn := &state.Function{Name: f.Decl.Name.Name, Cell: cell, Decl: f.Body, Info: ch.K.Info, Calls: map[*state.Function]bool{}, Pending: f.Pending, Written: f.Decl, GoVersion: ch.K.GoVersion}
	fn.Generic = f.Body.Type.TypeParams.NumFields() > 0
	if f.Decl.Recv == nil {
		ch.declarePlainFunc(f, fn)
		return
	}
	d := ch.S.ByObject[f.Receiver]
	if d == nil || d.Spec == nil {
		ch.Refuse(f.Decl.Pos(), fmt.Sprintf("method %s of a type that no cell declares", fn.Name))
	}
	spec := d.Spec
	fn.Receiver, fn.Method = spec, f.Decl.Name.Name
	_, fn.Pointer = obj.Signature().Recv().Type().(*types.Pointer)
	fn.Name = spec.Shown(f.Receiver.Name(), fn.Pointer) + "." + fn.Method
	if old := spec.Methods[fn.Method]; old != nil {
		ch.renew(old, fn)
		ch.knowFunc(obj, old)
		return
	}
	fn.Base = d.Lowered + "__" + state.InternalName(fn.Method)
	ch.register(fn)
	spec.Methods[fn.Method] = fn
	ch.Later(func() { delete(spec.Methods, fn.Method) })
	ch.knowFunc(obj, fn)
	if d.Cell != cell {
		ch.Added[obj] = true
	}
}

// RelowerMentioning queues the functions whose code has values of types that get methods with the
// cell.
func (ch *Change) RelowerMentioning() {
	if len(ch.Added) == 0 {
		return
	}
	known := map[types.Type]bool{}
	gets := func(t types.Type) bool {
		has, ok := known[t]
		if !ok {
			for m := range ch.Added {
				has = has || state.PartOf(receiver(m), t)
			}
			known[t] = has
		}
		return has
	}
	renewed := map[*state.Function]bool{}
	for _, fn := range slices.Clone(ch.S.All) {
		if !fn.Emitted || fn.Generic || fn.Info == ch.K.Info {
			continue
		}
		mentions := false
		ast.Inspect(fn.Decl, func(n ast.Node) bool {
			if e, ok := n.(ast.Expr); ok && !mentions {
				t := fn.Info.TypeOf(e)
				mentions = t != nil && gets(t)
			}
			return !mentions
		})
		switch {
		case !mentions || renewed[fn.Origin]:
		case fn.Origin != nil:
			renewed[fn.Origin] = true
			ch.renewInstances(fn.Origin)
		default:
			ch.relower(fn)
		}
	}
}

// receiver returns the type that a method belongs to; for an instance, the generic type.
func receiver(m *types.Func) types.Type {
	t := m.Signature().Recv().Type()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	t = types.Unalias(t)
	if named, ok := t.(*types.Named); ok {
		return named.Origin()
	}
	return t
}

func (ch *Change) declarePlainFunc(f *check.Func, fn *state.Function) {
	name := f.Decl.Name.Name
	switch name {
	case "_":
		return
	case "init":
		fn.Base = "init"
		ch.register(fn)
		ch.Need(fn)
		_, offset := ch.C.Within(f.Decl.Pos())
		ch.Inits = append(ch.Inits, InitCall{offset, fn.Lowered() + "()\n"})
		return
	}
	if old := ch.S.Live[name]; old != nil && old.Function != nil && old.Function.Generic == fn.Generic &&
		types.Identical(old.Object.Type(), f.Object.Type()) {
		fn.Base = old.Function.Base
		ch.renew(old.Function, fn)
		ch.knowFunc(f.Object, old.Function)
		ch.enter(&state.Declaration{Name: name, Cell: fn.Cell, Object: f.Object, Function: old.Function})
		return
	}
	fn.Base = state.InternalName(name)
	ch.register(fn)
	ch.knowFunc(f.Object, fn)
	ch.enter(&state.Declaration{Name: name, Cell: fn.Cell, Object: f.Object, Function: fn})
}

// register enters a new function, and queues it.
func (ch *Change) register(fn *state.Function) {
	fn.Version = ch.S.Next(fn.Base)
	fn.Variable = fmt.Sprintf("%s__v%d", fn.Base, fn.Version)
	n := len(ch.S.All)
	ch.S.All = append(ch.S.All, fn)
	ch.Later(func() { ch.S.All = ch.S.All[:n] })
	if !fn.Generic && fn.Pending == nil {
		ch.Need(fn)
	}
}

func (ch *Change) knowFunc(obj *types.Func, fn *state.Function) {
	ch.S.Funcs[obj] = fn
	ch.Later(func() { delete(ch.S.Funcs, obj) })
}

// renew turns old into the function that fn describes, and queues it and all its callers.
func (ch *Change) renew(old, fn *state.Function) {
	was := *old
	ch.Later(func() { *old = was })
	if ch.checkOnly && old.Pending == nil && fn.Pending == nil && ch.unchanged(old, fn) {
		ch.relocate(old, fn)
		old.Decl, old.Info, old.Cell, old.Written = fn.Decl, fn.Info, fn.Cell, fn.Written
		return
	}
	old.Decl, old.Info, old.Cell, old.Calls, old.Pending, old.Written = fn.Decl, fn.Info, fn.Cell, fn.Calls, fn.Pending, fn.Written
	if old.Generic {
		ch.renewInstances(old)
		return
	}
	ch.relower(old)
}

func (ch *Change) relower(fn *state.Function) {
	if ch.Queued[fn] {
		return
	}
	if fn.Pending == nil && !fn.Generic {
		version := fn.Version
		if fn.Emitted {
			ch.Obsolete = append(ch.Obsolete, fn.Lowered())
		}
		fn.Version = ch.S.Next(fn.Base)
		ch.Later(func() { fn.Version = version })
		ch.Need(fn)
	}
	for _, g := range ch.S.All {
		if g.Calls[fn] {
			ch.relower(g)
		}
	}
}

// Need queues a function for lowering with this cell.
func (ch *Change) Need(fn *state.Function) {
	if !ch.Queued[fn] {
		ch.Queued[fn] = true
		ch.Queue = append(ch.Queue, fn)
	}
}
