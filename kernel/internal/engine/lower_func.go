package engine

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// A body is the function, function literal or cell whose statements are
// being lowered.
type body struct {
	l *lowering
	tree
	// locals holds the lowered names of local objects.
	locals map[types.Object]string
	// function is the declared function around it; nil in a cell.
	function *function
	// results are those of the innermost function or literal.
	results *types.Tuple
	sig     *types.Signature
	// enclosing is the innermost function literal around; nil in a function.
	enclosing *ast.FuncLit
	// literal is how many function literals are around.
	literal int
	frame   *frame
	// noted is the place that the frame's variable holds here, 0 if unknown;
	// hoisted that of the one line that can panic in the loop around.
	noted   int
	hoisted int
	// named holds the lowered names of named results.
	named []string
	// targets are the statements around that break or continue can mean,
	// within the innermost function or literal.
	targets []*target
	// loops counts the loops around in the innermost function or literal.
	loops int
	// deferring is the lowered name of the function's deferred calls, if it
	// has any, and result the names of its results then.
	deferring string
	// inline says that a statement has to be one line, before a condition.
	inline bool
	// override holds texts for expressions that were evaluated before.
	override map[ast.Expr]string
}

// declareFunc gives a function or method of the cell its name. One that was
// declared before with the same signature gets a new version, and everything
// that calls it is lowered again.
func (ch *change) declareFunc(f *checkedFunc) {
	obj := f.object
	if obj == nil || f.body == nil {
		ch.refuseAnywhere(f.decl.Pos(), "missing function body")
	}
	cell := ch.k.source.cell.Number
	if f.again != nil {
		cell = f.again.cell
	}
	fn := &function{name: f.decl.Name.Name, cell: cell, decl: f.body, info: ch.k.info, calls: map[*function]bool{}, pending: f.pending, written: f.decl}
	fn.generic = f.body.Type.TypeParams.NumFields() > 0
	if f.decl.Recv == nil {
		ch.declarePlainFunc(f, fn)
		return
	}
	d := ch.s.byObject[f.receiver]
	if d == nil || d.spec == nil {
		ch.refuse(f.decl.Pos(), fmt.Sprintf("method %s of a type that no cell declares", fn.name))
	}
	spec := d.spec
	fn.receiver, fn.method = spec, f.decl.Name.Name
	_, fn.pointer = obj.Signature().Recv().Type().(*types.Pointer)
	fn.name = spec.shown(f.receiver.Name(), fn.pointer) + "." + fn.method
	if old := spec.methods[fn.method]; old != nil {
		ch.renew(old, fn)
		ch.knowFunc(obj, old)
		return
	}
	fn.base = d.lowered + "__" + internalName(fn.method)
	ch.register(fn)
	spec.methods[fn.method] = fn
	ch.later(func() { delete(spec.methods, fn.method) })
	ch.knowFunc(obj, fn)
}

func (s *typeSpec) shown(name string, pointer bool) string {
	if pointer {
		return "(*" + name + ")"
	}
	return name
}

func (ch *change) declarePlainFunc(f *checkedFunc, fn *function) {
	name := f.decl.Name.Name
	switch name {
	case "_":
		return
	case "init":
		fn.base = "init"
		ch.register(fn)
		ch.need(fn)
		_, offset := ch.c.at(f.decl.Pos())
		ch.inits = append(ch.inits, initCall{offset, fn.lowered() + "()\n"})
		return
	}
	if old := ch.s.live[name]; old != nil && old.function != nil && old.function.generic == fn.generic &&
		types.Identical(old.object.Type(), f.object.Type()) {
		fn.base = old.function.base
		ch.renew(old.function, fn)
		ch.knowFunc(f.object, old.function)
		ch.enter(&declaration{name: name, cell: fn.cell, object: f.object, function: old.function})
		return
	}
	fn.base = internalName(name)
	ch.register(fn)
	ch.knowFunc(f.object, fn)
	ch.enter(&declaration{name: name, cell: fn.cell, object: f.object, function: fn})
}

// register makes a new function known and has it lowered.
func (ch *change) register(fn *function) {
	fn.version = ch.s.next(fn.base)
	fn.variable = fmt.Sprintf("%s__v%d", fn.base, fn.version)
	n := len(ch.s.all)
	ch.s.all = append(ch.s.all, fn)
	ch.later(func() { ch.s.all = ch.s.all[:n] })
	if !fn.generic && fn.pending == "" {
		ch.need(fn)
	}
}

func (ch *change) knowFunc(obj *types.Func, fn *function) {
	ch.s.funcs[obj] = fn
	ch.later(func() { delete(ch.s.funcs, obj) })
}

// renew makes old the function that fn describes, and has it and all that
// calls it lowered anew.
func (ch *change) renew(old, fn *function) {
	was := *old
	ch.later(func() { *old = was })
	if ch.checkOnly && old.pending == "" && fn.pending == "" && ch.unchanged(old, fn) {
		old.decl, old.info, old.cell, old.written = fn.decl, fn.info, fn.cell, fn.written
		return
	}
	old.decl, old.info, old.cell, old.calls, old.pending, old.written = fn.decl, fn.info, fn.cell, fn.calls, fn.pending, fn.written
	if old.generic {
		ch.renewInstances(old)
		return
	}
	ch.relower(old)
}

func (ch *change) relower(fn *function) {
	if ch.queued[fn] {
		return
	}
	if fn.pending == "" && !fn.generic {
		version := fn.version
		if fn.emitted {
			// Once this cell is done, nothing mentions the older one.
			name := fn.lowered()
			ch.commits = append(ch.commits, func() { ch.s.obsolete = append(ch.s.obsolete, name) })
		}
		fn.version = ch.s.next(fn.base)
		ch.later(func() { fn.version = version })
		ch.need(fn)
	}
	for _, g := range ch.s.all {
		if g.calls[fn] {
			ch.relower(g)
		}
	}
}

// need has a function lowered with this cell.
func (ch *change) need(fn *function) {
	if !ch.queued[fn] {
		ch.queued[fn] = true
		ch.queue = append(ch.queue, fn)
	}
}

// callee returns the name by which a body calls a declared function. What a
// declared function calls it names directly: it is lowered again when that
// changes. Literals and cells outlive such changes and go by the variable.
func (b *body) callee(fn *function) string {
	b.l.ready(fn)
	if !fn.emitted {
		b.l.need(fn)
	}
	if b.function == nil || b.literal > 0 {
		if b.literal == 0 {
			return fn.lowered()
		}
		b.l.value(fn)
		return fn.variable
	}
	if !b.function.calls[fn] {
		b.function.calls[fn] = true
	}
	return fn.lowered()
}

// value makes sure that the variable which holds a function exists.
func (l *shapes) value(fn *function) {
	l.ready(fn)
	if !fn.emitted {
		l.need(fn)
	}
	if fn.valued {
		return
	}
	fn.valued = true
	l.later(func() { fn.valued = false })
	l.pos = fn.decl.Pos()
	l.vars = append(l.vars, variable{fn.variable, "func" + l.signature(signatureOf(fn), false)})
	if !l.queued[fn] || l.done[fn] {
		l.setup = append([]string{fmt.Sprintf("%s = %s", fn.variable, fn.lowered())}, l.setup...)
	}
}

// signatureOf returns the signature of a function in its lowered form, with
// the receiver as first parameter.
func signatureOf(fn *function) *types.Signature {
	return fn.info.Defs[fn.decl.Name].(*types.Func).Signature()
}

// function lowers a declared function.
func (l *lowering) function(fn *function) {
	fn.calls = map[*function]bool{}
	l.done[fn] = true
	l.site = fn.site
	defer func() { l.site = token.NoPos }()
	if !fn.emitted {
		fn.emitted = true
		l.later(func() { fn.emitted = false })
	}
	b := &body{l: l, tree: l.tree(fn.info), locals: map[types.Object]string{}, function: fn}
	sig := signatureOf(fn)
	b.results, b.sig = sig.Results(), sig
	b.frame = l.newFrame(fn.name, fn.cell)
	l.pos = fn.decl.Pos()
	head := "func " + fn.lowered() + b.funcHead(fn.decl.Type, sig, fn.decl.Body)
	text := b.funcBody(fn.decl.Body)
	l.funcs = append(l.funcs, head+" "+text)
	if fn.valued {
		l.setup = append([]string{fmt.Sprintf("%s = %s", fn.variable, fn.lowered())}, l.setup...)
	}
	l.registerFrame(b.frame)
}

// funcHead writes parameters, all of them named, and results, named where the
// function has deferred calls.
func (b *body) funcHead(t *ast.FuncType, sig *types.Signature, block *ast.BlockStmt) string {
	var out strings.Builder
	out.WriteByte('(')
	i := 0
	param := func(name string) {
		if i > 0 {
			out.WriteString(", ")
		}
		typ := sig.Params().At(i).Type()
		text := ""
		if sig.Variadic() && i == sig.Params().Len()-1 {
			if s, ok := typ.Underlying().(*types.Slice); ok {
				text = "..." + b.l.typ(s.Elem())
			}
		}
		if text == "" {
			text = b.l.typ(typ)
		}
		fmt.Fprintf(&out, "%s %s", name, text)
		i++
	}
	for _, f := range t.Params.List {
		if len(f.Names) == 0 {
			param(fmt.Sprintf("unnamed__%d", i))
		}
		for _, id := range f.Names {
			if id.Name == "_" {
				param(fmt.Sprintf("unnamed__%d", i))
				continue
			}
			param(b.define(id))
		}
	}
	out.WriteByte(')')
	b.named = nil
	if t.Results == nil {
		return out.String()
	}
	if t.Results.NumFields() > 0 && len(t.Results.List[0].Names) > 0 {
		out.WriteString(" (")
		j := 0
		for _, f := range t.Results.List {
			for _, id := range f.Names {
				if j > 0 {
					out.WriteString(", ")
				}
				name := fmt.Sprintf("result__%d", j)
				if id.Name != "_" {
					name = b.define(id)
				}
				b.named = append(b.named, name)
				fmt.Fprintf(&out, "%s %s", name, b.l.typ(sig.Results().At(j).Type()))
				j++
			}
		}
		out.WriteByte(')')
		return out.String()
	}
	if !defers(block.List) {
		out.WriteString(b.l.results(sig))
		return out.String()
	}
	list := make([]string, sig.Results().Len())
	for i := range list {
		b.named = append(b.named, fmt.Sprintf("result__%d", i))
		list[i] = b.named[i] + " " + b.l.typ(sig.Results().At(i).Type())
	}
	out.WriteString(" (" + strings.Join(list, ", ") + ")")
	return out.String()
}

// define returns the lowered name of a local that an identifier declares.
func (b *body) define(id *ast.Ident) string {
	if id.Name == "_" {
		return "_"
	}
	obj := b.info.Defs[id]
	if obj == nil {
		return b.ident(id)
	}
	return b.local(obj)
}

// local returns the lowered name of a local object: its own, unless that
// could hide a name which lowered code uses, as the results of the function.
func (b *body) local(obj types.Object) string {
	if name, ok := b.locals[obj]; ok {
		return name
	}
	name := obj.Name()
	if name == "_" {
		return name
	}
	if types.Universe.Lookup(name) != nil || strings.Contains(name, "__") || name == "init" || name == "main" || slices.Contains(b.named, name) {
		name = fmt.Sprintf("%s__l%d", internalName(name), len(b.locals)+1)
	}
	b.locals[obj] = name
	return name
}

// literalText lowers a function literal. What the interpreter makes of one in
// a loop shares state with the next iteration's. There the literal is made by
// a function of its own, which gets the addresses of the variables that the
// literal captures.
func (b *body) literalText(e *ast.FuncLit) string {
	if b.loops == 0 {
		return b.plainLiteral(e)
	}
	captured := b.captured(e)
	sig := b.info.TypeOf(e).Underlying().(*types.Signature)
	inner := *b
	inner.locals = map[types.Object]string{}
	for k, v := range b.locals {
		inner.locals[k] = v
	}
	var params, args []string
	for i, v := range captured {
		name := fmt.Sprintf("c__%d", i)
		params = append(params, name+" *"+b.l.typ(v.Type()))
		args = append(args, address(b.local(v)))
		inner.locals[v] = "(*" + name + ")"
	}
	maker := fmt.Sprintf("make__%d", b.l.s.unique())
	b.l.temporary = append(b.l.temporary, maker)
	b.l.funcs = append(b.l.funcs, fmt.Sprintf("func %s(%s) func%s { return %s }", maker, strings.Join(params, ", "), b.l.signature(sig, false), inner.plainLiteral(e)))
	return maker + "(" + strings.Join(args, ", ") + ")"
}

// address writes the address of a variable, or of what a pointer points to.
func address(name string) string {
	if p, ok := strings.CutPrefix(name, "(*"); ok {
		return strings.TrimSuffix(p, ")")
	}
	return "&" + name
}

// captured returns the variables of the functions around that a literal
// mentions.
func (b *body) captured(e *ast.FuncLit) []*types.Var {
	var vars []*types.Var
	seen := map[*types.Var]bool{}
	ast.Inspect(e, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		v, ok := b.info.Uses[id].(*types.Var)
		if !ok || v.IsField() || seen[v] || b.l.s.byObject[v] != nil || !isSession(v) {
			return true
		}
		if v.Pos() >= e.Pos() && v.Pos() < e.End() {
			return true
		}
		seen[v] = true
		vars = append(vars, v)
		return true
	})
	return vars
}

func (b *body) plainLiteral(e *ast.FuncLit) string {
	sig := b.info.TypeOf(e).Underlying().(*types.Signature)
	return b.closure(sig, func(inner *body) string {
		inner.enclosing = e
		head := inner.funcHead(e.Type, sig, e.Body)
		return "func" + head + " " + inner.funcBody(e.Body)
	})
}

// closure lowers what write does as the body of a function literal.
func (b *body) closure(sig *types.Signature, write func(*body) string) string {
	inner := *b
	inner.literal++
	inner.results, inner.sig = sig.Results(), sig
	inner.targets = nil
	inner.named = nil
	inner.noted, inner.hoisted, inner.loops, inner.deferring = 0, 0, 0, ""
	inner.frame = b.l.newFrame(strings.TrimPrefix(b.frame.name+".func", "."), b.frame.cell)
	text := write(&inner)
	b.l.registerFrame(inner.frame)
	return text
}
