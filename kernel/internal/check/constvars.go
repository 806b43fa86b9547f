package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"

	"github.com/hierml/notebook/kernel/internal/syntax"
)

// A constant, or the length of an array type, may depend on a variable of the cell: len(x),
// unsafe.Sizeof(x). Declarations are checked before statements, so such variables are declared
// among them temporarily.

// lendVariables adds to a cell's declarations those of the variables at its top whose types they
// need. The returned function removes them.
func (k *Checked) lendVariables() (takeBack func()) {
	file := k.Parsed.Declarations
	if file == nil {
		return func() {}
	}
	run := map[string]*ast.ValueSpec{}
	twice := map[string]bool{}
	for _, s := range k.Body {
		for _, id := range syntax.VariablesOf(s) {
			twice[id.Name] = run[id.Name] != nil || twice[id.Name]
		}
		for _, v := range syntax.Variables(s) {
			for _, id := range v.Names {
				run[id.Name] = v
			}
		}
	}
	maps.DeleteFunc(run, func(name string, _ *ast.ValueSpec) bool {
		return twice[name] || name == "_" || syntax.DeclaresTop(file, name)
	})
	lent := &ast.GenDecl{Tok: token.VAR, TokPos: file.Package}
	added := map[*ast.ValueSpec]bool{}
	var add func(n ast.Node) bool
	add = func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && run[id.Name] != nil && !added[run[id.Name]] {
			v := run[id.Name]
			added[v] = true
			lent.Specs = append(lent.Specs, v)
			ast.Inspect(v, add)
		}
		return true
	}
	for _, d := range file.Decls {
		// Only the result of a call on a variable is constant.
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BlockStmt:
				return false
			case *ast.CallExpr:
				for _, arg := range n.Args {
					ast.Inspect(arg, add)
				}
			}
			return true
		})
	}
	if len(lent.Specs) == 0 {
		return func() {}
	}
	declarations := file.Decls
	file.Decls = append(slices.Clip(declarations), lent)
	return func() {
		file.Decls = declarations
		k.lent = map[types.Object]bool{}
		gone := map[string]bool{}
		for _, s := range lent.Specs {
			for _, id := range s.(*ast.ValueSpec).Names {
				gone[id.Name] = true
				k.lent[k.Info.Defs[id]] = true
				delete(k.Info.Defs, id)
			}
		}
		removeFromScope(k.Pkg.Scope(), gone)
	}
}
