// Package typed answers questions about type-checked Go for all stages that read it: which
// operations can panic, which function a call calls, whether an expression writes, defers or
// recovers, how a type is shown. It uses only syntax trees and types, and knows neither sessions
// nor executors.
//
// Wrong when an operation that can panic is not among [Tree.Operations], or a function that writes
// is reported not to.
package typed

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"github.com/hierml/notebook/kernel/internal/syntax"
)

// StopName begins the names of the functions around such calls. A user cannot type it.
const StopName = "stop·"

// Stops reports whether a call in the tree of a cell is a generated one that ends the cell on an
// error, and returns the user's call within it.
func Stops(call *ast.CallExpr) (within ast.Expr, ok bool) {
	id, ok := call.Fun.(*ast.Ident)
	if !ok || !strings.HasPrefix(id.Name, StopName) {
		return nil, false
	}
	return call.Args[0], true
}

// A Tree answers questions about typed Go.
type Tree struct {
	Info *types.Info
	// Natural holds the variables that are never negative; nil if that is not needed.
	Natural map[types.Object]bool
}

// Operations adds the operations within a node, outside function literals and nested blocks, that
// can panic.
func (tr Tree) Operations(ops []syntax.Operation, n ast.Node) []syntax.Operation {
	add := func(kind string, pos token.Pos) { ops = append(ops, syntax.Operation{Kind: kind, Pos: pos}) }
	assigned, called := map[ast.Expr]bool{}, map[ast.Expr]bool{}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.BlockStmt:
			return false
		case *ast.CallExpr:
			called[ast.Unparen(n.Fun)] = true
			if _, stops := Stops(n); !stops && !tr.harmless(n) {
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
				if at := tr.Info.Types[n]; at.IsValue() && at.Value == nil { // not an instance of a type
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

// SignedCount reports whether a shift count can be negative.
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

// Counts finds loop variables that are never negative: those that start at a constant or are the
// index of a range, and that only the loop itself changes, by increasing them.
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

// callKind distinguishes calls of compiled functions from others, as the interpreter does.
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

// callPos and indexPos return the start of the last part of an operand, so that the second call of
// f().g() differs from the first.
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

// TypeOf returns the underlying type of an expression, or nil if it is unknown.
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

// harmless reports calls that cannot panic: conversions between basic types and some builtins.
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

// IsString reports whether the underlying type is that of strings.
func IsString(t types.Type) bool {
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsString != 0
}

// CalleeObject returns the declared function that an expression names.
func (t Tree) CalleeObject(fun ast.Expr) *types.Func {
	switch f := fun.(type) {
	case *ast.Ident:
		obj, _ := t.Info.Uses[f].(*types.Func)
		return obj
	case *ast.SelectorExpr:
		obj, _ := t.Info.Uses[f.Sel].(*types.Func)
		return obj
	case *ast.IndexExpr:
		return t.CalleeObject(ast.Unparen(f.X))
	case *ast.IndexListExpr:
		return t.CalleeObject(ast.Unparen(f.X))
	}
	return nil
}

// Parameter returns the type to which the i'th argument is converted.
func Parameter(sig *types.Signature, i int, ellipsis bool) types.Type {
	n := sig.Params().Len()
	if sig.Variadic() && i >= n-1 {
		last := sig.Params().At(n - 1).Type()
		if ellipsis {
			return last
		}
		if s, ok := last.Underlying().(*types.Slice); ok {
			return s.Elem()
		}
	}
	if i >= n {
		return types.Typ[types.Invalid]
	}
	return sig.Params().At(i).Type()
}

// Writes reports whether an expression calls a function that prints, or one that reads user input.
// The result of the latter does not show that it succeeded: the user may type anything.
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

// Outlives reports whether a variable is mentioned in a function literal within a node, or its
// address is taken there.
func (t Tree) Outlives(v *types.Var, n ast.Node) bool {
	found := false
	var visit func(n ast.Node, inside bool)
	visit = func(n ast.Node, inside bool) {
		ast.Inspect(n, func(m ast.Node) bool {
			if found {
				return false
			}
			switch m := m.(type) {
			case *ast.IfStmt:
				if t.Hook(m) {
					return false
				}
			case *ast.FuncLit:
				if !inside {
					visit(m.Body, true)
					return false
				}
			case *ast.Ident:
				if inside && t.Info.Uses[m] == v {
					found = true
				}
			case *ast.UnaryExpr:
				if m.Op == token.AND && t.rootIs(m.X, v) {
					found = true
				}
			case *ast.SliceExpr:
				if _, array := t.TypeOf(m.X).(*types.Array); array && t.rootIs(m.X, v) {
					found = true
				}
			case *ast.SelectorExpr:
				if s := t.Info.Selections[m]; s != nil && s.Kind() != types.FieldVal && t.rootIs(m.X, v) {
					if f, ok := s.Obj().(*types.Func); ok && f.Signature().Recv() != nil {
						if _, pointer := f.Signature().Recv().Type().(*types.Pointer); pointer {
							found = true
						}
					}
				}
			case *ast.RangeStmt:
				if sig, ok := t.TypeOf(m.X).(*types.Signature); ok && sig != nil && !inside {
					visit(m.Body, true)
				}
			}
			return true
		})
	}
	visit(n, false)
	return found
}

// Hook reports whether a statement is a hook of the debugger, as package hooks writes it. An active
// hook copies variables, and sets those that the debugger has changed.
func (t Tree) Hook(s ast.Stmt) bool {
	i, ok := s.(*ast.IfStmt)
	if !ok {
		return false
	}
	asks, ok := i.Cond.(*ast.CallExpr)
	if !ok {
		return false
	}
	f := t.CalleeObject(asks.Fun)
	return f != nil && f.Name() == "Stops" && f.Pkg() != nil && f.Pkg().Path() == syntax.MagicPath
}

// rootIs reports whether an addressable expression is a variable or a part of it.
func (t Tree) rootIs(e ast.Expr, v *types.Var) bool {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.Ident:
			return t.Info.Uses[x] == v
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		default:
			return false
		}
	}
}

// Assigned reports whether a variable is assigned to within a node.
func (t Tree) Assigned(v *types.Var, n ast.Node) bool {
	found := false
	ast.Inspect(n, func(m ast.Node) bool {
		switch m := m.(type) {
		case *ast.IfStmt:
			return !found && !t.Hook(m)
		case *ast.AssignStmt:
			for _, e := range m.Lhs {
				found = found || t.rootIs(e, v)
			}
		case *ast.IncDecStmt:
			found = found || t.rootIs(m.X, v)
		case *ast.RangeStmt:
			if m.Tok == token.ASSIGN {
				found = found || m.Key != nil && t.rootIs(m.Key, v) || m.Value != nil && t.rootIs(m.Value, v)
			}
		}
		return !found
	})
	return found
}
