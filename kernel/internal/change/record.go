package change

import (
	"go/ast"

	"github.com/hierml/notebook/kernel/internal/check"
	"github.com/hierml/notebook/kernel/internal/state"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// Record enters the declarations of a cell into the session as lowering does.
func Record(c *check.Checker, k *check.Checked) (l *Change, problems []syntax.Problem) {
	l = New(c, k)
	l.checkOnly = true
	defer l.RecoverRefusal(func(p syntax.Problem) { problems = []syntax.Problem{p} })
	l.Declare()
	for _, fn := range l.Queue {
		fn.Emitted = true
		fn.Calls = map[*state.Function]bool{}
		ast.Inspect(fn.Decl.Body, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if callee := c.Session.FunctionOf(fn.Info.Uses[id]); callee != nil && callee != fn {
					fn.Calls[callee] = true
				}
			}
			return true
		})
	}
	return l, nil
}

// CannotRun reports statements that are correct but cannot run.
func (ch *Change) CannotRun() (problems []syntax.Problem) {
	for _, stmt := range ch.K.Body {
		if r, ok := stmt.(*ast.ReturnStmt); ok {
			problems = append(problems, ch.C.Problem(r.Pos(), "return outside a function"))
		}
		ast.Inspect(stmt, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				obj := ch.K.Info.Uses[id]
				if fn := ch.S.FunctionOf(obj); fn != nil && fn.Pending != nil {
					problems = append(problems, ch.C.Problem(id.Pos(), ch.wait(fn)))
				}
				if d := ch.S.NeedsLost(obj); d != nil {
					problems = append(problems, ch.C.Problem(id.Pos(), d.Name+": "+d.Lost))
				}
			}
			return true
		})
	}
	return problems
}
