package lower

import (
	"go/ast"
	"go/types"

	"github.com/hierml/notebook/kernel/internal/check"
	"github.com/hierml/notebook/kernel/internal/interpreted/shape"
)

// standardFile writes os.Stdin, os.Stdout or os.Stderr as what cells read and write instead: lines
// that the user is asked for, and the cell's own output.
func (b *body) standardFile(e ast.Expr) (string, bool) {
	v := packageVariable(b.Info, e)
	if v == nil || v.Pkg().Path() != "os" {
		return "", false
	}
	switch v.Name() {
	case "Stdin", "Stdout", "Stderr":
		return shape.Bridge + ".Standard(" + b.expr(e) + ")", true
	}
	return "", false
}

// packageVariable returns the variable of a package that an expression names, nil if it is none.
func packageVariable(info *types.Info, e ast.Expr) *types.Var {
	var id *ast.Ident
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		id = e
	case *ast.SelectorExpr:
		id = e.Sel
	default:
		return nil
	}
	if v, ok := info.Uses[id].(*types.Var); ok && v.Pkg() != nil && v.Parent() == v.Pkg().Scope() {
		return v
	}
	return nil
}

// standardValue is standardFile for a value that becomes one of type t. What becomes an empty
// interface stays an *os.File.
func (b *body) standardValue(e ast.Expr, t types.Type) (string, bool) {
	if t == nil || !types.IsInterface(t) || check.IsEmptyInterface(t) {
		return "", false
	}
	return b.standardFile(e)
}

// standardReceiver is standardFile for the receiver of a method that reads or writes.
func (b *body) standardReceiver(e ast.Expr, m *types.Func) (string, bool) {
	switch m.Name() {
	case "Read", "Write", "WriteString", "ReadFrom", "WriteTo":
		return b.standardFile(e)
	}
	return "", false
}
