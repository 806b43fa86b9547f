package engine

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// The statements of a cell, at its top or in the blocks there, may leave out the
// error that a call returns last, as
//
//	x := f()   // f returns (T, error)
//	f()        // f returns error, or (T, error)
//
// The cell stops there if the error is not nil, and shows it. In Go the first
// does not compile and the second drops the error; so it is in functions, and
// in strict cells. Declarations by var may leave it out at the top only.

// inBlocks calls see with the statements in the blocks of a statement, however
// deep, in their order, but not with those of function literals.
func inBlocks(s ast.Stmt, see func(ast.Stmt)) {
	all := func(list []ast.Stmt) bool {
		for _, s := range list {
			see(s)
			inBlocks(s, see)
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

// forgets returns the places in their file of the assignments of a cell that
// leave out the error of the call which is their only value. The cell was
// checked, and found wrong.
func forgets(k *checked) []token.Pos {
	var out []token.Pos
	look := func(n ast.Node, left []ast.Expr, right []ast.Expr) {
		if len(right) != 1 || blankOnly(left) {
			return
		}
		call, ok := ast.Unparen(right[0]).(*ast.CallExpr)
		if !ok {
			return
		}
		results, ok := k.info.TypeOf(call).(*types.Tuple)
		if ok && results.Len() == len(left)+1 && isError(results.At(len(left)).Type()) {
			out = append(out, n.Pos()-k.statements.FileStart)
		}
	}
	for _, s := range k.body {
		inBlocks(s, func(s ast.Stmt) {
			if s, ok := s.(*ast.AssignStmt); ok {
				look(s, s.Lhs, s.Rhs)
			}
		})
		switch s := s.(type) {
		case *ast.AssignStmt:
			look(s, s.Lhs, s.Rhs)
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
	return out
}

func names(v *ast.ValueSpec) []ast.Expr {
	out := make([]ast.Expr, len(v.Names))
	for i, id := range v.Names {
		out[i] = id
	}
	return out
}

// blankOnly reports whether an assignment throws all away, and so the error.
func blankOnly(left []ast.Expr) bool {
	for _, e := range left {
		if id, ok := e.(*ast.Ident); !ok || id.Name != "_" {
			return false
		}
	}
	return true
}

// remember adds a blank for the error to the assignments at the places that
// forgets returned.
func (k *checked) remember(places map[token.Pos]bool) {
	if len(places) == 0 {
		return
	}
	k.remembered, k.initial = map[ast.Node]bool{}, map[ast.Stmt]bool{}
	blank := func(value ast.Expr) *ast.Ident { return &ast.Ident{NamePos: value.Pos(), Name: "_"} }
	assign := func(s ast.Stmt) {
		if s, ok := s.(*ast.AssignStmt); ok && places[s.Pos()-k.statements.FileStart] {
			k.remembered[s] = true
			s.Lhs = append(s.Lhs, blank(s.Rhs[0]))
		}
	}
	var body []ast.Stmt
	for _, s := range k.body {
		inBlocks(s, assign)
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
				if !ok || !places[v.Pos()-k.statements.FileStart] {
					rest.Specs = append(rest.Specs, spec)
					continue
				}
				value := v.Values[0]
				if v.Type == nil {
					k.remembered[v] = true
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
				k.initial[declared] = true
				assign := &ast.AssignStmt{Lhs: append(names(v), blank(value)), TokPos: value.Pos(), Tok: token.ASSIGN, Rhs: v.Values}
				for i, id := range v.Names {
					assign.Lhs[i] = &ast.Ident{NamePos: id.NamePos, Name: id.Name}
				}
				k.remembered[assign] = true
				body = append(body, declared, assign)
			}
			flush()
			continue
		}
		body = append(body, s)
	}
	k.body = body
	if k.stop != nil {
		body = append(slices.Clip(body), k.stop)
	}
	k.statements.Decls[0].(*ast.FuncDecl).Body.List = body
}

// stop writes what ends the cell if an error is not nil.
func (b *body) stop(err string, call ast.Expr) string {
	line, column := 0, 0
	if src, offset := b.l.c.at(call.Pos()); src != nil {
		line, column = src.position(offset)
	}
	return fmt.Sprintf("%s.Stop(%s, %d, %d, %d)\n", bridge, err, b.frame.cell, line, column)
}

// leavesOut reports whether a statement in a block of the cell leaves out an error
// that the cell stops for.
func (k *checked) leavesOut(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.AssignStmt:
		return k.remembered[s]
	case *ast.ExprStmt:
		_, ok := k.lastError(s.X)
		return ok
	}
	return false
}

// lastError reports whether a statement of a cell is a call whose last
// result is an error that the cell stops for, and returns all its results.
func (k *checked) lastError(e ast.Expr) (results []types.Type, ok bool) {
	if k.strict {
		return nil, false
	}
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || k.info.Types[call.Fun].IsType() || k.tree().writes(call) || k.makesError(call) {
		return nil, false
	}
	switch t := k.info.TypeOf(call).(type) {
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
	return results, n > 0 && isError(results[n-1])
}

// makesError reports calls of functions that have an error as their value, and
// not as their failure, and what other cells showed.
func (k *checked) makesError(call *ast.CallExpr) bool {
	obj := k.tree().calleeObject(ast.Unparen(call.Fun))
	if obj != nil && k.recalled[obj.Name()] != nil {
		return true
	}
	return obj != nil && obj.Pkg() != nil && (obj.Pkg().Path() == "errors" || obj.FullName() == "fmt.Errorf")
}

// tree answers questions about the cell.
func (k *checked) tree() tree { return tree{info: k.info} }

// checkedCall writes a statement of a cell that is a call with an error.
func (b *body) checkedCall(s *ast.ExprStmt) (text string, ok bool) {
	results, ok := b.l.k.lastError(s.X)
	if !ok {
		return "", false
	}
	left := ""
	for range len(results) - 1 {
		left += "_, "
	}
	err := b.l.temp()
	return b.mark(s) + left + err + " := " + b.expr(s.X) + "\n" + b.stop(err, s.X), true
}
