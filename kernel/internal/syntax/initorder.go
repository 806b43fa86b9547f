package syntax

import (
	"go/ast"
	"go/token"
)

// A cell that names its package is a whole program, as a file is. Its variables are initialized as
// those of a package: each after those that its value mentions, be it through functions.

// isProgram reports whether one of the cell's items is a package clause.
func isProgram(items []Item) bool {
	for _, it := range items {
		if it.Kind == ItemPackage {
			return true
		}
	}
	return false
}

// initialOrder sorts the declarations of variables that come before all other statements. Names are
// taken for those of the package wherever they stand: at worst a variable waits for one that it
// does not need.
func initialOrder(stmts []ast.Stmt, declarations *ast.File) []ast.Stmt {
	var waiting, sorted []ast.Stmt
	rest := stmts
	for len(rest) > 0 && Variables(rest[0]) != nil {
		d := rest[0].(*ast.DeclStmt).Decl.(*ast.GenDecl)
		for _, s := range Variables(rest[0]) {
			one := *d
			one.TokPos, one.Lparen, one.Rparen, one.Specs = s.Pos(), token.NoPos, token.NoPos, []ast.Spec{s}
			stmt := &ast.DeclStmt{Decl: &one}
			if len(s.Values) == 0 {
				sorted = append(sorted, stmt)
			} else {
				waiting = append(waiting, stmt)
			}
		}
		rest = rest[1:]
	}
	for _, s := range rest {
		if Variables(s) != nil {
			return stmts
		}
	}
	needs := dependencies(waiting, declarations)
	done := map[ast.Stmt]bool{}
	for len(waiting) > 0 {
		next := 0
		for i, s := range waiting {
			ready := true
			for _, other := range needs[s] {
				ready = ready && done[other]
			}
			if ready {
				next = i
				break
			}
		}
		done[waiting[next]] = true
		sorted = append(sorted, waiting[next])
		waiting = append(waiting[:next:next], waiting[next+1:]...)
	}
	return append(sorted, rest...)
}

// Variables returns what a statement declares if it is var.
func Variables(s ast.Stmt) []*ast.ValueSpec {
	decl, ok := s.(*ast.DeclStmt)
	if !ok {
		return nil
	}
	g, ok := decl.Decl.(*ast.GenDecl)
	if !ok || g.Tok != token.VAR {
		return nil
	}
	specs := []*ast.ValueSpec{}
	for _, s := range g.Specs {
		specs = append(specs, s.(*ast.ValueSpec))
	}
	return specs
}

// dependencies returns for each declaration the others that it has to wait for.
func dependencies(stmts []ast.Stmt, declarations *ast.File) map[ast.Stmt][]ast.Stmt {
	declared := map[string]ast.Stmt{}
	for _, s := range stmts {
		for _, id := range Variables(s)[0].Names {
			declared[id.Name] = s
		}
	}
	bodies := map[string][]*ast.BlockStmt{} // of functions and methods
	if declarations != nil {
		for _, d := range declarations.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
				bodies[f.Name.Name] = append(bodies[f.Name.Name], f.Body)
			}
		}
	}
	needs := map[ast.Stmt][]ast.Stmt{}
	for _, s := range stmts {
		seen := map[string]bool{}
		var visit func(n ast.Node) bool
		visit = func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok || id.Name == "_" || seen[id.Name] {
				return true
			}
			seen[id.Name] = true
			if other := declared[id.Name]; other != nil && other != s {
				needs[s] = append(needs[s], other)
			}
			for _, body := range bodies[id.Name] {
				ast.Inspect(body, visit)
			}
			return true
		}
		for _, v := range Variables(s)[0].Values {
			ast.Inspect(v, visit)
		}
	}
	return needs
}
