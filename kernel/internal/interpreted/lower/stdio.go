package lower

import (
	"go/ast"
	"go/types"

	"github.com/hierml/notebook/kernel/internal/check/typed"
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
	if v, ok := info.Uses[used(e)].(*types.Var); ok && v.Pkg() != nil && v.Parent() == v.Pkg().Scope() {
		return v
	}
	return nil
}

// used returns the identifier of what an expression names, nil if it is more than a name.
func used(e ast.Expr) *ast.Ident {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return e
	case *ast.SelectorExpr:
		return e.Sel
	}
	return nil
}

// standardValue is standardFile for a value that becomes one of type t. What becomes an empty
// interface stays an *os.File.
func (b *body) standardValue(e ast.Expr, t types.Type) (string, bool) {
	if t == nil || !types.IsInterface(t) || typed.IsEmptyInterface(t) {
		return "", false
	}
	return b.standardFile(e)
}

// standardReceiver is standardFile for the receiver of a method that reads or writes, also for
// files that variables hold: an interrupt ends what waits for them.
func (b *body) standardReceiver(e ast.Expr, m *types.Func) (string, bool) {
	switch m.FullName() {
	case "(*os.File).Read", "(*os.File).Write", "(*os.File).WriteString":
		if _, isVar := b.Info.Uses[used(e)].(*types.Var); isVar && types.TypeString(b.Info.TypeOf(e), nil) == "*os.File" {
			return shape.Bridge + ".Standard(" + b.expr(e) + ")", true
		}
	case "(*os.File).ReadFrom", "(*os.File).WriteTo":
		return b.standardFile(e)
	}
	return "", false
}
