package syntax

import (
	"cmp"
	"go/ast"
	"go/token"
	"slices"
)

// Consecutive declarations of variables at the top of a cell are initialized like those of a
// package: each after the variables that its value mentions, also through functions of the cell.

// initialOrder sorts declarations of variables so that each comes after those that it mentions.
// Names that the parser finds in no inner scope count as names of the package: at worst a variable
// waits for one that it does not need, which the check corrects.
func initialOrder(stmts []ast.Stmt, declarations *ast.File) []ast.Stmt {
	times := map[string]int{}
	for _, s := range stmts {
		for _, id := range VariablesOf(s) {
			times[id.Name]++
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
	return SortVariables(stmts, func(run []*ast.ValueSpec) func(*ast.ValueSpec) []*ast.ValueSpec {
		declared := map[string]*ast.ValueSpec{}
		for _, v := range run {
			for _, id := range v.Names {
				if times[id.Name] == 1 {
					declared[id.Name] = v
				}
			}
		}
		return func(v *ast.ValueSpec) (needs []*ast.ValueSpec) {
			seen := map[string]bool{}
			called := map[string]bool{}
			var visit func(n ast.Node) bool
			call := func(name string) {
				if !called[name] {
					called[name] = true
					for _, body := range bodies[name] {
						ast.Inspect(body, visit)
					}
				}
			}
			visit = func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.SelectorExpr:
					call(n.Sel.Name)
					ast.Inspect(n.X, visit)
					return false
				case *ast.Ident:
					other := declared[n.Name]
					if n.Obj != nil && n.Obj.Kind == ast.Var && n.Obj.Decl != other {
						return false // a variable of an inner scope
					}
					if other != nil && !seen[n.Name] {
						seen[n.Name] = true
						needs = append(needs, other)
					}
					call(n.Name)
				}
				return true
			}
			for _, e := range v.Values {
				ast.Inspect(e, visit)
			}
			return needs
		}
	})
}

// SortVariables returns statements with each uninterrupted run of variable declarations in the
// order of initialization: repeatedly the first one that needs none of the remaining ones. In a
// cycle, the first one comes first. For a run, dependencies returns a function that returns the
// declarations that one needs.
func SortVariables(stmts []ast.Stmt, dependencies func(run []*ast.ValueSpec) func(*ast.ValueSpec) []*ast.ValueSpec) []ast.Stmt {
	var out []ast.Stmt
	for len(stmts) > 0 {
		run, n := leadingRun(stmts)
		alone := map[*ast.ValueSpec]ast.Stmt{} // a statement that declares no others
		for _, s := range stmts[:n] {
			for _, v := range Variables(s) {
				alone[v] = declaring(s, v)
			}
		}
		sorted := sortedRun(run, dependencies)
		if slices.Equal(run, sorted) {
			n = max(n, 1)
			out = append(out, stmts[:n]...)
			stmts = stmts[n:]
			continue
		}
		for _, v := range sorted {
			out = append(out, alone[v])
		}
		stmts = stmts[n:]
	}
	return out
}

func sortedRun(run []*ast.ValueSpec, dependencies func([]*ast.ValueSpec) func(*ast.ValueSpec) []*ast.ValueSpec) []*ast.ValueSpec {
	if len(run) < 2 {
		return run
	}
	needs := map[*ast.ValueSpec][]*ast.ValueSpec{}
	needed := dependencies(run)
	for _, v := range run {
		needs[v] = slices.DeleteFunc(needed(v), func(other *ast.ValueSpec) bool { return other == v })
	}
	var sorted []*ast.ValueSpec
	waiting := slices.SortedFunc(slices.Values(run), func(a, b *ast.ValueSpec) int { return cmp.Compare(a.Pos(), b.Pos()) })
	for len(waiting) > 0 {
		next := slices.IndexFunc(waiting, func(v *ast.ValueSpec) bool {
			return !slices.ContainsFunc(needs[v], func(other *ast.ValueSpec) bool { return slices.Contains(waiting, other) })
		})
		next = max(next, 0)
		sorted = append(sorted, waiting[next])
		waiting = slices.Delete(waiting, next, next+1)
	}
	return sorted
}

// declaring returns a statement for one of the declarations in a statement.
func declaring(s ast.Stmt, v *ast.ValueSpec) ast.Stmt {
	one := *s.(*ast.DeclStmt).Decl.(*ast.GenDecl)
	if len(one.Specs) == 1 {
		return s
	}
	one.TokPos, one.Lparen, one.Rparen, one.Specs = v.Pos(), token.NoPos, token.NoPos, []ast.Spec{v}
	return &ast.DeclStmt{Decl: &one}
}

// VariableRuns returns the declarations of variables in each uninterrupted run of them.
func VariableRuns(stmts []ast.Stmt) (runs [][]*ast.ValueSpec) {
	for len(stmts) > 0 {
		run, n := leadingRun(stmts)
		if n > 0 {
			runs = append(runs, run)
		}
		stmts = stmts[max(n, 1):]
	}
	return runs
}

// leadingRun returns the declarations of variables at the beginning of statements, and the number
// of these statements.
func leadingRun(stmts []ast.Stmt) (run []*ast.ValueSpec, n int) {
	for ; n < len(stmts) && Variables(stmts[n]) != nil; n++ {
		run = append(run, Variables(stmts[n])...)
	}
	return run, n
}

// Variables returns the declarations of a var statement.
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
