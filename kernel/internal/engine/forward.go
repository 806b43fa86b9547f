package engine

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// A function may call one that no cell has declared yet. It is pending then:
// its signature is known, its body is neither checked nor lowered, and what
// calls it is pending too or refused. The cell that declares what it waits for
// has its body checked again.

// checkWaiting checks a cell. Functions whose only fault is that they call
// what is not declared yet are left pending, and those of earlier cells that
// waited for what the cell declares follow it, as do those that mention what it
// declares anew (following.go).
func (c *checker) checkWaiting(p *reading) (*checked, []problem) {
	waiting := map[int]string{}
	forgotten, renewed := map[token.Pos]bool{}, map[string]bool{}
	follow := &followers{with: append(c.session.waitingFor(declaredNames(p.parsed)), lateFor(c.session, p.parsed)...)}
	for first := true; ; first = false {
		if !first {
			// The tree was changed by the check.
			var problems []problem
			if p, problems = c.parse(p.source); len(problems) > 0 {
				return nil, problems
			}
		}
		known := len(forgotten) + len(renewed)
		k, problems := c.check(p, waiting, follow.with, forgotten, renewed)
		if len(problems) == 0 {
			more := follow.following(c.session, k)
			if len(more) == 0 {
				k.left = follow.left
				return k, nil
			}
			follow.with = append(follow.with, more...)
			k.rollback()
			continue
		}
		if len(forgotten)+len(renewed) > known || follow.drop(c, problems) {
			continue
		}
		more := undeclaredCalls(p.parsed, c, problems)
		if more == nil {
			return nil, problems
		}
		for offset, name := range more {
			waiting[offset] = name
		}
	}
}

// declaresAnew reports whether one of some declarations is that of a function
// anew.
func declaresAnew(declarations []*ast.FuncDecl, fn *function) bool {
	base := func(f *ast.FuncDecl) string {
		if f.Recv == nil {
			return ""
		}
		if id := receiverBase(f); id != nil {
			return id.Name
		}
		return ""
	}
	return slices.ContainsFunc(declarations, func(d *ast.FuncDecl) bool {
		return d.Name.Name == fn.written.Name.Name && base(d) == base(fn.written)
	})
}

// written returns the declarations of a checked cell's functions.
func (k *checked) written() []*ast.FuncDecl {
	out := make([]*ast.FuncDecl, len(k.funcs))
	for i, f := range k.funcs {
		out[i] = f.decl
	}
	return out
}

// functions returns the declarations of a parsed cell's functions.
func functions(p *parsed) []*ast.FuncDecl {
	var out []*ast.FuncDecl
	if p.declarations != nil {
		for _, d := range p.declarations.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				out = append(out, f)
			}
		}
	}
	return out
}

// undeclaredCalls returns the functions of a cell that call undeclared ones,
// by their offset in the file, if that explains all problems.
func undeclaredCalls(p *parsed, c *checker, problems []problem) map[int]string {
	if p.declarations == nil {
		return nil
	}
	out := map[int]string{}
	for _, q := range problems {
		found := false
		for _, d := range p.declarations.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				if name := undeclaredCall(c, f, q); name != "" {
					out[int(f.Pos()-p.declarations.FileStart)] = name
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

// undeclaredCall returns the name of the undeclared function that a function
// calls, if that explains a problem.
func undeclaredCall(c *checker, f *ast.FuncDecl, q problem) (undeclared string) {
	name, ok := strings.CutPrefix(q.msg, "undefined: ")
	if !ok || !token.IsIdentifier(name) || f.Body == nil {
		return ""
	}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if id, ok := call.Fun.(*ast.Ident); ok && id.Name == name {
				if src, offset := c.at(id.Pos()); src == q.source && offset == q.offset {
					undeclared = name
				}
			}
		}
		return true
	})
	return undeclared
}

// declaredNames returns the names that a cell declares and calls may wait for.
func declaredNames(p *parsed) map[string]bool {
	names := map[string]bool{}
	for _, f := range functions(p) {
		if f.Recv == nil {
			names[f.Name.Name] = true
		}
	}
	if p.declarations != nil {
		for _, d := range p.declarations.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE {
				for _, spec := range g.Specs {
					names[spec.(*ast.TypeSpec).Name.Name] = true
				}
			}
		}
	}
	for _, stmt := range p.body {
		for _, id := range declaredBy(stmt) {
			names[id.Name] = true
		}
	}
	return names
}

// waitingFor returns the pending functions that wait for one of the names, or
// for a function that does.
func (s *session) waitingFor(names map[string]bool) []*follower {
	var out []*follower
	taken := map[*function]bool{}
	for more := true; more; {
		more = false
		for _, fn := range s.all {
			if fn.pending != "" && !taken[fn] && names[fn.pending] && s.current(fn) && !names[fn.name] {
				taken[fn], more = true, true
				names[fn.name] = true
				out = append(out, &follower{fn: fn})
			}
		}
	}
	return out
}

// breaks makes pending what does not compile with a new declaration, and
// what calls that.
func (ch *change) breaks(fn *function, waitsFor string) {
	if fn.pending != "" {
		return
	}
	was := *fn
	ch.later(func() { *fn = was })
	fn.pending, fn.emitted = waitsFor, false
	for _, g := range ch.s.all {
		if g.calls[fn] {
			ch.breaks(g, fn.name)
		}
	}
}

// spreadWaiting makes pending what calls pending functions.
func (ch *change) spreadWaiting() {
	for more := true; more; {
		more = false
		for _, f := range append([]*function(nil), ch.queue...) {
			if f.pending != "" {
				continue
			}
			if name := ch.waits(f); name != "" {
				was := f.pending
				ch.later(func() { f.pending = was })
				f.pending = name
				more = true
			}
		}
	}
	kept := ch.queue[:0]
	for _, f := range ch.queue {
		if f.pending == "" {
			kept = append(kept, f)
		}
	}
	ch.queue = kept
}

// waits returns the name of a pending function that a body mentions.
func (ch *change) waits(f *function) (name string) {
	ast.Inspect(f.decl.Body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			if obj, ok := f.info.Uses[id].(*types.Func); ok {
				if callee := ch.s.funcs[obj.Origin()]; callee != nil && callee.pending != "" {
					name = callee.name
				}
			}
		}
		return name == ""
	})
	return name
}

// ready refuses a call of a pending function.
func (ch *change) ready(fn *function) {
	if fn.pending != "" {
		ch.unready = true
		ch.refuse(ch.pos, ch.wait(fn))
	}
}

// wait says what a pending function waits for.
func (ch *change) wait(fn *function) string {
	text := fn.name
	seen := map[*function]bool{}
	for !seen[fn] {
		seen[fn] = true
		text += " calls " + fn.pending
		d := ch.s.live[fn.pending]
		if d == nil || d.function == nil {
			return fmt.Sprintf("undefined: %s (%s, which no cell has declared yet)", fn.pending, text)
		}
		if d.function.pending == "" {
			return text + ", and does not compile with it as it is declared now"
		}
		fn = d.function
		text += ", which"
	}
	return text + " waits for itself"
}
