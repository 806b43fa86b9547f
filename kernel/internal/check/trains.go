package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/hierml/notebook/kernel/internal/check/typed"
	"github.com/hierml/notebook/kernel/internal/state"
)

// KeepsModel says how to keep the model that a stopped training has reached. It applies if the cell
// was stopped in a training whose error and model the cell leaves out: after the first done
// statements, in a statement before the next one that told reports.
func (k *Checked) KeepsModel(done int, told func(statement int) bool) string {
	for i := done; i < len(k.Body); i++ {
		if i > done && told(i) {
			break
		}
		if text := k.keepsModel(k.Body[i]); text != "" {
			return text
		}
	}
	return ""
}

func (k *Checked) keepsModel(s ast.Stmt) (text string) {
	var names []string
	sign := token.DEFINE
	found := func(left []ast.Expr, tok token.Token) {
		sign = tok
		for _, e := range left[:len(left)-1] {
			names = append(names, types.ExprString(e))
		}
	}
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.AssignStmt:
			if k.Remembered[n] && k.trains(n.Rhs[0]) {
				found(n.Lhs, n.Tok)
			}
		case *ast.ValueSpec:
			if k.Remembered[n] && k.trains(n.Values[0]) {
				left := make([]ast.Expr, len(n.Names))
				for i, id := range n.Names {
					left[i] = id
				}
				found(left, token.DEFINE)
			}
		case *ast.CallExpr:
			if call, ok := typed.Stops(n); ok && k.trains(call) {
				names = append(names, "m")
			}
		}
		return names == nil
	})
	if es, ok := s.(*ast.ExprStmt); ok && names == nil && k.trains(es.X) {
		names = []string{"m"}
	}
	if names == nil {
		return ""
	}
	return strings.Join(names, ", ") + ", err " + sign.String() + " ….Fit(…) keeps the model that a stopped training has reached; to continue a training, see Settings.Start and Settings.Checkpoint"
}

// trains reports whether an expression calls the method Fit of an estimator. If it is stopped, Fit
// returns the best model so far with its error.
func (k *Checked) trains(e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return false
	}
	f := k.tree().CalleeObject(ast.Unparen(call.Fun))
	if f == nil || f.Name() != "Fit" || f.Signature().Recv() == nil || state.IsSession(f) {
		return false
	}
	results := f.Signature().Results()
	return results.Len() == 2 && results.At(0).Type().String() == "*github.com/hierml/notebook/hierml/classifier.Model" && typed.IsError(results.At(1).Type())
}
