package state

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/hierml/notebook/kernel/internal/syntax"
)

// OwnerOf returns the type that a method belongs to, given the name in its receiver, which may be
// an alias.
func OwnerOf(name *types.TypeName) *types.TypeName {
	if named, ok := types.Unalias(name.Type()).(*types.Named); ok {
		return named.Obj()
	}
	return name
}

// FunctionOf returns the function that an object declares, or nil.
func (s *Session) FunctionOf(obj types.Object) *Function {
	if f, ok := obj.(*types.Func); ok {
		return s.Funcs[f.Origin()]
	}
	return nil
}

// A Follower is a function of an earlier cell that is declared again.
type Follower struct {
	Fn *Function
	// Names are the names for which it follows; none if it was waiting.
	Names []string
	// Selects says that it follows methods that hide those that it selected.
	Selects bool
	// Late says that it follows variables of the previous cell.
	Late bool
	// Waits are undeclared names in the body, and Problems says why the function does not compile
	// otherwise.
	Waits    Waits
	Problems []string
}

// Why says why a function does not compile.
func (f *Follower) Why() string { return strings.Join(f.Problems, "; ") }

// Current reports whether a function of an earlier cell is still what its name means.
func (s *Session) Current(fn *Function) bool {
	if fn.Written == nil {
		return false
	}
	if fn.Receiver == nil {
		d := s.Live[fn.Name]
		return d != nil && d.Function == fn
	}
	base := syntax.ReceiverBase(fn.Written)
	if base == nil {
		return false
	}
	d := s.Live[base.Name]
	if d == nil {
		return false
	}
	name, ok := d.Object.(*types.TypeName)
	if !ok {
		return false
	}
	owner := s.ByObject[OwnerOf(name)]
	return owner != nil && owner.Spec == fn.Receiver
}

// Mentions returns those of the names that a function mentions as declarations of the session.
func (s *Session) Mentions(fn *Function, names map[string]bool) []string {
	var out []string
	ast.Inspect(fn.Written, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || !names[id.Name] || slices.Contains(out, id.Name) {
			return true
		}
		obj := fn.Info.Uses[id]
		if obj == nil {
			return true
		}
		f, _ := obj.(*types.Func)
		_, imported := obj.(*types.PkgName)
		if imported || s.ByObject[obj] != nil || f != nil && s.Funcs[f.Origin()] != nil && f.Signature().Recv() == nil {
			out = append(out, id.Name)
		}
		return true
	})
	return out
}

// SamePlace reports whether two objects have the same place in compiled code, as variables local to
// a function have in equal texts.
func (s *Session) SamePlace(a, b types.Object) bool {
	if a == b || a == nil || b == nil {
		return a == b
	}
	switch b := b.(type) {
	case *types.PkgName:
		p, ok := a.(*types.PkgName)
		return ok && p.Imported() == b.Imported()
	case *types.Const:
		c, ok := a.(*types.Const)
		return ok && types.Identical(c.Type(), b.Type()) && constant.Compare(c.Val(), token.EQL, b.Val())
	case *types.Func:
		f, ok := a.(*types.Func)
		if !ok || b.Signature().Recv() != nil {
			return ok && f.Name() == b.Name()
		}
		fn := s.FunctionOf(b)
		if d := s.Live[b.Name()]; fn == nil && d != nil && types.Identical(d.Object.Type(), b.Type()) {
			fn = d.Function // the cell declares it again further down
		}
		return fn != nil && s.FunctionOf(a) == fn
	case *types.TypeName:
		return s.ByObject[a] == nil && s.ByObject[b] == nil && types.Identical(a.Type(), b.Type())
	}
	d, e := s.ByObject[a], s.ByObject[b]
	if d == nil || e == nil {
		return d == e
	}
	return d.Lowered != "" && d.Lowered == e.Lowered
}

// PartOf reports whether a type is part of another, or that type itself.
func PartOf(part, of types.Type) bool { return partOf(part, of, map[types.Type]bool{}) }

func partOf(part, t types.Type, seen map[types.Type]bool) bool {
	if types.Identical(t, part) {
		return true
	}
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		return t.Origin() == part || IsSession(t.Obj()) && !types.IsInterface(t) && partOf(part, t.Underlying(), seen)
	case *types.Struct:
		for i := range t.NumFields() {
			if partOf(part, t.Field(i).Type(), seen) {
				return true
			}
		}
	case *types.Signature:
		return partOf(part, t.Params(), seen) || partOf(part, t.Results(), seen)
	case *types.Tuple:
		for i := range t.Len() {
			if partOf(part, t.At(i).Type(), seen) {
				return true
			}
		}
	case *types.Map:
		return partOf(part, t.Key(), seen) || partOf(part, t.Elem(), seen)
	case interface{ Elem() types.Type }:
		return partOf(part, t.Elem(), seen)
	}
	return false
}

// NamesOf collects the declared types in the notation of a type.
func NamesOf(t types.Type, into map[types.Object]bool) {
	switch t := t.(type) {
	case *types.Alias:
		into[t.Obj()] = true
		NamesOf(types.Unalias(t), into)
	case *types.Named:
		into[t.Origin().Obj()] = true
		for arg := range t.TypeArgs().Types() {
			NamesOf(arg, into)
		}
	case *types.Map:
		NamesOf(t.Key(), into)
		NamesOf(t.Elem(), into)
	case interface{ Elem() types.Type }:
		NamesOf(t.Elem(), into)
	case *types.Signature:
		NamesOf(t.Params(), into)
		NamesOf(t.Results(), into)
	case *types.Tuple:
		for v := range t.Variables() {
			NamesOf(v.Type(), into)
		}
	case *types.Struct:
		for f := range t.Fields() {
			NamesOf(f.Type(), into)
		}
	case *types.Interface:
		for m := range t.Methods() {
			NamesOf(m.Type(), into)
		}
		for e := range t.EmbeddedTypes() {
			NamesOf(e, into)
		}
	}
}
