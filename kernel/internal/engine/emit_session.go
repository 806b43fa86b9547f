package engine

import (
	"cmp"
	"go/ast"
	"go/types"
	"slices"

	"github.com/hierml/notebook/internal/toolchain"
	"github.com/hierml/notebook/kernel/internal/program"
)

// compile enters the declarations of a checked cell into the session and writes
// its unit. Rollback takes both back, and commit makes the declarations live, as
// for a cell that is lowered. There is no unit if all is loaded already.
func (e *emitter) compile(k *checked) (l *change, unit *toolchain.Unit, compiled *program.Compiled, problems []problem) {
	l, problems = record(e.checker, k)
	if len(problems) > 0 {
		return nil, nil, nil, problems
	}
	if problems := l.cannotRun(); len(problems) > 0 {
		l.rollback()
		return nil, nil, nil, problems
	}
	defer func() {
		if r := recover(); r != nil {
			l.rollback()
			panic(r)
		}
	}()
	defer l.recoverRefusal(func(p problem) { problems = []problem{p} })
	unit, compiled, problems = e.emit(l)
	return l, unit, compiled, problems
}

// forget makes the emitter that of a process which has loaded nothing. The paths
// of its units are not used again.
func (e *emitter) forget() {
	e.homes, e.holders, e.loaded = map[any]home{}, map[*function][]holder{}, map[string]loaded{}
}

// skip leaves out the paths of units up to a number.
func (e *emitter) skip(last int) { e.units = max(e.units, last) }

// variable returns where a variable is; false if no unit has it.
func (e *emitter) variable(d *declaration) (unit, name string, ok bool) {
	h, ok := e.homes[d.lowered]
	return h.path, h.name, ok
}

// everything writes one unit with all that is live in the session, and what that
// mentions. Its variables are to be carried over from where they are: the
// interpreter, or earlier units. The undo takes back what the emitter then
// knows.
func (e *emitter) everything() (unit *toolchain.Unit, units program.Units, undo func(), err error) {
	l := newChange(e.checker, &checked{reading: &reading{parsed: &parsed{source: newSource(program.Cell{})}}, info: newInfo()})
	u := e.newUnit(l)
	defer func() {
		if r := recover(); r != nil {
			no, ok := r.(unspoken)
			if !ok {
				panic(r)
			}
			l.rollback()
			err = no
		}
	}()
	set := u.reachable()
	old := map[string]home{}
	for _, d := range set.variables {
		old[d.lowered] = u.homes[d.lowered]
	}
	u.claim(set)
	for _, d := range set.variables {
		if d.lost != "" {
			continue
		}
		from := old[d.lowered]
		m := program.Moved{Name: d.name, Unit: u.path, Variable: u.homes[d.lowered].name, FromUnit: from.path, FromVariable: from.name}
		if from.path == "" {
			m.FromVariable = d.lowered
		}
		u.moved = append(u.moved, m)
	}
	u.declare(set)
	u.types = append(u.types, u.describedTypes()...)
	u.implemented = u.implementations(set)
	u.setup, u.inits = nil, nil
	unit, compiled := u.assemble("everything that is declared")
	return unit, compiled.Units, l.rollback, nil
}

// reachable returns what is live in the session, and what that mentions.
func (u *unit) reachable() *compilation {
	r := &reach{unit: u, set: &compilation{}, seen: map[any]bool{}}
	var live []*declaration
	for _, d := range u.session.live {
		live = append(live, d)
	}
	slices.SortFunc(live, func(a, b *declaration) int { return cmp.Or(cmp.Compare(a.cell, b.cell), cmp.Compare(a.name, b.name)) })
	for _, d := range live {
		r.declaration(d)
	}
	for len(r.queue) > 0 {
		next := r.queue[0]
		r.queue = r.queue[1:]
		next()
	}
	return r.set
}

// A reach collects what declarations mention, and what that mentions.
type reach struct {
	*unit
	set   *compilation
	seen  map[any]bool
	queue []func()
}

func (r *reach) declaration(d *declaration) {
	switch obj := d.object.(type) {
	case *types.TypeName:
		if d.spec != nil {
			r.spec(d.spec)
		}
	case *types.Const:
		if !r.seen[obj] {
			r.seen[obj] = true
			r.set.constants = append(r.set.constants, obj)
			r.typ(obj.Type())
		}
	case *types.Func:
		if d.function != nil {
			r.function(d.function)
		}
	case *types.Var:
		// Functions may mention one that is lost, though none is called.
		if d.lowered == "" || r.seen[d.lowered] {
			return
		}
		r.seen[d.lowered] = true
		r.set.variables = append(r.set.variables, d)
		r.typ(obj.Type())
	}
}

func (r *reach) function(fn *function) {
	if fn.written == nil || fn.pending != "" || r.seen[fn] || fn.base == "init" {
		return
	}
	r.seen[fn] = true
	if fn.receiver != nil {
		r.spec(fn.receiver)
		return
	}
	r.set.functions = append(r.set.functions, fn)
	r.queue = append(r.queue, func() { r.node(fn.written, fn.info) })
}

func (r *reach) spec(spec *typeSpec) {
	if r.seen[spec] || spec.node == nil {
		return
	}
	r.seen[spec] = true
	r.set.types = append(r.set.types, spec)
	r.queue = append(r.queue, func() {
		r.node(spec.node, spec.info)
		for _, m := range spec.methods {
			if m.written != nil && m.pending == "" {
				r.node(m.written, m.info)
			}
		}
	})
}

// node collects what the names in a declaration mean.
func (r *reach) node(n ast.Node, info *types.Info) {
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		obj := info.Uses[id]
		if fn := r.session.functionOf(obj); fn != nil {
			r.function(fn)
			return true
		}
		if d := r.session.byObject[obj]; obj != nil && d != nil {
			r.declaration(d)
		}
		return true
	})
}

// typ collects the declared types that a type is written with.
func (r *reach) typ(t types.Type) {
	declared := map[types.Object]bool{}
	namesOf(t, declared)
	var list []*declaration
	for obj := range declared {
		if d := r.session.byObject[obj]; d != nil {
			list = append(list, d)
		}
	}
	slices.SortFunc(list, func(a, b *declaration) int { return cmp.Compare(a.lowered, b.lowered) })
	for _, d := range list {
		r.declaration(d)
	}
}

// namesOf collects the declared types that a type is written with.
func namesOf(t types.Type, into map[types.Object]bool) {
	switch t := t.(type) {
	case *types.Alias:
		into[t.Obj()] = true
		namesOf(types.Unalias(t), into)
	case *types.Named:
		into[t.Origin().Obj()] = true
		for arg := range t.TypeArgs().Types() {
			namesOf(arg, into)
		}
	case *types.Map:
		namesOf(t.Key(), into)
		namesOf(t.Elem(), into)
	case interface{ Elem() types.Type }:
		namesOf(t.Elem(), into)
	case *types.Signature:
		namesOf(t.Params(), into)
		namesOf(t.Results(), into)
	case *types.Tuple:
		for v := range t.Variables() {
			namesOf(v.Type(), into)
		}
	case *types.Struct:
		for f := range t.Fields() {
			namesOf(f.Type(), into)
		}
	case *types.Interface:
		for m := range t.Methods() {
			namesOf(m.Type(), into)
		}
		for e := range t.EmbeddedTypes() {
			namesOf(e, into)
		}
	}
}

// only makes the emitter that of a process which has loaded one unit.
func (e *emitter) only(path string) {
	for key, h := range e.homes {
		if h.path != path {
			delete(e.homes, key)
		}
	}
	for fn, list := range e.holders {
		e.holders[fn] = slices.DeleteFunc(list, func(h holder) bool { return h.path != path })
	}
	e.loaded = map[string]loaded{}
}
