package check

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"github.com/hierml/notebook/kernel/internal/syntax"
)

// A tree answers questions about typed Go.
type Tree struct {
	Info *types.Info
	// natural holds the variables that are never negative; nil where nobody
	// asks.
	Natural map[types.Object]bool
}

// operations adds the operations within a node, outside function literals and
// nested blocks, that can panic.
func (tr Tree) Operations(ops []syntax.Operation, n ast.Node) []syntax.Operation {
	add := func(kind string, pos token.Pos) { ops = append(ops, syntax.Operation{Kind: kind, Pos: pos}) }
	assigned, called := map[ast.Expr]bool{}, map[ast.Expr]bool{}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.BlockStmt:
			return false
		case *ast.CallExpr:
			called[ast.Unparen(n.Fun)] = true
			if !tr.harmless(n) {
				add(tr.callKind(n), callPos(n))
			}
		case *ast.IndexExpr:
			switch t := tr.TypeOf(n.X).(type) {
			case *types.Map:
				if types.IsInterface(t.Key()) || assigned[n] {
					add("map", indexPos(n))
				}
			case nil, *types.Signature:
			default:
				if tr.Info.Types[n].Value == nil {
					add("index", indexPos(n))
				}
			}
		case *ast.SliceExpr:
			add("slice", n.X.End())
		case *ast.StarExpr:
			if !tr.Info.Types[n].IsType() {
				add("nil", n.Pos())
			}
		case *ast.TypeAssertExpr:
			add("assertion", n.Lparen)
		case *ast.SelectorExpr:
			if s := tr.Info.Selections[n]; s != nil && s.Indirect() && !(s.Kind() == types.MethodVal && called[n]) {
				add("nil", n.Sel.Pos())
			}
		case *ast.BinaryExpr:
			switch n.Op {
			case token.QUO, token.REM:
				if tr.isInteger(n) && tr.Info.Types[n.Y].Value == nil {
					add("divide", n.OpPos)
				}
			case token.SHL, token.SHR:
				if tr.SignedCount(n.Y) {
					add("shift", n.OpPos)
				}
			case token.EQL, token.NEQ:
				if types.IsInterface(tr.Info.TypeOf(n.X)) && types.IsInterface(tr.Info.TypeOf(n.Y)) {
					add("compare", n.OpPos)
				}
			}
		case *ast.SendStmt:
			add("send", n.Arrow)
		case *ast.IncDecStmt:
			if e, ok := ast.Unparen(n.X).(*ast.IndexExpr); ok {
				assigned[e] = true
			}
		case *ast.AssignStmt:
			switch n.Tok {
			case token.QUO_ASSIGN, token.REM_ASSIGN:
				if tr.Info.Types[n.Rhs[0]].Value == nil && tr.isInteger(n.Lhs[0]) {
					add("divide", n.TokPos)
				}
			case token.SHL_ASSIGN, token.SHR_ASSIGN:
				if tr.SignedCount(n.Rhs[0]) {
					add("shift", n.TokPos)
				}
			}
			for _, lhs := range n.Lhs {
				if e, ok := ast.Unparen(lhs).(*ast.IndexExpr); ok {
					assigned[e] = true
				}
			}
		}
		return true
	})
	return ops
}

// signedCount reports whether a shift count is one that can be negative.
func (tr Tree) SignedCount(e ast.Expr) bool {
	t, ok := tr.TypeOf(e).(*types.Basic)
	if !ok || t.Info()&types.IsUnsigned != 0 || tr.Info.Types[e].Value != nil {
		return false
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return !tr.Natural[tr.Info.Uses[e]]
	case *ast.CallExpr:
		id, ok := ast.Unparen(e.Fun).(*ast.Ident)
		return !ok || !tr.Info.Types[e.Fun].IsBuiltin() || id.Name != "len" && id.Name != "cap"
	case *ast.BinaryExpr:
		for _, x := range []ast.Expr{e.X, e.Y} {
			if v := tr.Info.Types[x].Value; e.Op == token.AND && v != nil && constant.Sign(v) >= 0 {
				return false
			}
		}
	}
	return true
}

// counts learns of loop variables that are never negative: those that begin
// with a constant, or the index of a range, and are only ever increased by the
// loop itself.
func (t Tree) Counts(loop ast.Stmt) {
	natural := func(e ast.Expr, body *ast.BlockStmt) {
		id, ok := e.(*ast.Ident)
		if !ok {
			return
		}
		v, ok := t.Info.Defs[id].(*types.Var)
		if ok && types.Unalias(v.Type()) == types.Typ[types.Int] && !t.Assigned(v, body) && !t.Outlives(v, body) {
			t.Natural[v] = true
		}
	}
	switch s := loop.(type) {
	case *ast.RangeStmt:
		switch t.TypeOf(s.X).(type) {
		case *types.Map, *types.Chan, *types.Signature:
			return
		}
		if s.Tok == token.DEFINE {
			natural(s.Key, s.Body)
		}
	case *ast.ForStmt:
		init, ok := s.Init.(*ast.AssignStmt)
		post, increases := s.Post.(*ast.IncDecStmt)
		if !ok || init.Tok != token.DEFINE || len(init.Lhs) != 1 || !increases || post.Tok != token.INC {
			return
		}
		if v := t.Info.Types[init.Rhs[0]].Value; v != nil && constant.Sign(v) >= 0 {
			natural(init.Lhs[0], s.Body)
		}
	}
}

// callKind tells calls of compiled functions, of which the interpreter says so,
// from others.
func (t Tree) callKind(e *ast.CallExpr) string {
	tv := t.Info.Types[e.Fun]
	if id, ok := ast.Unparen(e.Fun).(*ast.Ident); ok && tv.IsBuiltin() {
		return id.Name
	}
	if tv.IsType() {
		return "conversion"
	}
	return "call"
}

// callPos and indexPos return where the last part of an operand begins, so that
// the second call of f().g() is told from the first.
func callPos(e *ast.CallExpr) token.Pos {
	if s, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr); ok {
		if _, chained := ast.Unparen(s.X).(*ast.CallExpr); chained {
			return s.Sel.Pos()
		}
	}
	return e.Pos()
}

func indexPos(e *ast.IndexExpr) token.Pos {
	switch ast.Unparen(e.X).(type) {
	case *ast.Ident, *ast.SelectorExpr:
		return e.Pos()
	}
	return e.Lbrack
}

func (tr Tree) TypeOf(e ast.Expr) types.Type {
	t := tr.Info.TypeOf(e)
	if t == nil {
		return nil
	}
	return t.Underlying()
}

func (tr Tree) isInteger(e ast.Expr) bool {
	t, ok := tr.TypeOf(e).(*types.Basic)
	return ok && t.Info()&types.IsInteger != 0
}

// harmless reports calls that cannot panic: conversions between basic types
// and some builtins.
func (t Tree) harmless(e *ast.CallExpr) bool {
	tv := t.Info.Types[e.Fun]
	if tv.IsType() {
		_, slice := t.TypeOf(e.Args[0]).(*types.Slice)
		return !slice || types.IsInterface(tv.Type) || IsString(tv.Type)
	}
	if tv.IsBuiltin() {
		if id, ok := ast.Unparen(e.Fun).(*ast.Ident); ok {
			switch id.Name {
			case "make":
				return len(e.Args) == 1 || t.Info.Types[e.Args[1]].Value != nil && len(e.Args) == 2
			case "len", "cap", "append", "copy", "min", "max", "real", "imag", "complex", "new", "delete", "recover", "clear", "print", "println":
				return true
			}
		}
	}
	return t.Info.Types[e].Value != nil
}

func IsString(t types.Type) bool {
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsString != 0
}
