package emit

import (
	"go/ast"
	"go/types"
	"strings"
)

// What the emission writes stands among names of the user's, who may have declared any of Go's
// anew: at the top of a cell, or where a guard is. So it mentions none of Go's functions and
// constants, and such types by the names that package cell has for them.

// predeclared returns what the text calls a predeclared type.
func (u *Unit) predeclared(name string) string {
	if u.names[name] || u.local[name] {
		return u.cellType(name)
	}
	return name
}

// cellType returns the name that package cell has for a predeclared type.
func (u *Unit) cellType(name string) string {
	return u.cell(strings.ToUpper(name[:1]) + name[1:])
}

// typeName returns what the text calls a type of the session; empty where that is hidden, for it is
// generic.
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

// declaredWithin returns the names that are declared within a node, in scopes of their own.
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
