package engine

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"sort"
	"strings"
)

// A function may call one that no cell has declared yet. It is pending then:
// its signature is known, its body is neither checked nor lowered, and what
// calls it is pending too or refused. The cell that declares what it waits for
// has its body checked again.

// checkWaiting checks a cell. Functions whose only fault is that they call
// what is not declared yet are left pending, and those of earlier cells that
// waited for what the cell declares are taken up again. So are the callers of
// a function that the cell declares with another signature: those that do not
// compile with it wait for one that they do.
func (c *checker) checkWaiting(p *parsed) (*checked, []problem) {
	resumed := c.session.waitingFor(declaredNames(p))
	waiting := map[int]string{}
	var callers, broken []*function
	var reasons []string
	forgotten := map[token.Pos]bool{}
	for first := true; ; first = false {
		if !first {
			// The tree was changed by the check.
			var problems []problem
			if p, problems = c.parse(p.source.cell); len(problems) > 0 {
				return nil, problems
			}
		}
		known := len(forgotten)
		k, problems := c.check(p, waiting, resumed, forgotten)
		if len(problems) == 0 {
			if callers == nil {
				if callers = c.session.callersOfChanged(k); len(callers) > 0 {
					resumed = append(resumed, callers...)
					k.rollback()
					continue
				}
			}
			k.broken, k.reasons = broken, reasons
			return k, nil
		}
		if len(forgotten) > known {
			continue
		}
		more := undeclaredCalls(p, c, problems)
		foreign := false
		for _, q := range problems {
			if q.source != p.source {
				foreign = true
				reasons = append(reasons, q.msg)
			}
		}
		switch {
		case foreign:
			// A function of an earlier cell does not compile with what was
			// declared: it goes on waiting.
			broken, resumed = callers, nil
		case more != nil:
			for offset, name := range more {
				waiting[offset] = name
			}
		default:
			return nil, problems
		}
	}
}

// callersOfChanged returns the functions that call one which the cell
// declares with another signature than it had. The result is not nil.
func (s *session) callersOfChanged(k *checked) []*function {
	out := []*function{}
	for _, f := range k.funcs {
		if f.decl.Recv != nil || f.object == nil || f.resumed != nil {
			continue
		}
		old := s.live[f.decl.Name.Name]
		if old == nil || old.function == nil || old.function.generic || types.Identical(old.object.Type(), f.object.Type()) {
			continue
		}
		for _, fn := range s.all {
			if fn.calls[old.function] && fn != old.function && fn.pending == "" && !declaresAnew(k, fn) {
				out = append(out, fn)
			}
		}
	}
	return out
}

// declaresAnew reports whether the cell itself declares a function again.
func declaresAnew(k *checked, fn *function) bool {
	for _, f := range k.funcs {
		if f.decl.Recv == nil && f.decl.Name.Name == fn.name {
			return true
		}
	}
	return false
}

// undeclaredCalls returns the functions of a cell that call undeclared ones,
// by their offset in the file, if that explains all problems.
func undeclaredCalls(p *parsed, c *checker, problems []problem) map[int]string {
	if p.declarations == nil {
		return nil
	}
	out := map[int]string{}
	for _, q := range problems {
		name, ok := strings.CutPrefix(q.msg, "undefined: ")
		if !ok || !token.IsIdentifier(name) {
			return nil
		}
		found := false
		for _, d := range p.declarations.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			ast.Inspect(f.Body, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				if id, ok := call.Fun.(*ast.Ident); ok && id.Name == name {
					if _, offset := c.at(id.Pos()); offset == q.offset {
						out[int(f.Pos()-p.declarations.FileStart)] = name
						found = true
					}
				}
				return true
			})
		}
		if !found {
			return nil
		}
	}
	return out
}

// declaredNames returns the names of the functions that a cell declares.
func declaredNames(p *parsed) map[string]bool {
	names := map[string]bool{}
	if p.declarations != nil {
		for _, d := range p.declarations.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
				names[f.Name.Name] = true
			}
		}
	}
	return names
}

// waitingFor returns the pending functions that wait for one of the names, or
// for a function that does.
func (s *session) waitingFor(names map[string]bool) []*function {
	var out []*function
	taken := map[*function]bool{}
	for more := true; more; {
		more = false
		for _, fn := range s.all {
			if fn.pending != "" && !taken[fn] && names[fn.pending] && fn.source != nil {
				taken[fn], more = true, true
				names[fn.name] = true
				out = append(out, fn)
			}
		}
	}
	return out
}

// resume adds the body of a pending function to a cell.
func (c *checker) resume(k *checked, fn *function) {
	body := *fn.decl
	if fn.source != nil {
		body.Body = fn.source
	}
	body.Name = &ast.Ident{NamePos: fn.decl.Name.NamePos, Name: fmt.Sprintf("%s·resumed", fn.decl.Name.Name)}
	k.funcs = append(k.funcs, &checkedFunc{decl: &body, body: &body, resumed: fn})
	ast.Inspect(&body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			k.mentioned[id.Name] = true
		}
		return true
	})
}

// resume makes a function what its body, checked at last, says.
func (l *lowering) resume(f *checkedFunc) {
	fn := f.resumed
	was := *fn
	l.later(func() { *fn = was })
	fn.decl, fn.info, fn.pending, fn.calls = f.body, l.k.info, "", map[*function]bool{}
	switch {
	case fn.generic:
	case fn.emitted:
		l.relower(fn)
	default:
		l.need(fn)
	}
}

// breaks makes pending what does not compile with a new declaration, and
// what calls that.
func (l *lowering) breaks(fn *function, waitsFor string) {
	if fn.pending != "" {
		return
	}
	was := *fn
	l.later(func() { *fn = was })
	fn.pending, fn.source, fn.emitted = waitsFor, fn.decl.Body, false
	for _, g := range l.s.all {
		if g.calls[fn] {
			l.breaks(g, fn.name)
		}
	}
}

// spreadWaiting makes pending what calls pending functions.
func (l *lowering) spreadWaiting() {
	for more := true; more; {
		more = false
		for _, f := range append([]*function(nil), l.queue...) {
			if f.pending != "" {
				continue
			}
			if name := l.waits(f); name != "" {
				was := f.pending
				l.later(func() { f.pending = was })
				f.pending, f.source = name, f.decl.Body
				more = true
			}
		}
	}
	kept := l.queue[:0]
	for _, f := range l.queue {
		if f.pending == "" {
			kept = append(kept, f)
		}
	}
	l.queue = kept
}

// waits returns the name of a pending function that a body mentions.
func (l *lowering) waits(f *function) (name string) {
	ast.Inspect(f.decl.Body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			if obj, ok := f.info.Uses[id].(*types.Func); ok {
				if callee := l.s.funcs[obj.Origin()]; callee != nil && callee.pending != "" {
					name = callee.name
				}
			}
		}
		return name == ""
	})
	return name
}

// ready refuses a call of a pending function.
func (l *lowering) ready(fn *function) {
	if fn.pending != "" {
		l.refuse(l.pos, l.wait(fn))
	}
}

// wait says what a pending function waits for.
func (l *lowering) wait(fn *function) string {
	text := fn.name
	seen := map[*function]bool{}
	for !seen[fn] {
		seen[fn] = true
		text += " calls " + fn.pending
		d := l.s.live[fn.pending]
		if d == nil || d.function == nil {
			return text + ", which no cell has declared yet"
		}
		if d.function.pending == "" {
			return text + ", and does not compile with it as it is declared now"
		}
		fn = d.function
		text += ", which"
	}
	return text + " waits for itself"
}

// notes says which functions of the cell are pending, and which of others it
// made so.
func (l *lowering) notes() []string {
	var notes []string
	for _, fn := range l.s.all {
		if fn.pending != "" && fn.cell == l.k.source.cell.Number {
			notes = append(notes, fmt.Sprintf("note: %s calls %s, which no cell has declared yet\n", fn.name, fn.pending))
		}
	}
	sort.Strings(notes)
	for _, fn := range l.k.broken {
		notes = append(notes, fmt.Sprintf("note: %s does not compile any more: %s\n", fn.name, strings.Join(l.k.reasons, "; ")))
	}
	return notes
}
