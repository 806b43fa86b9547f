package check

import (
	"go/ast"
	"go/types"
)

const nb = "github.com/hierml/notebook/stdlib/nb"

// contentOf are the functions of package nb that show their arguments themselves.
var contentOf = map[string]bool{
	nb + ".Display":                 true,
	nb + ".Page":                    true,
	"(*" + nb + ".Handle).Update":   true,
	"(*" + nb + ".OutputArea).Show": true,
}

// Content returns those arguments of a call of f that call a function of package nb, as in
// h.Update(nb.HTML(text)): the name of each such function. f shows their results, so the cell calls
// the functions of nb.Content instead, which show nothing themselves.
func Content(info *types.Info, f *types.Func, call *ast.CallExpr) []*ast.Ident {
	if !contentOf[f.FullName()] {
		return nil
	}
	var names []*ast.Ident
	for _, arg := range call.Args {
		made, ok := ast.Unparen(arg).(*ast.CallExpr)
		if !ok {
			continue
		}
		sel, ok := ast.Unparen(made.Fun).(*ast.SelectorExpr)
		if !ok {
			continue
		}
		shows, ok := info.Uses[sel.Sel].(*types.Func)
		if !ok || shows.Pkg() == nil || shows.Pkg().Path() != nb || shows.Signature().Recv() != nil {
			continue
		}
		if content := shows.Pkg().Scope().Lookup("Content"); content != nil {
			if method, _, _ := types.LookupFieldOrMethod(content.Type(), false, shows.Pkg(), shows.Name()); method != nil {
				names = append(names, sel.Sel)
			}
		}
	}
	return names
}
