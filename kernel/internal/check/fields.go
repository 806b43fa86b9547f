package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// maxOffered is how many names a complaint lists.
const maxOffered = 12

// availableFields lists the fields of a struct, if a complaint is about a missing one.
func (k *Checked) availableFields(path []ast.Node, msg string) string {
	if !strings.HasPrefix(msg, "unknown field ") || strings.Contains(msg, "but does have ") {
		return ""
	}
	names := slices.DeleteFunc(k.fieldsAround(path), func(name string) bool { return !token.IsExported(name) })
	switch {
	case len(names) == 0:
		return ""
	case len(names) > maxOffered:
		names = append(names[:maxOffered], "…")
	}
	return "it has " + strings.Join(names, ", ")
}

// resultHas names the method whose result has the field or method that a complaint reports as
// missing. For example, an estimator cannot predict, but the model that its Fit returns can.
func (k *Checked) resultHas(path []ast.Node, msg string) string {
	sel := selected(path)
	if sel == nil || !strings.Contains(msg, "undefined (type ") {
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
			return "the result of " + method.Name() + " has it: m := " + types.ExprString(sel.X) + "." + method.Name() + "(…)"
		}
	}
	return ""
}

// contextLeftOut describes the context of a cell, if a complaint is about a call without its first
// argument.
func (c *Checker) contextLeftOut(_ []ast.Node, msg string) string {
	if c.Preloaded["nb"] != "" && strings.HasPrefix(msg, "not enough arguments in call to ") && strings.Contains(msg, "\n\twant (context.Context") && !strings.Contains(msg, "\n\thave (context.Context") {
		return "nb.Context() is the context of the cell"
	}
	return ""
}

// packageAlone says that a name is a package, if a complaint is about a package used as a value.
func (c *Checker) packageAlone(_ []ast.Node, msg string) string {
	name, ok := strings.CutPrefix(msg, "use of package ")
	name, _, cut := strings.Cut(name, " ")
	if !ok || !cut || c.Preloaded[name] == "" {
		return ""
	}
	return "no cell has declared a variable " + name + "; the package is " + c.Preloaded[name]
}
