package engine

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"sort"
	"strings"
)

// Functions follow what they mention. When a cell declares a constant, a type or a
// function anew, and differently, the functions of earlier cells that mention it
// are declared again with the cell, as if it held their text; those that change
// thereby have others follow them. So a function means what its names mean
// now. One that does not compile so is left as it was, with a note; but if a
// function that it calls has another signature now, it waits for one that fits.
//
// A variable that is declared anew with another type is followed with the next
// cell: until its statement is done, the older one is there still. Types are not
// followed by types, nor by values: these keep the type that they have.

// A follower is a function of an earlier cell that is declared again.
type follower struct {
	fn *function
	// names are those for which it follows; none of a function that waited.
	names []string
	// late says that it follows variables of the cell before.
	late bool
	// waits names an undeclared function that the body calls, and problems
	// says why else it does not compile.
	waits    string
	problems []string
}

// followers are the functions that follow a cell. Those which do not compile are
// taken from with and put into left.
type followers struct {
	with, left []*follower
}

func (f *followers) has(fn *function) bool {
	is := func(x *follower) bool { return x.fn == fn }
	return slices.ContainsFunc(f.with, is) || slices.ContainsFunc(f.left, is)
}

// join adds the declarations of the followers to a cell.
func (k *checked) join(followers []*follower) {
	if len(followers) == 0 {
		return
	}
	k.again = map[*ast.FuncDecl]*function{}
	if k.parsed.declarations == nil {
		file := &ast.File{Name: ast.NewIdent("main"), Scope: ast.NewScope(nil)}
		if s := k.parsed.statements; s != nil {
			file.FileStart, file.FileEnd = s.FileStart, s.FileEnd
		}
		k.parsed.declarations = file
	}
	for _, f := range followers {
		written := *f.fn.written
		k.again[&written] = f.fn
		k.parsed.declarations.Decls = append(k.parsed.declarations.Decls, &written)
		ast.Inspect(&written, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				k.mentioned[id.Name] = true
			}
			return true
		})
	}
}

// drop takes out the followers that do not compile. It reports whether there
// are some.
func (f *followers) drop(c *checker, problems []problem) bool {
	dropped := false
	for _, q := range problems {
		for i, x := range f.with {
			src, start := c.at(x.fn.written.Pos())
			_, end := c.at(x.fn.written.End())
			if src == nil || src != q.source || q.offset < start || q.offset > end {
				continue
			}
			if name := undeclaredCall(c, x.fn.written, q); name != "" {
				x.waits = name
			} else {
				x.problems = append(x.problems, q.msg)
			}
			f.left = append(f.left, x)
			f.with = slices.Delete(f.with, i, i+1)
			dropped = true
			break
		}
		for _, x := range f.left {
			if src, start := c.at(x.fn.written.Pos()); src == q.source && start <= q.offset && !slices.Contains(x.problems, q.msg) && x.waits == "" {
				if _, end := c.at(x.fn.written.End()); q.offset <= end {
					x.problems = append(x.problems, q.msg)
				}
			}
		}
	}
	return dropped
}

// changed returns the names of constants, types and functions that a cell
// declares anew and differently, and those of such variables.
func (k *checked) changed(s *session) (names, variables map[string]bool) {
	names, variables = map[string]bool{}, map[string]bool{}
	look := func(obj types.Object) {
		if obj == nil || obj.Name() == "_" {
			return
		}
		old := s.live[obj.Name()]
		if old == nil {
			old = s.gone[obj.Name()]
		}
		if old == nil || old.object == obj || sameMeaning(old.object, obj) {
			return
		}
		if _, ok := old.object.(*types.PkgName); ok {
			return
		}
		if _, ok := obj.(*types.Var); ok {
			variables[obj.Name()] = true
		} else {
			names[obj.Name()] = true
		}
	}
	for _, pkg := range k.imported {
		if d := s.live[pkg.Name()]; d != nil && isNewerForm(d.object, pkg.Imported()) {
			names[pkg.Name()] = true
		}
	}
	for _, f := range k.funcs {
		if f.decl.Recv == nil && f.decl.Name.Name != "init" && f.object != nil {
			look(f.object)
		}
	}
	for _, spec := range k.types {
		look(k.info.Defs[spec.Name])
	}
	if k.parsed.declarations != nil {
		for _, d := range k.parsed.declarations.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range g.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok {
					for _, id := range v.Names {
						look(k.info.Defs[id])
					}
				}
			}
		}
	}
	for _, v := range k.variables {
		look(v.global)
	}
	return names, variables
}

// sameMeaning reports whether what mentions an object can go on when another is
// declared in its place.
func sameMeaning(old, obj types.Object) bool {
	if !types.Identical(old.Type(), obj.Type()) {
		return false
	}
	switch obj := obj.(type) {
	case *types.Const:
		was, ok := old.(*types.Const)
		return ok && constant.Compare(was.Val(), token.EQL, obj.Val())
	case *types.Func:
		_, ok := old.(*types.Func)
		return ok
	case *types.TypeName:
		_, ok := old.(*types.TypeName)
		return ok
	case *types.Var:
		_, ok := old.(*types.Var)
		return ok
	}
	return false
}

// why says why a function does not compile.
func (f *follower) why() string {
	if f.waits != "" {
		return "undefined: " + f.waits
	}
	return strings.Join(f.problems, "; ")
}

// following returns the functions that follow a cell which compiles with those that
// are known. Those that mention a variable which the cell declares anew, too,
// are left.
func (known *followers) following(s *session, k *checked) (more []*follower) {
	names, variables := k.changed(s)
	if len(names) == 0 {
		return nil
	}
	for _, fn := range s.all {
		if !s.current(fn) || fn.pending != "" || known.has(fn) || declaresAnew(k.written(), fn) {
			continue
		}
		mentioned := s.mentions(fn, names)
		if len(mentioned) == 0 {
			continue
		}
		f := &follower{fn: fn, names: mentioned}
		if moved := s.mentions(fn, variables); len(moved) > 0 {
			f.problems = []string{"the cell declares the variable " + moved[0] + " anew"}
			known.left = append(known.left, f)
			continue
		}
		more = append(more, f)
	}
	return more
}

// lateFor returns the functions that follow variables of cells before, unless the
// cell declares them or the variables again.
func lateFor(s *session, p *parsed) []*follower {
	if len(s.late) == 0 {
		return nil
	}
	variables := map[string]bool{}
	for _, stmt := range p.body {
		for _, id := range declaredBy(stmt) {
			variables[id.Name] = true
		}
	}
	var out []*follower
	for _, f := range s.late {
		if s.current(f.fn) && f.fn.pending == "" && !declaresAnew(functions(p), f.fn) && len(s.mentions(f.fn, variables)) == 0 {
			out = append(out, &follower{fn: f.fn, names: f.names, late: true})
		}
	}
	return out
}

// current reports whether a function of an earlier cell is what its name means.
func (s *session) current(fn *function) bool {
	if fn.written == nil {
		return false
	}
	if fn.receiver == nil {
		d := s.live[fn.name]
		return d != nil && d.function == fn
	}
	base := receiverBase(fn.written)
	if base == nil {
		return false
	}
	d := s.live[base.Name]
	if d == nil {
		return false
	}
	name, ok := d.object.(*types.TypeName)
	if !ok {
		return false
	}
	owner := s.byObject[ownerOf(name)]
	return owner != nil && owner.spec == fn.receiver
}

// mentions returns which of some names a function mentions as those of
// declarations of the session.
func (s *session) mentions(fn *function, names map[string]bool) []string {
	var out []string
	ast.Inspect(fn.written, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || !names[id.Name] || slices.Contains(out, id.Name) {
			return true
		}
		obj := fn.info.Uses[id]
		if obj == nil {
			return true
		}
		f, _ := obj.(*types.Func)
		_, imported := obj.(*types.PkgName)
		if imported || s.byObject[obj] != nil || f != nil && s.funcs[f.Origin()] != nil && f.Signature().Recv() == nil {
			out = append(out, id.Name)
		}
		return true
	})
	return out
}

// leave decides about the functions that do not compile with what a cell declares.
func (ch *change) leave() {
	names, variables := ch.k.changed(ch.s)
	for _, x := range ch.k.left {
		fn := x.fn
		switch {
		case fn.pending != "":
			if x.waits != "" {
				was := fn.pending
				ch.later(func() { fn.pending = was })
				fn.pending = x.waits
				ch.note("%s calls %s, which no cell has declared yet", fn.name, x.waits)
			} else {
				ch.note("%s does not compile: %s", fn.name, x.why())
			}
		case x.late:
			ch.note("%s keeps the older %s: %s", fn.name, strings.Join(x.names, ", "), x.why())
		default:
			x.names = slices.DeleteFunc(x.names, func(name string) bool { return !names[name] })
			if len(x.names) == 0 {
				continue
			}
			callee := slices.IndexFunc(x.names, func(name string) bool {
				_, ok := ch.k.pkg.Scope().Lookup(name).(*types.Func)
				return ok && ch.s.live[name] != nil && ch.s.live[name].function != nil
			})
			if callee >= 0 {
				ch.breaks(fn, x.names[callee])
				ch.note("%s does not compile any more: %s", fn.name, x.why())
				continue
			}
			ch.note("%s keeps the older %s: %s", fn.name, strings.Join(x.names, ", "), x.why())
		}
	}
	ch.commits = append(ch.commits, func() {
		ch.s.late = slices.DeleteFunc(ch.s.late, func(x *follower) bool {
			return !ch.s.current(x.fn) || slices.ContainsFunc(ch.k.left, func(y *follower) bool { return y.fn == x.fn }) || ch.k.follows(x.fn)
		})
	})
	ch.moved = variables
}

// follows reports whether a function is declared again with the cell.
func (k *checked) follows(fn *function) bool {
	for _, again := range k.again {
		if again == fn {
			return true
		}
	}
	return false
}

// trail has the functions that mention a variable follow it with the next cell.
func (ch *change) trail(name string) {
	if !ch.moved[name] {
		return
	}
	for _, fn := range ch.s.all {
		if ch.s.current(fn) && fn.pending == "" && fn.info != ch.k.info && len(ch.s.mentions(fn, map[string]bool{name: true})) > 0 {
			ch.s.late = append(ch.s.late, &follower{fn: fn, names: []string{name}})
		}
	}
}

func (ch *change) note(format string, args ...any) {
	ch.noted = append(ch.noted, fmt.Sprintf("note: "+format+"\n", args...))
}

// notes says which functions of the cell are pending, and what became of those
// of others.
func (ch *change) notes() []string {
	notes := ch.noted
	for _, fn := range ch.s.all {
		if fn.pending != "" && fn.cell == ch.k.source.cell.Number {
			notes = append(notes, fmt.Sprintf("note: %s calls %s, which no cell has declared yet\n", fn.name, fn.pending))
		}
	}
	sort.Strings(notes)
	return slices.Compact(notes)
}
