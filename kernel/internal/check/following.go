package check

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"github.com/hierml/notebook/kernel/internal/check/typed"
	"github.com/hierml/notebook/kernel/internal/state"
)

// Functions follow the names that they mention: the package comment says which functions, when, and
// what happens to those that do not compile.

// followers are the functions that follow a cell. Those that do not compile move from with to left.
type followers struct {
	with, left []*state.Follower
}

func (f *followers) has(fn *state.Function) bool {
	is := func(x *state.Follower) bool { return x.Fn == fn }
	return slices.ContainsFunc(f.with, is) || slices.ContainsFunc(f.left, is)
}

// join adds the declarations of the followers to a cell.
func (k *Checked) join(followers []*state.Follower) {
	if len(followers) == 0 {
		return
	}
	k.again = map[*ast.FuncDecl]*state.Function{}
	file := k.declarationFile()
	for _, f := range followers {
		written := *f.Fn.Written
		k.again[&written] = f.Fn
		file.Decls = append(file.Decls, &written)
		k.mention(&written)
	}
}

// drop takes out the followers that do not compile, and reports whether there are any.
func (f *followers) drop(c *Checker, failures []failure) bool {
	dropped := false
	for _, q := range failures {
		fails := func(x *state.Follower) bool { return q.in(x.Fn.Written) }
		if i := slices.IndexFunc(f.with, fails); i >= 0 {
			f.left, dropped = append(f.left, f.with[i]), true
			f.with = slices.Delete(f.with, i, i+1)
		}
		if i := slices.IndexFunc(f.left, fails); i >= 0 {
			if x := f.left[i]; q.wait != nil && x.Fn.Pending != nil {
				x.Waits = x.Waits.Add(*q.wait)
			} else if !slices.Contains(x.Problems, q.Msg) {
				x.Problems = append(x.Problems, q.Msg)
			}
		}
	}
	return dropped
}

// Changed returns the names of constants, types and functions that a cell declares again and
// differently, and those of such variables.
func (k *Checked) Changed(s *state.Session) (names, variables map[string]bool) {
	names, variables = map[string]bool{}, map[string]bool{}
	look := func(obj types.Object) {
		if obj == nil || obj.Name() == "_" {
			return
		}
		old := s.Live[obj.Name()]
		if old == nil {
			old = s.Gone[obj.Name()]
		}
		if old == nil || old.Object == obj || sameMeaning(old.Object, obj) {
			return
		}
		if _, ok := old.Object.(*types.PkgName); ok {
			return
		}
		if _, ok := obj.(*types.Var); ok {
			variables[obj.Name()] = true
		} else {
			names[obj.Name()] = true
		}
	}
	for _, pkg := range k.Imported {
		if d := s.Live[pkg.Name()]; d != nil && isNewerForm(d.Object, pkg.Imported()) {
			names[pkg.Name()] = true
		}
	}
	for _, f := range k.Funcs {
		if f.Decl.Recv == nil && f.Decl.Name.Name != "init" && f.Object != nil {
			look(f.Object)
		}
	}
	for _, spec := range k.Types {
		look(k.Info.Defs[spec.Name])
	}
	if k.Parsed.Declarations != nil {
		for _, d := range k.Parsed.Declarations.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range g.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok {
					for _, id := range v.Names {
						look(k.Info.Defs[id])
					}
				}
			}
		}
	}
	for _, v := range k.Variables {
		look(v.Global)
	}
	return names, variables
}

// sameMeaning reports whether code that mentions an object stays valid when another one replaces
// it.
func sameMeaning(old, obj types.Object) bool {
	if !types.Identical(old.Type(), obj.Type()) {
		return false
	}
	switch obj := obj.(type) {
	case *types.Const:
		was, ok := old.(*types.Const)
		return ok && constant.Compare(was.Val(), token.EQL, obj.Val())
	case *types.Func:
		_, ok := old.(*types.Func)
		return ok
	case *types.TypeName:
		_, ok := old.(*types.TypeName)
		return ok
	case *types.Var:
		_, ok := old.(*types.Var)
		return ok
	}
	return false
}

// follow adds the functions that follow the changed declarations of the cell, unless a declaration
// waits. It reports whether there are any.
func (a *attempt) follow(c *Checker, k *Checked) bool {
	more := a.followers.following(c.Session, k)
	if len(more) == 0 {
		return false
	}
	a.followers.with = append(a.followers.with, more...)
	clear(a.pending)
	clear(a.deferred)
	return true
}

// following returns the functions that follow a cell that compiles with those already known.
// Functions that also mention a variable which the cell declares again are left.
func (known *followers) following(s *state.Session, k *Checked) (more []*state.Follower) {
	names, variables := k.Changed(s)
	methods := map[string]bool{}
	for _, f := range k.Funcs {
		if f.Receiver != nil && len(k.undo) > 0 {
			methods[f.Decl.Name.Name] = true
		}
	}
	if len(names)+len(methods) == 0 {
		return nil
	}
	for _, fn := range s.All {
		if !s.Current(fn) || fn.Pending != nil || known.has(fn) || k.declaresAnew(fn) {
			continue
		}
		f := &state.Follower{Fn: fn, Names: s.Mentions(fn, names)}
		if len(f.Names) == 0 {
			f.Names = selectsOthers(fn, methods)
			f.Selects = len(f.Names) > 0
		}
		if len(f.Names) == 0 {
			continue
		}
		if moved := s.Mentions(fn, variables); len(moved) > 0 {
			f.Problems = []string{"the cell declares the variable " + moved[0] + " again"}
			known.left = append(known.left, f)
			continue
		}
		more = append(more, f)
	}
	return more
}

// declaresAnew reports whether the cell declares a function again.
func (k *Checked) declaresAnew(fn *state.Function) bool {
	return slices.ContainsFunc(k.Funcs, func(f *Func) bool { return slices.Equal(state.DeclaredBy(f.Decl), state.DeclaredBy(fn.Written)) })
}

// selectsOthers returns the selections of a function, by some names, that no longer mean the same
// as when it was checked.
func selectsOthers(fn *state.Function, names map[string]bool) (out []string) {
	if len(names) == 0 {
		return nil
	}
	ast.Inspect(fn.Written, func(n ast.Node) bool {
		e, ok := n.(*ast.SelectorExpr)
		if !ok || !names[e.Sel.Name] {
			return true
		}
		if s := fn.Info.Selections[e]; s != nil {
			now, _, _ := types.LookupFieldOrMethod(s.Recv(), true, s.Obj().Pkg(), e.Sel.Name)
			if now != s.Obj() {
				out = append(out, typed.Shown(s.Recv())+"."+e.Sel.Name)
			}
		}
		return true
	})
	return out
}

// lateFor returns the functions that follow variables of earlier cells, unless the cell declares
// them or the variables again: own are the names of its declarations, and variables those of its
// variables.
func lateFor(s *state.Session, own, variables map[string]bool) []*state.Follower {
	var out []*state.Follower
	for _, f := range s.Late {
		if s.Current(f.Fn) && f.Fn.Pending == nil && !own[state.DeclaredBy(f.Fn.Written)[0]] && len(s.Mentions(f.Fn, variables)) == 0 {
			out = append(out, &state.Follower{Fn: f.Fn, Names: f.Names, Late: true})
		}
	}
	return out
}

// Follows reports whether a function is declared again with the cell.
func (k *Checked) Follows(fn *state.Function) bool {
	for _, again := range k.again {
		if again == fn {
			return true
		}
	}
	return false
}
