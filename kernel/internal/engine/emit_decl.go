package engine

import (
	"fmt"
	"github.com/hierml/notebook/kernel/internal/program"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// A compilation is what a unit declares.
type compilation struct {
	types     []*typeSpec
	constants []*types.Const
	functions []*function
	// variables are new. Moved ones are those of other units whose types are
	// compiled anew, and renewed ones may hold values of such types.
	variables, moved, renewed []*declaration
}

// own returns what the unit of a cell declares: what the cell does, and what
// else is compiled anew for that.
func (u *unit) own() *compilation {
	l := u.l
	set := &compilation{constants: u.declaredConstants()}
	taken := map[string]bool{}
	for _, spec := range l.k.types {
		if d := u.session.byObject[l.k.info.Defs[spec.Name]]; d != nil {
			set.types = append(set.types, d.spec)
			taken[d.name] = true
		}
	}
	for _, v := range l.variables {
		if _, there := u.homes[v.declaration.lowered]; !there && !slices.ContainsFunc(set.variables, func(d *declaration) bool { return d.lowered == v.declaration.lowered }) {
			set.variables = append(set.variables, v.declaration)
		}
	}
	var late []*typeSpec
	for _, fn := range l.queue {
		switch {
		case fn.written == nil:
		case fn.receiver == nil:
			set.functions = append(set.functions, fn)
			taken[fn.name] = true
		case slices.Contains(set.types, fn.receiver), slices.Contains(late, fn.receiver):
		case u.declaredHere(fn):
			late = append(late, fn.receiver)
		}
	}
	var renewed []*function
	for _, f := range l.k.funcs {
		fn := u.session.functionOf(f.object)
		if fn == nil || !fn.generic || fn.receiver != nil || fn.pending != "" || l.kept[fn] {
			continue
		}
		if _, there := u.homes[fn]; there {
			renewed = append(renewed, fn)
		}
		set.functions = append(set.functions, fn)
		taken[fn.name] = true
	}
	for again := len(set.functions) > 0; again; {
		again = false
		for _, fn := range u.session.all {
			if _, there := u.homes[fn]; !there || !fn.generic || fn.receiver != nil || taken[fn.name] || !u.session.current(fn) || !u.bodyMentions(fn, nil, set.functions) {
				continue
			}
			set.functions, renewed = append(set.functions, fn), append(renewed, fn)
			taken[fn.name], again = true, true
		}
	}
	if len(late)+len(renewed) > 0 {
		u.addDependants(set, late, renewed, taken)
	}
	return set
}

// declaredHere reports whether the cell declares a function, or declares it again
// for what it mentions.
func (u *unit) declaredHere(fn *function) bool {
	return slices.ContainsFunc(u.l.k.funcs, func(f *checkedFunc) bool { return f.decl == fn.written })
}

func (u *unit) declaredConstants() []*types.Const {
	var out []*types.Const
	if u.l.k.declarations == nil {
		return nil
	}
	for _, d := range u.l.k.declarations.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, s := range g.Specs {
			for _, id := range s.(*ast.ValueSpec).Names {
				if c, ok := u.l.k.info.Defs[id].(*types.Const); ok && id.Name != "_" {
					out = append(out, c)
				}
			}
		}
	}
	return out
}

// addDependants adds types that are compiled anew, and what mentions them or
// generic functions that are declared again, which no variable can hold.
func (u *unit) addDependants(set *compilation, late []*typeSpec, functions []*function, taken map[string]bool) {
	anew := map[types.Object]bool{}
	add := func(spec *typeSpec) {
		if spec.object != nil && !anew[spec.object] && !slices.Contains(set.types, spec) {
			anew[spec.object] = true
			set.types = append(set.types, spec)
		}
	}
	for _, spec := range late {
		add(spec)
	}
	for again := true; again; {
		count := len(set.types) + len(set.functions)
		for _, d := range u.session.byObject {
			if d.spec != nil && d.object == types.Object(d.spec.object) && u.homes[d.object] != (home{}) && !anew[d.object] && u.mentionsAny(d.spec, anew, functions) {
				add(d.spec)
			}
		}
		for _, fn := range u.session.all {
			if fn.receiver != nil || fn.pending != "" || !u.session.current(fn) || taken[fn.name] || slices.Contains(set.functions, fn) {
				continue
			}
			if u.bodyMentions(fn, anew, functions) {
				functions = append(functions, fn)
				set.functions = append(set.functions, fn)
			}
		}
		again = len(set.types)+len(set.functions) > count
	}
	slices.SortFunc(set.types, func(a, b *typeSpec) int { return strings.Compare(a.lowered, b.lowered) })
	seen := map[string]bool{}
	for _, d := range u.session.byObject {
		v, ok := d.object.(*types.Var)
		if h, there := u.homes[d.lowered]; !ok || d.lost != "" || seen[d.lowered] || !there || h.path == u.path {
			continue
		}
		seen[d.lowered] = true
		if _, basic := v.Type().Underlying().(*types.Basic); holdsAny(v.Type(), anew) {
			set.moved = append(set.moved, d)
		} else if !basic {
			set.renewed = append(set.renewed, d)
		}
	}
	byName := func(a, b *declaration) int { return strings.Compare(a.lowered, b.lowered) }
	slices.SortFunc(set.moved, byName)
	slices.SortFunc(set.renewed, byName)
}

// mentionsAny reports whether a type, or one of its methods, mentions types or
// functions that are compiled anew.
func (u *unit) mentionsAny(spec *typeSpec, anew map[types.Object]bool, functions []*function) bool {
	if u.nodeMentions(spec.node, spec.info, anew, functions) {
		return true
	}
	for _, m := range spec.methods {
		if u.bodyMentions(m, anew, functions) {
			return true
		}
	}
	return false
}

func (u *unit) bodyMentions(fn *function, anew map[types.Object]bool, functions []*function) bool {
	return fn.written != nil && u.nodeMentions(fn.written, fn.info, anew, functions)
}

func (u *unit) nodeMentions(n ast.Node, info *types.Info, anew map[types.Object]bool, functions []*function) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || found {
			return !found
		}
		switch obj := info.Uses[id].(type) {
		case *types.TypeName:
			found = anew[obj]
		case *types.Func:
			fn := u.session.functionOf(obj)
			found = fn != nil && slices.Contains(functions, fn)
		case *types.Var:
			found = u.session.byObject[obj] != nil && holdsAny(obj.Type(), anew)
		}
		return !found
	})
	return found
}

// holdsAny reports whether a type is written with one of some declared types.
func holdsAny(t types.Type, declared map[types.Object]bool) bool {
	names := map[types.Object]bool{}
	namesOf(t, names)
	for name := range names {
		if declared[name] {
			return true
		}
	}
	return false
}

// claim gives everything that the unit declares its place.
func (u *unit) claim(set *compilation) {
	name := func(name string) string {
		unique := name
		for n := 2; u.names[unique]; n++ {
			unique = fmt.Sprintf("%s%d%s", name, n, mark)
		}
		u.names[unique] = true
		return unique
	}
	for _, spec := range set.types {
		u.settle(types.Object(spec.object), home{path: u.path, name: name(spec.object.Name())})
	}
	// What the emission writes means Go's own names.
	hidden := func(of string) string {
		if types.Universe.Lookup(of) != nil {
			return name(of + mark)
		}
		return name(of)
	}
	for _, c := range set.constants {
		u.settle(types.Object(c), home{path: u.path, name: hidden(c.Name())})
	}
	for _, d := range set.variables {
		u.settle(d.lowered, home{path: u.path, name: hidden(d.name)})
	}
	for _, d := range set.moved {
		old := u.homes[d.lowered]
		h := home{path: u.path, name: hidden(d.name), indirect: true}
		u.settle(d.lowered, h)
		u.moved = append(u.moved, program.Moved{Name: d.name, Unit: u.path, Variable: h.name, FromUnit: old.path, FromVariable: old.name})
	}
	for _, d := range set.renewed {
		h := u.homes[d.lowered]
		u.moved = append(u.moved, program.Moved{Name: d.name, Unit: h.path, Variable: h.name, FromUnit: h.path, FromVariable: h.name})
	}
	for _, fn := range set.functions {
		own := hidden(fn.name)
		if fn.base == "init" {
			own = name("init" + mark)
			_, offset := u.within(fn.written.Pos())
			u.inits = append(u.inits, initCall{offset, own + "()\n"})
		}
		u.settle(fn, home{path: u.path, name: own})
		if fn.generic || fn.base == "init" {
			continue
		}
		u.followed(fn, own, name)
	}
}

// followed has the variables that hold a function hold the version that the
// unit declares under a name.
func (u *unit) followed(fn *function, own string, unique func(string) string) {
	held := u.heldType(fn)
	there := false
	for _, holder := range u.holders[fn] {
		there = holder.typ == held
		same := there
		u.setup = append(u.setup, func() string {
			if same {
				return u.refer(holder.home) + " = " + own + "\n"
			}
			// The types in the signature were others, of the same form.
			return fmt.Sprintf("*(*func%s)(%s.Pointer(&%s)) = %s\n", u.signature(signatureOf(fn)), u.alias("unsafe", "unsafe"), u.refer(holder.home), own)
		})
	}
	if !there {
		u.hold(fn, holder{home{path: u.path, name: unique(mark + own)}, held})
	}
}

// heldType tells the type of a function by where the types in it are.
func (u *unit) heldType(fn *function) string {
	s := spelling{
		typeName:    func(obj *types.TypeName) string { h := u.homes[obj]; return h.path + "." + h.name },
		packageName: func(path, _ string) string { return path },
	}
	return s.signature(signatureOf(fn))
}

// declare writes the declarations.
func (u *unit) declare(set *compilation) {
	for _, spec := range set.types {
		u.declareType(spec)
	}
	for _, c := range set.constants {
		typ := ""
		if b, ok := c.Type().(*types.Basic); !ok || b.Info()&types.IsUntyped == 0 {
			typ = u.typ(c.Type())
		}
		u.parts = append(u.parts, fmt.Sprintf("%sconst %s %s = %s\n", generated, u.homes[c].name, typ, constantText(c.Val(), c.Type())))
	}
	for _, d := range set.variables {
		h := u.homes[d.lowered]
		u.l.pos = d.object.Pos()
		u.parts = append(u.parts, fmt.Sprintf("%svar %s %s\n", generated, h.name, u.typ(d.object.Type())))
		u.variables = append(u.variables, h.name)
	}
	for _, d := range set.moved {
		h := u.homes[d.lowered]
		u.parts = append(u.parts, fmt.Sprintf("%svar %s *%s\n", generated, h.name, u.typ(d.object.Type())))
		u.pointers = append(u.pointers, h.name)
	}
	for _, fn := range set.functions {
		u.declareFunction(fn)
	}
}

// declareType writes a type and its methods.
func (u *unit) declareType(spec *typeSpec) {
	h := u.homes[spec.object]
	u.parts = append(u.parts, u.line(spec.node)+"type "+u.declaration(spec.node, spec.node.Name, h.name, setting{info: spec.info})+"\n")
	var methods []*function
	for _, m := range spec.methods {
		if m.pending == "" && m.written != nil {
			methods = append(methods, m)
		}
	}
	slices.SortFunc(methods, func(a, b *function) int { return strings.Compare(a.method, b.method) })
	for _, m := range methods {
		u.parts = append(u.parts, u.line(m.written)+u.declaration(m.written, nil, "", setting{info: m.info, outlives: true})+"\n")
	}
	if i, ok := spec.object.Type().Underlying().(*types.Interface); spec.object.IsAlias() || spec.node.TypeParams != nil || ok && !i.IsMethodSet() {
		return
	}
	u.types = append(u.types, fmt.Sprintf("%q: %s.TypeFor[%s]()", spec.lowered, u.alias("reflect", "reflect"), h.name))
}

// declareFunction writes a function, and the variable by which others follow
// it.
func (u *unit) declareFunction(fn *function) {
	h := u.homes[fn]
	u.parts = append(u.parts, u.line(fn.written)+u.declaration(fn.written, fn.written.Name, h.name, setting{info: fn.info})+"\n")
	if fn.generic || fn.base == "init" {
		return
	}
	if last := u.holders[fn][len(u.holders[fn])-1]; last.path == u.path {
		u.parts = append(u.parts, fmt.Sprintf("%svar %s = %s\n", generated, last.name, h.name))
	}
}

// declaration writes a declaration under another name.
func (u *unit) declaration(n ast.Node, id *ast.Ident, name string, p setting) string {
	if id == nil || id.Name == name {
		return u.text(n, p)
	}
	_, offset := u.within(id.Pos())
	return u.text(n, p, edit{offset, offset + len(id.Name), name})
}
