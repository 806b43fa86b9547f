package check

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/hierml/notebook/kernel/internal/syntax"
)

// sortVariables puts the declarations of variables that follow each other at the cell's top into
// the order in which Go initializes those of a package. The parser has sorted them by names, so
// that each is declared before it is mentioned; the types say what a name means, and so which of
// them a value needs indeed.
func (k *Checked) sortVariables() {
	bodies := map[*types.Func]*ast.BlockStmt{}
	for _, f := range k.Funcs {
		if f.Object != nil && f.Body != nil && f.Again == nil {
			bodies[f.Object] = f.Body.Body
		}
	}
	k.Body = syntax.SortVariables(k.Body, func(run []*ast.ValueSpec) func(*ast.ValueSpec) []*ast.ValueSpec {
		declared := map[types.Object]*ast.ValueSpec{}
		for _, v := range run {
			for _, id := range v.Names {
				if local := k.Info.Defs[id]; local != nil {
					declared[local] = v
					declared[k.Pkg.Scope().Lookup(id.Name)] = v // as functions see it
				}
			}
		}
		return func(v *ast.ValueSpec) (needs []*ast.ValueSpec) {
			seen := map[types.Object]bool{}
			var visit func(n ast.Node) bool
			visit = func(n ast.Node) bool {
				id, ok := n.(*ast.Ident)
				if !ok {
					return true
				}
				obj := k.Info.Uses[id]
				if f, ok := obj.(*types.Func); ok {
					obj = f.Origin()
				}
				if obj == nil || seen[obj] {
					return true
				}
				seen[obj] = true
				if other := declared[obj]; other != nil {
					needs = append(needs, other)
				}
				if f, ok := obj.(*types.Func); ok && bodies[f] != nil {
					ast.Inspect(bodies[f], visit)
				}
				return true
			}
			for _, e := range v.Values {
				ast.Inspect(e, visit)
			}
			return needs
		}
	})
	k.eachDeclared(func(local *types.Var, statement int) {
		i := slices.IndexFunc(k.Variables, func(v *TopVariable) bool { return v.Local == local })
		k.Variables[i].Statement = statement
	})
}
