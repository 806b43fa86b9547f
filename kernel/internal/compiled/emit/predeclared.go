package emit

import (
	"go/ast"
	"go/types"
	"strings"
)

// Generated text appears among the user's names, which may redefine any of Go's: at the top of a
// cell, or at a guard. So it uses none of Go's functions and constants, and Go's types under the
// names in package cell.

// predeclared returns the text's name for a predeclared type.
func (u *Unit) predeclared(name string) string {
	if u.names[name] || u.local[name] {
		return u.cellType(name)
	}
	return name
}

// cellType returns package cell's name for a predeclared type.
func (u *Unit) cellType(name string) string {
	return u.cell(strings.ToUpper(name[:1]) + name[1:])
}

// typeName returns the text's name for a type of the session; empty if a generic type is hidden.
func (u *Unit) typeName(obj *types.TypeName, h home) string {
	if h.path != u.path || !u.local[h.name] {
		return u.refer(h)
	}
	if t, ok := obj.Type().(interface{ TypeParams() *types.TypeParamList }); ok && t.TypeParams().Len() > 0 {
		return ""
	}
	alias := Mark + h.name + Mark
	if !u.names[alias] {
		u.names[alias] = true
		u.parts = append(u.parts, generated+"type "+alias+" = "+h.name+"\n")
	}
	return alias
}

// declaredWithin returns the names declared in inner scopes of a node.
func declaredWithin(root ast.Node, info *types.Info) map[string]bool {
	names := map[string]bool{}
	ast.Inspect(root, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if obj := info.Defs[id]; obj != nil && obj.Parent() != nil && obj.Parent() != obj.Pkg().Scope() {
				names[id.Name] = true
			}
		}
		return true
	})
	return names
}
