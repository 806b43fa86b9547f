package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// mostOffered is how many names a complaint lists.
const mostOffered = 12

// fieldsOffered lists the fields of a struct, if a complaint is about one that it has not.
func (k *Checked) fieldsOffered(path []ast.Node, msg string) string {
	if !strings.HasPrefix(msg, "unknown field ") || strings.Contains(msg, "but does have ") {
		return ""
	}
	for i := len(path) - 1; i >= 0; i-- {
		lit, ok := path[i].(*ast.CompositeLit)
		if !ok {
			continue
		}
		var names []string
		for _, name := range fields(k.Info.TypeOf(lit)) {
			if token.IsExported(name) {
				names = append(names, name)
			}
		}
		switch {
		case len(names) == 0:
			return ""
		case len(names) > mostOffered:
			names = append(names[:mostOffered], "…")
		}
		return "it has " + strings.Join(names, ", ")
	}
	return ""
}

// resultHas names the method whose result has what a complaint says that a value has not: an estimator cannot predict, and what its Fit
// returns can.
func (k *Checked) resultHas(path []ast.Node, msg string) string {
	if len(path) < 2 || !strings.Contains(msg, "undefined (type ") {
		return ""
	}
	sel, ok := path[len(path)-2].(*ast.SelectorExpr)
	if !ok || sel.Sel != path[len(path)-1] {
		return ""
	}
	t := k.Info.TypeOf(sel.X)
	if t == nil {
		return ""
	}
	for selection := range types.NewMethodSet(t).Methods() {
		method := selection.Obj()
		results := method.Type().(*types.Signature).Results()
		if !method.Exported() || results.Len() == 0 || types.Identical(results.At(0).Type(), t) {
			continue
		}
		result := results.At(0).Type()
		if _, named := types.Unalias(deref(result)).(*types.Named); !named {
			continue
		}
		if obj, _, _ := types.LookupFieldOrMethod(result, true, k.Pkg, sel.Sel.Name); obj != nil {
			return "what " + method.Name() + " returns has it: m := " + types.ExprString(sel.X) + "." + method.Name() + "(…)"
		}
	}
	return ""
}

// deref returns what a pointer points to, or the type.
func deref(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// contextLeftOut says what the context of a cell is, if a complaint is about a call that lacks its first argument.
func (c *Checker) contextLeftOut(_ []ast.Node, msg string) string {
	if c.Preloaded["nb"] != "" && strings.HasPrefix(msg, "not enough arguments in call to ") && strings.Contains(msg, "\n\twant (context.Context") && !strings.Contains(msg, "\n\thave (context.Context") {
		return "nb.Context() is the context of the cell"
	}
	return ""
}
