package lower

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"github.com/hierml/notebook/kernel/internal/check/typed"
	"github.com/hierml/notebook/kernel/internal/interpreted/conversion"
	"github.com/hierml/notebook/kernel/internal/interpreted/shape"
)

// assertion writes x.(T), as one value or as two where two are wanted.
func (b *body) assertion(e *ast.TypeAssertExpr) string {
	_, two := b.Info.TypeOf(e).(*types.Tuple)
	return b.l.Assertion(b.operand(e.X), b.Info.TypeOf(e.X), b.Info.TypeOf(e.Type), two, e.Pos())
}

// typeSwitch writes a type switch as a switch on the bridge's answers.
func (b *body) typeSwitch(s *ast.TypeSwitchStmt, label string) string {
	var x ast.Expr
	bound := false
	switch a := s.Assign.(type) {
	case *ast.ExprStmt:
		x = ast.Unparen(a.X).(*ast.TypeAssertExpr).X
	case *ast.AssignStmt:
		x = ast.Unparen(a.Rhs[0]).(*ast.TypeAssertExpr).X
		bound = true
	}
	var out strings.Builder
	out.WriteString("{\n" + b.Mark(s.Init, x))
	if s.Init != nil {
		out.WriteString(b.ahead(s.Init))
	}
	from := b.Info.TypeOf(x)
	subject := fmt.Sprintf("x__%d", b.l.S.Unique())
	fmt.Fprintf(&out, "%s := %s\n", subject, b.expr(x))
	held := subject
	if value := conversion.Unwrapped(subject, from); value != subject {
		held = fmt.Sprintf("x__%d", b.l.S.Unique())
		fmt.Fprintf(&out, "%s := %s\n", held, value)
	}
	text := b.withTarget(&target{label: label}, func() string {
		var out strings.Builder
		out.WriteString("switch {\n")
		for _, c := range s.Body.List {
			c := c.(*ast.CaseClause)
			var single types.Type
			if c.List == nil {
				out.WriteString("default:\n")
			} else {
				questions := make([]string, len(c.List))
				for i, e := range c.List {
					tv := b.Info.Types[e]
					if tv.IsNil() {
						questions[i] = subject + " == nil"
						continue
					}
					questions[i] = b.l.Question(held, tv.Type, e.Pos())
					if len(c.List) == 1 {
						single = tv.Type
					}
				}
				out.WriteString("case " + strings.Join(questions, " || ") + ":\n")
			}
			if obj := b.Info.Implicits[c]; bound && obj != nil {
				name := b.local(obj)
				switch {
				case single == nil:
					fmt.Fprintf(&out, "%s := %s\n", name, subject)
				case shape.Erased(single) || typed.IsEmptyInterface(single):
					fmt.Fprintf(&out, "%s := interface{}(%s)\n", name, held)
				default:
					fmt.Fprintf(&out, "var %s %s\n%s.Take(%s, &%s)\n", name, b.l.Typ(single), shape.Bridge, held, name)
				}
			}
			b.Forget()
			out.WriteString(b.stmts(c.Body))
			b.Forget()
		}
		out.WriteString("}\n")
		return out.String()
	})
	out.WriteString(labelled(label, text) + "}\n")
	return out.String()
}
