package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/hierml/notebook/kernel/internal/check/typed"
)

// The statements of a cell, at its top or in the blocks there, may leave out the error that a call
// returns last, as
//
//	x := f()      // f returns (T, error)
//	f()           // f returns error, or (T, error)
//	g(f(), 1)     // as any part of an expression (nested.go)
//
// The cell stops there if the error is not nil, and shows it. In Go the first and the third do not
// compile and the second drops the error; so it is in functions, and in strict cells. Functions
// passed to nb.Interact may leave out errors as the first and the third do.

// InBlocks calls see with the statements in the blocks of a statement, at any depth and in order,
// but not with those of function literals.
func InBlocks(s ast.Stmt, see func(ast.Stmt)) {
	all := func(list []ast.Stmt) bool {
		for _, s := range list {
			see(s)
			InBlocks(s, see)
		}
		return false
	}
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BlockStmt:
			return all(n.List)
		case *ast.CaseClause:
			return all(n.Body)
		case *ast.CommClause:
			return all(n.Body)
		}
		return true
	})
}

// Forgets returns the places in a checked and wrong cell that leave out an error: assignments whose
// only value is a call, by their start, and calls within expressions, by their left bracket. The
// value is the number of wanted results.
func Forgets(k *Checked) map[token.Pos]int {
	out := map[token.Pos]int{}
	whole := map[ast.Node]bool{} // assignments that are handled as a whole
	look := func(n ast.Node, left []ast.Expr, right []ast.Expr) {
		if slices.ContainsFunc(left, k.computes) {
			return
		}
		whole[n] = true
		if len(right) != 1 || blankOnly(left) {
			return
		}
		call, ok := ast.Unparen(right[0]).(*ast.CallExpr)
		if !ok {
			return
		}
		results, ok := k.Info.TypeOf(call).(*types.Tuple)
		if ok && results.Len() == len(left)+1 && typed.IsError(results.At(len(left)).Type()) {
			out[n.Pos()-k.Statements.FileStart] = len(left)
		}
	}
	for _, s := range k.Body {
		InBlocks(s, func(s ast.Stmt) {
			if s, ok := s.(*ast.AssignStmt); ok && sets(s) {
				look(s, s.Lhs, s.Rhs)
			}
		})
		switch s := s.(type) {
		case *ast.AssignStmt:
			if sets(s) {
				look(s, s.Lhs, s.Rhs)
			}
		case *ast.DeclStmt:
			d, ok := s.Decl.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range d.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok {
					look(v, names(v), v.Values)
				}
			}
		}
	}
	for _, s := range k.Body {
		for call, n := range k.leftWithin(s, whole) {
			out[call.Lparen-k.Statements.FileStart] = n
		}
	}
	return out
}

// computes reports whether an assigned place calls something or blocks: then it is evaluated before
// the value.
func (k *Checked) computes(place ast.Expr) bool {
	found := false
	ast.Inspect(place, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			found = found || !k.Info.Types[n.Fun].IsType() && !k.Info.Types[n.Fun].IsBuiltin()
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		}
		return !found
	})
	return found
}

// sets reports whether an assignment only sets its left side, as = and := do.
func sets(s *ast.AssignStmt) bool { return s.Tok == token.ASSIGN || s.Tok == token.DEFINE }

func names(v *ast.ValueSpec) []ast.Expr {
	out := make([]ast.Expr, len(v.Names))
	for i, id := range v.Names {
		out[i] = id
	}
	return out
}

// blankOnly reports whether an assignment discards all values, and so the error.
func blankOnly(left []ast.Expr) bool {
	for _, e := range left {
		if id, ok := e.(*ast.Ident); !ok || id.Name != "_" {
			return false
		}
	}
	return true
}

// Remember adds a blank for the error to the assignments at the places that Forgets returned, and
// makes the calls there stop the cell.
func (k *Checked) Remember(places map[token.Pos]int) {
	if len(places) == 0 {
		return
	}
	k.Remembered, k.Initial = map[ast.Node]bool{}, map[ast.Stmt]bool{}
	k.stopWithin(places)
	blank := func(value ast.Expr) *ast.Ident { return &ast.Ident{NamePos: value.Pos(), Name: "_"} }
	assign := func(s ast.Stmt) {
		if s, ok := s.(*ast.AssignStmt); ok && places[s.Pos()-k.Statements.FileStart] > 0 {
			k.Remembered[s] = true
			s.Lhs = append(s.Lhs, blank(s.Rhs[0]))
		}
	}
	var body []ast.Stmt
	for _, s := range k.Body {
		InBlocks(s, assign)
		switch s := s.(type) {
		case *ast.AssignStmt:
			assign(s)
		case *ast.DeclStmt:
			d, ok := s.Decl.(*ast.GenDecl)
			if !ok {
				break
			}
			rest := *d
			rest.Specs = nil
			flush := func() {
				if len(rest.Specs) > 0 {
					part := rest
					body = append(body, &ast.DeclStmt{Decl: &part})
					rest.Specs = nil
				}
			}
			for _, spec := range d.Specs {
				v, ok := spec.(*ast.ValueSpec)
				if !ok || places[v.Pos()-k.Statements.FileStart] == 0 {
					rest.Specs = append(rest.Specs, spec)
					continue
				}
				value := v.Values[0]
				if v.Type == nil {
					k.Remembered[v] = true
					v.Names = append(v.Names, blank(value))
					rest.Specs = append(rest.Specs, v)
					continue
				}
				// var x T = f() is var x T and an assignment.
				flush()
				typed := *v
				typed.Values = nil
				part := rest
				part.Specs = []ast.Spec{&typed}
				declared := &ast.DeclStmt{Decl: &part}
				k.Initial[declared] = true
				assign := &ast.AssignStmt{Lhs: append(names(v), blank(value)), TokPos: value.Pos(), Tok: token.ASSIGN, Rhs: v.Values}
				for i, id := range v.Names {
					assign.Lhs[i] = &ast.Ident{NamePos: id.NamePos, Name: id.Name}
				}
				k.Remembered[assign] = true
				body = append(body, declared, assign)
			}
			flush()
			continue
		}
		body = append(body, s)
	}
	k.Body = body
	if k.Stop != nil {
		body = append(slices.Clip(body), k.Stop)
	}
	k.Statements.Decls[0].(*ast.FuncDecl).Body.List = body
}

// LeavesOut reports whether a statement in a block of the cell leaves out an error that the cell
// stops for.
func (k *Checked) LeavesOut(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.AssignStmt:
		return k.Remembered[s]
	case *ast.ExprStmt:
		_, ok := k.LastError(s.X)
		return ok
	}
	return false
}

// LastError reports whether a statement of a cell is a call whose last result is an error that the
// cell stops for, and returns all its results.
func (k *Checked) LastError(e ast.Expr) (results []types.Type, ok bool) {
	if k.strict {
		return nil, false
	}
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || k.Info.Types[call.Fun].IsType() || k.tree().Writes(call) || k.makesError(call) {
		return nil, false
	}
	switch t := k.Info.TypeOf(call).(type) {
	case nil:
		return nil, false
	case *types.Tuple:
		for i := range t.Len() {
			results = append(results, t.At(i).Type())
		}
	default:
		results = []types.Type{t}
	}
	n := len(results)
	return results, n > 0 && typed.IsError(results[n-1])
}

// makesError reports calls of functions that return an error as their value, not as their failure,
// and references to values of other cells.
func (k *Checked) makesError(call *ast.CallExpr) bool {
	obj := k.tree().CalleeObject(ast.Unparen(call.Fun))
	if obj != nil && k.Recalled[obj.Name()] != nil {
		return true
	}
	return obj != nil && obj.Pkg() != nil && (obj.Pkg().Path() == "errors" || obj.FullName() == "fmt.Errorf")
}

// tree answers questions about the cell.
func (k *Checked) tree() typed.Tree { return typed.Tree{Info: k.Info} }

// ShownTypes returns the types of the values that the last expression of a cell shows.
func (k *Checked) ShownTypes(s *ast.ExprStmt) []types.Type {
	tv := k.Info.Types[s.X]
	if tv.IsVoid() || k.tree().Writes(s.X) {
		return nil
	}
	if tv.IsNil() {
		return []types.Type{types.Universe.Lookup("any").Type()}
	}
	if results, ok := k.LastError(s.X); ok {
		if len(results) == 1 {
			return nil
		}
		return results[:len(results)-1]
	}
	tuple, ok := tv.Type.(*types.Tuple)
	if !ok {
		return []types.Type{types.Default(tv.Type)}
	}
	var all []types.Type
	for v := range tuple.Variables() {
		all = append(all, v.Type())
	}
	return all
}
