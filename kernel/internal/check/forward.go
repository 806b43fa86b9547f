package check

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/hierml/notebook/kernel/internal/state"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// A function may call one that no cell has declared yet. It is pending then: its signature is
// known, its body is neither checked nor lowered, and what calls it is pending too or refused. The
// cell that declares what it waits for has its body checked again.

// CheckSource parses and checks a cell, whose text other cells can recall from now on. The error is
// a *program.Error.
func (c *Checker) CheckSource(src *syntax.Source) (*Checked, error) {
	if cell := src.Cell; !cell.Aside {
		c.Session.Inputs[cell.ExecutionCount()] = cell.Source
	}
	parsed, problems := c.Parse(src)
	if len(problems) > 0 {
		return nil, syntax.ProblemsError("CompileError", problems)
	}
	checked, problems := c.CheckWaiting(parsed)
	if len(problems) > 0 {
		return nil, syntax.ProblemsError("CompileError", c.Explain(problems))
	}
	return checked, nil
}

// CheckWaiting checks a cell. Functions whose only fault is that they call what is not declared yet
// are left pending, and those of earlier cells that waited for what the cell declares follow it, as
// do those that mention what it declares anew (following.go).
func (c *Checker) CheckWaiting(p *Reading) (*Checked, []syntax.Problem) {
	waiting := map[int]string{}
	forgotten, renewed := map[token.Pos]int{}, map[string]bool{}
	follow := &followers{with: append(c.Session.WaitingFor(declaredNames(p.Parsed)), lateFor(c.Session, p.Parsed)...)}
	for first := true; ; first = false {
		if !first {
			// The tree was changed by the check.
			var problems []syntax.Problem
			if p, problems = c.Parse(p.Source); len(problems) > 0 {
				return nil, problems
			}
		}
		known := len(forgotten) + len(renewed)
		k, problems := c.check(p, waiting, follow.with, forgotten, renewed)
		if len(problems) == 0 {
			more := follow.following(c.Session, k)
			if len(more) == 0 {
				k.Left = follow.left
				return k, nil
			}
			follow.with = append(follow.with, more...)
			k.Rollback()
			continue
		}
		if len(forgotten)+len(renewed) > known || follow.drop(c, problems) {
			continue
		}
		more := undeclaredCalls(p.Parsed, c, problems)
		if more == nil {
			return nil, problems
		}
		for offset, name := range more {
			waiting[offset] = name
		}
	}
}

// declaresAnew reports whether one of some declarations is that of a function anew.
func declaresAnew(declarations []*ast.FuncDecl, fn *state.Function) bool {
	base := func(f *ast.FuncDecl) string {
		if f.Recv == nil {
			return ""
		}
		if id := syntax.ReceiverBase(f); id != nil {
			return id.Name
		}
		return ""
	}
	return slices.ContainsFunc(declarations, func(d *ast.FuncDecl) bool {
		return d.Name.Name == fn.Written.Name.Name && base(d) == base(fn.Written)
	})
}

// written returns the declarations of a checked cell's functions.
func (k *Checked) written() []*ast.FuncDecl {
	out := make([]*ast.FuncDecl, len(k.Funcs))
	for i, f := range k.Funcs {
		out[i] = f.Decl
	}
	return out
}

// functions returns the declarations of a parsed cell's functions.
func functions(p *syntax.Parsed) []*ast.FuncDecl {
	var out []*ast.FuncDecl
	if p.Declarations != nil {
		for _, d := range p.Declarations.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				out = append(out, f)
			}
		}
	}
	return out
}

// undeclaredCalls returns the functions of a cell that call undeclared ones, by their offset in the
// file, if that explains all problems. A program has nothing to wait for.
func undeclaredCalls(p *syntax.Parsed, c *Checker, problems []syntax.Problem) map[int]string {
	if p.Declarations == nil || p.Source.Cell.Plain {
		return nil
	}
	out := map[int]string{}
	for _, q := range problems {
		found := false
		for _, d := range p.Declarations.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				if name := undeclaredCall(c, f, q); name != "" {
					out[int(f.Pos()-p.Declarations.FileStart)] = name
					found = true
				}
			}
		}
		if !found {
			return nil
		}
	}
	return out
}

// undeclaredCall returns the name of the undeclared function that a function calls, if that
// explains a problem.
func undeclaredCall(c *Checker, f *ast.FuncDecl, q syntax.Problem) (undeclared string) {
	name, ok := strings.CutPrefix(q.Msg, "undefined: ")
	if !ok || !token.IsIdentifier(name) || f.Body == nil {
		return ""
	}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if id, ok := call.Fun.(*ast.Ident); ok && id.Name == name {
				if src, offset := c.At(id.Pos()); src == q.Source && offset == q.Offset {
					undeclared = name
				}
			}
		}
		return true
	})
	return undeclared
}

// declaredNames returns the names that a cell declares and calls may wait for.
func declaredNames(p *syntax.Parsed) map[string]bool {
	names := map[string]bool{}
	for _, f := range functions(p) {
		if f.Recv == nil {
			names[f.Name.Name] = true
		}
	}
	if p.Declarations != nil {
		for _, d := range p.Declarations.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE {
				for _, spec := range g.Specs {
					names[spec.(*ast.TypeSpec).Name.Name] = true
				}
			}
		}
	}
	for _, stmt := range p.Body {
		for _, id := range syntax.DeclaredBy(stmt) {
			names[id.Name] = true
		}
	}
	return names
}
