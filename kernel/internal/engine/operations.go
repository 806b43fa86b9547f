package engine

import (
	"github.com/hierml/notebook/kernel/internal/program"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// A tree answers questions about typed Go.
type tree struct {
	info *types.Info
	// natural holds the variables that are never negative; nil where nobody
	// asks.
	natural map[types.Object]bool
}

func (l *lowering) tree(info *types.Info) tree { return tree{info, l.natural} }

// An operation can panic when it is run. Its kind is a word of Frame.Operation.
type operation struct {
	kind string
	pos  token.Pos
}

// operations adds the operations within a node, outside function literals and
// nested blocks, that can panic.
func (tr tree) operations(ops []operation, n ast.Node) []operation {
	add := func(kind string, pos token.Pos) { ops = append(ops, operation{kind, pos}) }
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
			switch t := tr.typeOf(n.X).(type) {
			case *types.Map:
				if types.IsInterface(t.Key()) || assigned[n] {
					add("map", indexPos(n))
				}
			case nil, *types.Signature:
			default:
				if tr.info.Types[n].Value == nil {
					add("index", indexPos(n))
				}
			}
		case *ast.SliceExpr:
			add("slice", n.X.End())
		case *ast.StarExpr:
			if !tr.info.Types[n].IsType() {
				add("nil", n.Pos())
			}
		case *ast.TypeAssertExpr:
			add("assertion", n.Lparen)
		case *ast.SelectorExpr:
			if s := tr.info.Selections[n]; s != nil && s.Indirect() && !(s.Kind() == types.MethodVal && called[n]) {
				add("nil", n.Sel.Pos())
			}
		case *ast.BinaryExpr:
			switch n.Op {
			case token.QUO, token.REM:
				if tr.isInteger(n) && tr.info.Types[n.Y].Value == nil {
					add("divide", n.OpPos)
				}
			case token.SHL, token.SHR:
				if tr.signedCount(n.Y) {
					add("shift", n.OpPos)
				}
			case token.EQL, token.NEQ:
				if types.IsInterface(tr.info.TypeOf(n.X)) && types.IsInterface(tr.info.TypeOf(n.Y)) {
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
				if tr.info.Types[n.Rhs[0]].Value == nil && tr.isInteger(n.Lhs[0]) {
					add("divide", n.TokPos)
				}
			case token.SHL_ASSIGN, token.SHR_ASSIGN:
				if tr.signedCount(n.Rhs[0]) {
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
func (tr tree) signedCount(e ast.Expr) bool {
	t, ok := tr.typeOf(e).(*types.Basic)
	if !ok || t.Info()&types.IsUnsigned != 0 || tr.info.Types[e].Value != nil {
		return false
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return !tr.natural[tr.info.Uses[e]]
	case *ast.CallExpr:
		id, ok := ast.Unparen(e.Fun).(*ast.Ident)
		return !ok || !tr.info.Types[e.Fun].IsBuiltin() || id.Name != "len" && id.Name != "cap"
	case *ast.BinaryExpr:
		for _, x := range []ast.Expr{e.X, e.Y} {
			if v := tr.info.Types[x].Value; e.Op == token.AND && v != nil && constant.Sign(v) >= 0 {
				return false
			}
		}
	}
	return true
}

// counts learns of loop variables that are never negative: those that begin
// with a constant, or the index of a range, and are only ever increased by the
// loop itself.
func (t tree) counts(loop ast.Stmt) {
	natural := func(e ast.Expr, body *ast.BlockStmt) {
		id, ok := e.(*ast.Ident)
		if !ok {
			return
		}
		v, ok := t.info.Defs[id].(*types.Var)
		if ok && types.Unalias(v.Type()) == types.Typ[types.Int] && !t.assigned(v, body) && !t.outlives(v, body) {
			t.natural[v] = true
		}
	}
	switch s := loop.(type) {
	case *ast.RangeStmt:
		switch t.typeOf(s.X).(type) {
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
		if v := t.info.Types[init.Rhs[0]].Value; v != nil && constant.Sign(v) >= 0 {
			natural(init.Lhs[0], s.Body)
		}
	}
}

// callKind tells calls of compiled functions, of which the interpreter says so,
// from others.
func (t tree) callKind(e *ast.CallExpr) string {
	tv := t.info.Types[e.Fun]
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

// A site is the note of a statement with several operations that can panic.
type site struct{ cell, place int }

// remember notes which operations a site has.
func (c *files) remember(cell, place int, ops []operation) {
	c.sites[site{cell, place}] = ops
}

// failed returns the place of a frame: that of the operation in the noted
// statement, if it is known which one it was.
func (c *files) failed(f program.Frame) (line, column int) {
	found := token.NoPos
	for _, op := range c.sites[site{f.Cell, f.Line*columns + f.Column}] {
		if op.kind != f.Operation {
			continue
		}
		if found.IsValid() {
			return f.Line, f.Column // one of several
		}
		found = op.pos
	}
	if found.IsValid() {
		if src, offset := c.at(found); src != nil {
			return src.position(offset)
		}
	}
	return f.Line, f.Column
}

func (tr tree) typeOf(e ast.Expr) types.Type {
	t := tr.info.TypeOf(e)
	if t == nil {
		return nil
	}
	return t.Underlying()
}

func (tr tree) isInteger(e ast.Expr) bool {
	t, ok := tr.typeOf(e).(*types.Basic)
	return ok && t.Info()&types.IsInteger != 0
}

// harmless reports calls that cannot panic: conversions between basic types
// and some builtins.
func (t tree) harmless(e *ast.CallExpr) bool {
	tv := t.info.Types[e.Fun]
	if tv.IsType() {
		_, slice := t.typeOf(e.Args[0]).(*types.Slice)
		return !slice || types.IsInterface(tv.Type) || isString(tv.Type)
	}
	if tv.IsBuiltin() {
		if id, ok := ast.Unparen(e.Fun).(*ast.Ident); ok {
			switch id.Name {
			case "make":
				return len(e.Args) == 1 || t.info.Types[e.Args[1]].Value != nil && len(e.Args) == 2
			case "len", "cap", "append", "copy", "min", "max", "real", "imag", "complex", "new", "delete", "recover", "clear", "print", "println":
				return true
			}
		}
	}
	return t.info.Types[e].Value != nil
}

func isString(t types.Type) bool {
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsString != 0
}
