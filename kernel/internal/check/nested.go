package check

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/astutil"

	"github.com/hierml/notebook/kernel/internal/check/typed"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// A call within an expression may leave out its error, too, as in
//
//	metric.Evaluate(svm.Flat{}.Fit(ctx, t, d), test)
//	a, b := f(), g()
//	f().Method()
//
// wherever Go wants fewer values than the call returns. So may any call in a function literal that
// is passed to nb.Interact. In the tree such a call becomes the argument of an undeclared function
// that returns everything except the error. Go then types the code around it, and the order of
// calls stays Go's. The later stages write that function as code that ends the cell.

// MaxLeft bounds how many values a call may return with an error that it leaves out within an
// expression.
const MaxLeft = 3

// stopper returns the function that takes n values and an error, and returns the values.
func stopper(n int) *types.Func {
	params := make([]*types.TypeParam, n)
	results, arguments := make([]*types.Var, n), make([]*types.Var, n, n+1)
	for i := range n {
		name := types.NewTypeName(token.NoPos, nil, string(rune('A'+i)), nil)
		params[i] = types.NewTypeParam(name, types.Universe.Lookup("any").Type())
		results[i] = types.NewParam(token.NoPos, nil, "", params[i])
		arguments[i] = types.NewParam(token.NoPos, nil, "", params[i])
	}
	arguments = append(arguments, types.NewParam(token.NoPos, nil, "", types.Universe.Lookup("error").Type()))
	sig := types.NewSignatureType(nil, nil, params, types.NewTuple(arguments...), types.NewTuple(results...), false)
	return types.NewFunc(token.NoPos, nil, fmt.Sprint(typed.StopName, n), sig)
}

// withoutStops removes the functions around calls, which the user has not written, from a complaint
// of go/types.
func withoutStops(msg string) string {
	for {
		before, call, found := strings.Cut(msg, typed.StopName)
		if !found {
			return msg
		}
		_, call, _ = strings.Cut(call, "(") // behind the number
		end := closing(call)
		msg = before + call[:end] + strings.TrimPrefix(call[end:], ")")
	}
}

// closing returns the position of the closing bracket in a text of Go, or the end of the text.
func closing(text string) int {
	depth := 0
	for _, l := range syntax.Lex(text) {
		switch l.Tok {
		case token.LPAREN:
			depth++
		case token.RPAREN:
			if depth == 0 {
				return l.Pos
			}
			depth--
		}
	}
	return len(text)
}

// leftWithin returns the calls within a statement at the top of a cell, outside function literals
// except those passed to nb.Interact, that return one error too many for Go, with the number of
// wanted values. whole holds assignments and declarations that leave out the error of their only
// value.
func (k *Checked) leftWithin(s ast.Stmt, whole map[ast.Node]bool) (out map[*ast.CallExpr]int) {
	out = map[*ast.CallExpr]int{}
	var above []ast.Node
	ast.Inspect(s, func(n ast.Node) bool {
		if n == nil {
			above = above[:len(above)-1]
			return false
		}
		if lit, ok := n.(*ast.FuncLit); ok && !k.interacts(lit, above) {
			return false
		}
		if call, ok := n.(*ast.CallExpr); ok {
			if n := k.valuesBeside(call); n > 0 && n <= MaxLeft && k.wants(n, call, above, whole) {
				out[call] = n
			}
		}
		above = append(above, n)
		return true
	})
	return out
}

// valuesBeside returns how many values a call returns before its last result, an error; 0 if it
// returns no error, or nothing else.
func (k *Checked) valuesBeside(call *ast.CallExpr) int {
	results, ok := k.Info.TypeOf(call).(*types.Tuple)
	if !ok || results.Len() < 2 || !typed.IsError(results.At(results.Len()-1).Type()) {
		return 0
	}
	return results.Len() - 1
}

// wants reports whether n values are wanted at a call that also returns an error. above are the
// nodes around it.
func (k *Checked) wants(n int, call ast.Expr, above []ast.Node, whole map[ast.Node]bool) bool {
	for len(above) > 0 {
		p, ok := above[len(above)-1].(*ast.ParenExpr)
		if !ok {
			break
		}
		call, above = p, above[:len(above)-1]
	}
	if len(above) == 0 {
		return false
	}
	one := n == 1
	switch p := above[len(above)-1].(type) {
	case *ast.ExprStmt, *ast.GoStmt, *ast.DeferStmt:
		return false
	case *ast.AssignStmt:
		switch {
		case len(p.Rhs) > 1 || !sets(p) || p.Rhs[0] != call:
			return one
		case whole[p] || blankOnly(p.Lhs):
			return false
		}
		return n == len(p.Lhs)
	case *ast.ValueSpec:
		switch {
		case len(p.Values) > 1:
			return one
		case whole[p] || blankOnly(names(p)):
			return false
		}
		return n == len(p.Names)
	case *ast.ReturnStmt:
		if len(p.Results) == 1 {
			return n == k.resultsAround(above)
		}
		return one
	case *ast.CallExpr:
		if p.Fun == call || len(p.Args) > 1 || p.Ellipsis.IsValid() {
			return one
		}
		return k.takes(n, p, k.Info.TypeOf(call))
	}
	return one
}

// interacts reports whether a literal is the function passed to nb.Interact. above are the nodes
// around it.
func (k *Checked) interacts(lit *ast.FuncLit, above []ast.Node) bool {
	call, ok := above[len(above)-1].(*ast.CallExpr)
	return ok && len(call.Args) > 0 && call.Args[0] == lit && isInteract(k.tree().CalleeObject(ast.Unparen(call.Fun)))
}

// resultsAround returns how many results the innermost function literal among the nodes has; -1 if
// there is none.
func (k *Checked) resultsAround(above []ast.Node) int {
	for _, n := range slices.Backward(above) {
		if lit, ok := n.(*ast.FuncLit); ok {
			return k.Info.TypeOf(lit).(*types.Signature).Results().Len()
		}
	}
	return -1
}

// takes reports whether a call takes the first n of some results for its arguments, and not all of
// them.
func (k *Checked) takes(n int, call *ast.CallExpr, results types.Type) bool {
	tv := k.Info.Types[call.Fun]
	switch {
	case tv.IsType():
		return n == 1
	case tv.IsBuiltin():
		id, ok := ast.Unparen(call.Fun).(*ast.Ident)
		return ok && n == 1 && id.Name != "print" && id.Name != "println"
	}
	if _, stops := typed.Stops(call); stops || tv.Type == nil {
		return false
	}
	sig, ok := tv.Type.Underlying().(*types.Signature)
	if !ok {
		return false
	}
	params := sig.Params().Len()
	if !sig.Variadic() {
		return n == params
	}
	// If an error may be an argument of any type, it stays one, as in Go.
	last := results.(*types.Tuple).At(n).Type()
	return n >= params-1 && !types.AssignableTo(last, typed.Parameter(sig, n, false))
}

// stopWithin makes the calls at the places that Forgets returned stop the cell.
func (k *Checked) stopWithin(places map[token.Pos]int) {
	made := map[int]bool{}
	for _, s := range k.Body {
		astutil.Apply(s, nil, func(at *astutil.Cursor) bool {
			call, ok := at.Node().(*ast.CallExpr)
			if !ok || places[call.Lparen-k.Statements.FileStart] == 0 {
				return true
			}
			n := places[call.Lparen-k.Statements.FileStart]
			if !made[n] {
				made[n] = true
				k.stoppers = append(k.stoppers, stopper(n))
			}
			stop := &ast.Ident{NamePos: call.Pos(), Name: fmt.Sprint(typed.StopName, n)}
			at.Replace(&ast.CallExpr{Fun: stop, Lparen: call.Pos(), Args: []ast.Expr{call}, Rparen: call.End() - 1})
			return true
		})
	}
}
