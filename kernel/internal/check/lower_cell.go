package check

import (
	"go/ast"
)

// writes reports a call of a function that prints, or of one that reads what
// somebody types, who need not type what is asked for: what it returns is not what
// it is called for.
func (t Tree) Writes(e ast.Expr) bool {
	c, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return false
	}
	obj := t.CalleeObject(ast.Unparen(c.Fun))
	if obj != nil {
		switch obj.FullName() {
		case "fmt.Scan", "fmt.Scanln", "fmt.Scanf", "fmt.Print", "fmt.Println", "fmt.Printf", "fmt.Fprint", "fmt.Fprintln", "fmt.Fprintf":
			return true
		}
	}
	return false
}
