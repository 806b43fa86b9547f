package emit

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hierml/notebook/kernel/internal/change"
	"github.com/hierml/notebook/kernel/internal/check"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/state"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// A compilation is the declarations of a unit.
type compilation struct {
	types     []*state.TypeSpec
	constants []*types.Const
	functions []*state.Function
	// variables are new. Moved ones are those of other units whose types are compiled again, and
	// renewed ones may hold values of such types.
	variables, moved, renewed []*state.Declaration
}

// own returns the declarations of the cell's unit: those of the cell, and others that must be
// compiled again for them.
func (u *Unit) own() *compilation {
	l := u.l
	set := &compilation{constants: u.declaredConstants()}
	taken := map[string]bool{}
	for _, spec := range l.K.Types {
		if d := u.Session.ByObject[l.K.Info.Defs[spec.Name]]; d != nil {
			set.types = append(set.types, d.Spec)
			taken[d.Name] = true
		}
	}
	for _, v := range l.Variables {
		if _, there := u.homes[v.Declaration.Lowered]; !there && !slices.ContainsFunc(set.variables, func(d *state.Declaration) bool { return d.Lowered == v.Declaration.Lowered }) {
			set.variables = append(set.variables, v.Declaration)
		}
	}
	var late []*state.TypeSpec
	for _, fn := range l.Queue {
		switch {
		case fn.Written == nil:
		case fn.Receiver == nil:
			set.functions = append(set.functions, fn)
			taken[fn.Name] = true
		case slices.Contains(set.types, fn.Receiver), slices.Contains(late, fn.Receiver):
		case u.declaredHere(fn):
			late = append(late, fn.Receiver)
		}
	}
	var renewed []*state.Function
	for _, f := range l.K.Funcs {
		fn := u.Session.FunctionOf(f.Object)
		if fn != nil && fn.Receiver != nil && (fn.Pending != nil || fn.Generic && !l.Kept[fn]) && !slices.Contains(set.types, fn.Receiver) && !slices.Contains(late, fn.Receiver) {
			late = append(late, fn.Receiver)
		}
		if fn == nil || !fn.Generic || fn.Receiver != nil || fn.Pending != nil || l.Kept[fn] {
			continue
		}
		if _, there := u.homes[fn]; there {
			renewed = append(renewed, fn)
		}
		set.functions = append(set.functions, fn)
		taken[fn.Name] = true
	}
	for again := len(set.functions) > 0; again; {
		again = false
		for _, fn := range u.Session.All {
			if _, there := u.homes[fn]; !there || !fn.Generic || fn.Receiver != nil || taken[fn.Name] || !u.Session.Current(fn) || !u.bodyMentions(fn, nil, set.functions) {
				continue
			}
			set.functions, renewed = append(set.functions, fn), append(renewed, fn)
			taken[fn.Name], again = true, true
		}
	}
	if len(late)+len(renewed) > 0 {
		u.addDependants(set, late, renewed, taken)
	}
	return set
}

// declaredHere reports whether the cell declares a function, or declares it again because of a name
// that it mentions.
func (u *Unit) declaredHere(fn *state.Function) bool {
	return slices.ContainsFunc(u.l.K.Funcs, func(f *check.Func) bool { return f.Decl == fn.Written })
}

func (u *Unit) declaredConstants() []*types.Const {
	var out []*types.Const
	if u.l.K.Declarations == nil {
		return nil
	}
	for _, d := range u.l.K.Declarations.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, s := range g.Specs {
			for _, id := range s.(*ast.ValueSpec).Names {
				if c, ok := u.l.K.Info.Defs[id].(*types.Const); ok && id.Name != "_" {
					out = append(out, c)
				}
			}
		}
	}
	return out
}

// addDependants adds the types that the unit declares again, and everything that mentions them or
// the generic functions that it declares again: types, constants, functions and variables.
func (u *Unit) addDependants(set *compilation, late []*state.TypeSpec, functions []*state.Function, taken map[string]bool) {
	anew := map[types.Object]bool{}
	add := func(spec *state.TypeSpec) {
		if spec.Object != nil && !anew[spec.Object] && !slices.Contains(set.types, spec) {
			anew[spec.Object] = true
			set.types = append(set.types, spec)
		}
	}
	for _, spec := range late {
		add(spec)
	}
	for again := true; again; {
		count := len(set.types) + len(set.functions)
		for _, d := range u.Session.ByObject {
			if d.Spec != nil && d.Object == types.Object(d.Spec.Object) && u.homes[d.Object] != (home{}) && !anew[d.Object] && u.mentionsAny(d.Spec, anew, functions) {
				add(d.Spec)
			}
		}
		for _, fn := range u.Session.All {
			if fn.Receiver != nil || fn.Pending != nil || !u.Session.Current(fn) || taken[fn.Name] || slices.Contains(set.functions, fn) {
				continue
			}
			if u.bodyMentions(fn, anew, functions) {
				functions = append(functions, fn)
				set.functions = append(set.functions, fn)
			}
		}
		again = len(set.types)+len(set.functions) > count
	}
	slices.SortFunc(set.types, func(a, b *state.TypeSpec) int { return strings.Compare(a.Lowered, b.Lowered) })
	set.constants = append(set.constants, u.constantsOf(anew)...)
	var lost []*state.Declaration
	seen := map[string]bool{}
	for _, d := range u.Session.ByObject {
		v, ok := d.Object.(*types.Var)
		if h, there := u.homes[d.Lowered]; !ok || seen[d.Lowered] || !there || h.path == u.path {
			continue
		}
		seen[d.Lowered] = true
		if d.Lost != "" {
			if holdsAny(v.Type(), anew) {
				lost = append(lost, d) // functions may mention it, but it has no value
			}
		} else if _, basic := v.Type().Underlying().(*types.Basic); holdsAny(v.Type(), anew) {
			set.moved = append(set.moved, d)
		} else if !basic {
			set.renewed = append(set.renewed, d)
		}
	}
	byName := func(a, b *state.Declaration) int { return strings.Compare(a.Lowered, b.Lowered) }
	slices.SortFunc(lost, byName)
	set.variables = append(set.variables, lost...)
	slices.SortFunc(set.moved, byName)
	slices.SortFunc(set.renewed, byName)
}

// constantsOf returns the constants of earlier units whose types are among some declared ones.
func (u *Unit) constantsOf(declared map[types.Object]bool) []*types.Const {
	var list []*state.Declaration
	for obj, d := range u.Session.ByObject {
		if h, there := u.homes[obj]; there && h.path != u.path && holdsAny(obj.Type(), declared) {
			if _, ok := obj.(*types.Const); ok {
				list = append(list, d)
			}
		}
	}
	slices.SortFunc(list, func(a, b *state.Declaration) int {
		return cmp.Or(cmp.Compare(a.Cell, b.Cell), cmp.Compare(a.Object.Pos(), b.Object.Pos()))
	})
	out := make([]*types.Const, len(list))
	for i, d := range list {
		out[i] = d.Object.(*types.Const)
	}
	return out
}

// mentionsAny reports whether a type, or one of its methods, mentions types or functions that are
// compiled again.
func (u *Unit) mentionsAny(spec *state.TypeSpec, anew map[types.Object]bool, functions []*state.Function) bool {
	if u.nodeMentions(spec.Node, spec.Info, anew, functions) {
		return true
	}
	for _, m := range spec.Methods {
		if u.bodyMentions(m, anew, functions) {
			return true
		}
	}
	return false
}

func (u *Unit) bodyMentions(fn *state.Function, anew map[types.Object]bool, functions []*state.Function) bool {
	return fn.Written != nil && u.nodeMentions(fn.Written, fn.Info, anew, functions)
}

func (u *Unit) nodeMentions(n ast.Node, info *types.Info, anew map[types.Object]bool, functions []*state.Function) bool {
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
			fn := u.Session.FunctionOf(obj)
			found = fn != nil && slices.Contains(functions, fn)
		case *types.Var, *types.Const:
			found = u.Session.ByObject[obj] != nil && holdsAny(obj.Type(), anew)
		}
		return !found
	})
	return found
}

// holdsAny reports whether a type contains one of some declared types.
func holdsAny(t types.Type, declared map[types.Object]bool) bool {
	names := map[types.Object]bool{}
	state.NamesOf(t, names)
	for name := range names {
		if declared[name] {
			return true
		}
	}
	return false
}

// claim gives everything that the unit declares its place.
func (u *Unit) claim(set *compilation) {
	name := func(name string) string {
		unique := name
		for n := 2; u.names[unique]; n++ {
			unique = fmt.Sprintf("%s%s%d%s", strings.TrimSuffix(name, Mark), Mark, n, Mark)
		}
		u.names[unique] = true
		return unique
	}
	// Go's own functions and constants have no other names. Its types have (package cell), so a
	// user's type with such a name may keep it, which shows when a program prints it.
	hidden := func(of string) string {
		if types.Universe.Lookup(of) != nil {
			return name(of + Mark)
		}
		return name(of)
	}
	variable := func(of string) string {
		if of == "init" || of == "main" { // in a package only functions have these names
			return name(of + Mark)
		}
		return hidden(of)
	}
	for _, spec := range set.types {
		own := spec.Object.Name()
		if _, ok := types.Universe.Lookup(own).(*types.TypeName); ok {
			own = name(own)
		} else {
			own = hidden(own)
		}
		if _, there := u.homes[types.Object(spec.Object)]; there {
			u.renews = true
		} else if spec.Node.TypeParams != nil {
			u.generics = append(u.generics, strconv.Quote(spec.Object.Name()))
		}
		u.settle(types.Object(spec.Object), home{path: u.path, name: own})
	}
	for _, c := range set.constants {
		u.settle(types.Object(c), home{path: u.path, name: hidden(c.Name())})
	}
	for _, d := range set.variables {
		u.settle(d.Lowered, home{path: u.path, name: variable(d.Name)})
	}
	for _, d := range set.moved {
		old := u.homes[d.Lowered]
		h := home{path: u.path, name: variable(d.Name), indirect: true}
		u.settle(d.Lowered, h)
		u.moved = append(u.moved, program.Moved{Name: d.Name, Unit: u.path, Variable: h.name, FromUnit: old.path, FromVariable: old.name})
	}
	for _, d := range set.renewed {
		h := u.homes[d.Lowered]
		u.moved = append(u.moved, program.Moved{Name: d.Name, Unit: h.path, Variable: h.name, FromUnit: h.path, FromVariable: h.name})
	}
	for _, fn := range set.functions {
		own := ""
		if fn.Base != "init" {
			own = hidden(fn.Name)
		} else {
			own = name("init" + Mark)
			_, offset := u.Within(fn.Written.Pos())
			u.inits = append(u.inits, change.InitCall{Offset: offset, Text: own + "()\n"})
		}
		u.settle(fn, home{path: u.path, name: own})
		if fn.Generic || fn.Base == "init" {
			continue
		}
		if !u.followed(fn, own) {
			u.hold(fn, holder{home{path: u.path, name: name(Mark + own)}, u.heldType(fn)})
		}
	}
	for _, spec := range set.types {
		for _, name := range slices.Sorted(maps.Keys(spec.Methods)) {
			if m := spec.Methods[name]; m.Written != nil && len(u.holders[m]) > 0 {
				u.followed(m, u.methodExpression(m))
			}
		}
	}
}

// followed sets the variables that hold a function to the unit's version. It reports whether there
// is one with the function's type.
func (u *Unit) followed(fn *state.Function, own string) (there bool) {
	held := u.heldType(fn)
	for _, holder := range u.holders[fn] {
		there = holder.typ == held
		same := there
		u.setup = append(u.setup, func() string {
			if same {
				return u.refer(holder.home) + " = " + own + "\n"
			}
			// The types in the signature were different, but of the same form.
			return fmt.Sprintf("*(*func%s)(%s.Pointer(&%s)) = %s\n", u.Signature(state.SignatureOf(fn)), u.alias("unsafe", "unsafe"), u.refer(holder.home), own)
		})
	}
	return there
}

// heldType identifies the type of a function by the places of the types in it.
func (u *Unit) heldType(fn *state.Function) string {
	s := state.Spelling{
		TypeName:    func(obj *types.TypeName) string { h := u.homes[obj]; return h.path + "." + h.name },
		PackageName: func(path, _ string) string { return path },
	}
	return s.Signature(state.SignatureOf(fn))
}

// declare writes the declarations.
func (u *Unit) declare(set *compilation) {
	for _, spec := range set.types {
		u.declareType(spec)
	}
	for _, c := range set.constants {
		typ := ""
		if b, ok := c.Type().(*types.Basic); !ok || b.Info()&types.IsUntyped == 0 {
			typ = u.Typ(c.Type())
		}
		u.parts = append(u.parts, fmt.Sprintf("%sconst %s %s = %s\n", generated, u.homes[c].name, typ, constantText(c.Val(), c.Type())))
	}
	for _, d := range set.variables {
		h := u.homes[d.Lowered]
		u.l.Pos = d.Object.Pos()
		u.parts = append(u.parts, fmt.Sprintf("%svar %s %s\n", u.lineAt(d.Object.Pos(), len("var ")), h.name, u.Typ(d.Object.Type())))
		u.variables = append(u.variables, h.name)
	}
	for _, d := range set.moved {
		h := u.homes[d.Lowered]
		u.parts = append(u.parts, fmt.Sprintf("%svar %s *%s\n", generated, h.name, u.Typ(d.Object.Type())))
		u.pointers = append(u.pointers, h.name)
	}
	for _, fn := range set.functions {
		u.declareFunction(fn)
	}
	// The compiler numbers the types within functions in the order of the text, which must be that
	// of the user's text.
	slices.SortStableFunc(u.functions, func(a, b function) int {
		return cmp.Or(cmp.Compare(a.cell, b.cell), cmp.Compare(a.offset, b.offset))
	})
	for _, f := range u.functions {
		u.parts = append(u.parts, f.text)
	}
}

// function adds the text of a function or method.
func (u *Unit) function(written *ast.FuncDecl, text string) {
	f := function{text: u.directives(written) + u.line(written) + text + "\n"}
	if src, offset := u.At(written.Pos()); src != nil {
		f.cell, f.offset = src.Cell.Number, offset
	}
	if written.Recv == nil && written.Name.Name == "main" {
		// Go calls main from the run time, so that the call is a real one.
		f.text = "//go:noinline\n" + f.text
	}
	u.functions = append(u.functions, f)
}

// declareType writes a type and its methods.
func (u *Unit) declareType(spec *state.TypeSpec) {
	h := u.homes[spec.Object]
	u.parts = append(u.parts, u.line(spec.Node)+"type "+u.declaration(spec.Node, spec.Node.Name, h.name, setting{info: spec.Info})+"\n")
	var methods []*state.Function
	for _, m := range spec.Methods {
		if m.Written != nil {
			methods = append(methods, m)
		}
	}
	slices.SortFunc(methods, func(a, b *state.Function) int { return strings.Compare(a.Method, b.Method) })
	for _, m := range methods {
		if m.Pending != nil {
			u.function(m.Written, u.pending(m))
			continue
		}
		u.function(m.Written, u.declaration(m.Written, nil, "", setting{info: m.Info, outlives: true}))
	}
	if i, ok := spec.Object.Type().Underlying().(*types.Interface); spec.Object.IsAlias() || spec.Node.TypeParams != nil || ok && !i.IsMethodSet() {
		return
	}
	u.types = append(u.types, fmt.Sprintf("%q: %s.TypeFor[%s]()", spec.Lowered, u.alias("reflect", "reflect"), h.name))
}

// pending writes a method whose body waits. The type must have the method, so that interfaces can
// hold it.
func (u *Unit) pending(m *state.Function) string {
	head := *m.Written
	head.Body = nil
	return u.text(&head, setting{info: m.Info}) + fmt.Sprintf(" { panic(%q) }", m.Name+" "+m.Pending.Undeclared())
}

// directives returns the compiler directives of a function. It omits those that address the linker
// by the function's name, which is different in cells.
func (u *Unit) directives(fn *ast.FuncDecl) string {
	src, offset := u.Within(fn.Pos())
	if src == nil {
		return ""
	}
	var out strings.Builder
	for _, d := range syntax.DirectivesBefore(src.Text, offset) {
		if d.Verb() != "linkname" && d.Verb() != "build" {
			out.WriteString(d.Text + "\n")
		}
	}
	return out.String()
}

// escapes reports whether a function has //go:uintptrescapes.
func (u *Unit) escapes(fn *state.Function) bool {
	return fn.Written != nil && strings.Contains(u.directives(fn.Written), "//go:uintptrescapes")
}

// declareFunction writes a function, and the variable through which others follow it.
func (u *Unit) declareFunction(fn *state.Function) {
	h := u.homes[fn]
	u.function(fn.Written, u.declaration(fn.Written, fn.Written.Name, h.name, setting{info: fn.Info}))
	if fn.Generic || fn.Base == "init" {
		return
	}
	if last := u.holders[fn][len(u.holders[fn])-1]; last.path == u.path {
		// The value is set later: if a function mentions itself through the variable, the compiler
		// would report an initialization cycle.
		u.parts = append(u.parts, fmt.Sprintf("%svar %s func%s\n", generated, last.name, u.Signature(state.SignatureOf(fn))))
		u.held = append(u.held, last.name+" = "+h.name)
	}
}

// declaration writes a declaration under another name.
func (u *Unit) declaration(n ast.Node, id *ast.Ident, name string, p setting) string {
	if id == nil || id.Name == name {
		return u.text(n, p)
	}
	_, offset := u.Within(id.Pos())
	return u.text(n, p, syntax.Edit{Start: offset, End: offset + len(id.Name), Text: name})
}
