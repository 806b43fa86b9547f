package check

import (
	"go/ast"
	"go/types"
	"strings"
)

// noFunction explains a name that is called but is not a function, if a complaint is about that.
func (k *Checked) noFunction(path []ast.Node, msg string) string {
	if !strings.HasPrefix(msg, "invalid operation: cannot call ") {
		return ""
	}
	call := innermost[*ast.CallExpr](path)
	if call == nil {
		return ""
	}
	text := types.ExprString(call.Fun)
	kind := "variable"
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && k.Info.Selections[sel] != nil {
		text = types.ExprString(sel)
		kind = "field"
	}
	t := k.Info.TypeOf(call.Fun)
	if t == nil || len(text) > 60 {
		return ""
	}
	if len(call.Args) == 1 {
		switch deref(t).Underlying().(type) {
		case *types.Slice, *types.Array, *types.Map:
			return text + "[" + types.ExprString(call.Args[0]) + "] is an element of it"
		}
	}
	return text + " is a " + kind + ": write it without parentheses"
}

// typeAlone says how to write a value of a type, if a complaint is about a type in the place of a
// value, or about a struct that is called like a function.
func (k *Checked) typeAlone(path []ast.Node, msg string) string {
	for _, n := range path {
		x, ok := n.(ast.Expr)
		if call, isCall := n.(*ast.CallExpr); isCall && strings.HasPrefix(msg, "cannot convert ") {
			x = call.Fun
		} else if !strings.HasSuffix(msg, "(type) is not an expression") {
			continue
		}
		if !ok {
			continue
		}
		value := k.Info.Types[x]
		if !value.IsType() {
			continue
		}
		if _, structure := value.Type.Underlying().(*types.Struct); structure {
			return types.ExprString(x) + "{…} makes a value of the type: name its fields in the braces"
		}
	}
	return ""
}

// otherModel says what to do with an estimator whose Fit returns its own model type, in the place
// of a classifier.Estimator.
func (k *Checked) otherModel(path []ast.Node, msg string) string {
	if !strings.Contains(msg, "(wrong type for method Fit)") || !strings.Contains(msg, " as classifier.Estimator value") {
		return ""
	}
	for _, n := range path {
		x, ok := n.(ast.Expr)
		if !ok {
			continue
		}
		t := k.Info.TypeOf(x)
		if t == nil {
			continue
		}
		fit, _, _ := types.LookupFieldOrMethod(t, true, k.Pkg, "Fit")
		f, ok := fit.(*types.Func)
		if !ok || types.IsInterface(t) || f.Signature().Results().Len() == 0 {
			continue
		}
		return "its Fit returns a model of another type, " + types.TypeString(f.Signature().Results().At(0).Type(), (*types.Package).Name) +
			": fit it alone, m := e.Fit(nb.Context(), d), and compare models with metric.Evaluate(m, test)"
	}
	return ""
}

// innermost returns the innermost node of a kind on a path, the zero value if there is none.
func innermost[N ast.Node](path []ast.Node) (found N) {
	for _, n := range path {
		if of, ok := n.(N); ok {
			found = of
		}
	}
	return found
}
