package syntax

import (
	"cmp"
	"go/ast"
	"go/token"
	"slices"
)

// The variables that declarations at the top of a cell declare one after the other, with no other
// statement between, are initialized as those of a package: each after those that its value
// mentions, be it through functions of the cell.

// initialOrder sorts declarations of variables so that each stands behind those that it mentions.
// Names that the parser has found in no inner scope are taken for those of the package: at worst a
// variable waits for one that it does not need, which the check knows better.
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

// SortVariables returns statements with the declarations of variables in each uninterrupted run of
// them in the order of initialization: the first that needs none which is still to come, again and
// again, as they are written. Of those that need each other in a circle the first comes first.
// dependencies returns for the declarations of a run what says which of them one needs.
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

// declaring returns a statement that declares what one declaration of a statement does.
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

// leadingRun returns the declarations of variables that statements begin with, and how many
// statements that are.
func leadingRun(stmts []ast.Stmt) (run []*ast.ValueSpec, n int) {
	for ; n < len(stmts) && Variables(stmts[n]) != nil; n++ {
		run = append(run, Variables(stmts[n])...)
	}
	return run, n
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
