package emit

import (
	"cmp"
	"go/ast"
	"go/types"
	"slices"

	"github.com/hierml/notebook/internal/toolchain"
	"github.com/hierml/notebook/kernel/internal/change"
	"github.com/hierml/notebook/kernel/internal/check"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/state"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// Compile enters the declarations of a checked cell into the session and writes its unit. Rollback
// reverts both, and commit makes the declarations live, as for a lowered cell. There is no unit if
// everything is already loaded.
func (e *Emitter) Compile(k *check.Checked) (l *change.Change, unit *toolchain.Unit, compiled *program.Compiled, problems []syntax.Problem) {
	l, problems = change.Record(e.Checker, k)
	if len(problems) > 0 {
		return nil, nil, nil, problems
	}
	if problems := l.CannotRun(); len(problems) > 0 {
		l.Rollback()
		return nil, nil, nil, problems
	}
	defer l.RecoverRefusal(func(p syntax.Problem) { problems = []syntax.Problem{p} })
	unit, compiled, problems = e.emit(l)
	return l, unit, compiled, problems
}

// Forget resets the emitter for a process that has loaded nothing. It does not use the paths of the
// old units again.
func (e *Emitter) Forget() {
	e.homes, e.holders, e.loaded, e.instances = map[any]home{}, map[*state.Function][]holder{}, map[string]loaded{}, instances{}
}

// Skip reserves the paths of units up to a number.
func (e *Emitter) Skip(last int) { e.Units = max(e.Units, last) }

// Variable returns the place of a variable; false if no unit has it.
func (e *Emitter) Variable(d *state.Declaration) (unit, name string, ok bool) {
	h, ok := e.homes[d.Lowered]
	return h.path, h.name, ok
}

// Everything writes one unit with all live declarations of the session, and those that they
// mention. The variables of earlier units that are not lost must be carried over to it. The undo
// reverts the emitter.
func (e *Emitter) Everything() (unit *toolchain.Unit, units program.Units, undo func(), err error) {
	l := change.New(e.Checker, &check.Checked{Reading: &check.Reading{Parsed: &syntax.Parsed{Lexed: syntax.NewLexed(syntax.NewSource(program.Cell{}))}}, Info: check.NewInfo()})
	u := e.newUnit(l)
	defer func() {
		if r := recover(); r != nil {
			no, ok := r.(state.Unspoken)
			if !ok {
				panic(r)
			}
			l.Rollback()
			err = no
		}
	}()
	set := u.reachable()
	old := map[string]home{}
	for _, d := range set.variables {
		old[d.Lowered] = u.homes[d.Lowered]
	}
	u.claim(set)
	for _, d := range set.variables {
		if d.Lost != "" {
			continue
		}
		from := old[d.Lowered]
		u.moved = append(u.moved, program.Moved{Name: d.Name, Unit: u.path, Variable: u.homes[d.Lowered].name, FromUnit: from.path, FromVariable: from.name})
	}
	u.declare(set)
	u.keepInstances(u.declares)
	u.setup, u.inits = nil, nil
	unit, compiled := u.assemble("everything that is declared")
	return unit, compiled.Units, l.Rollback, nil
}

// reachable returns the live declarations of the session, and those that they mention.
func (u *Unit) reachable() *compilation {
	r := &reach{Unit: u, set: &compilation{}, seen: map[any]bool{}}
	var live []*state.Declaration
	for _, d := range u.Session.Live {
		live = append(live, d)
	}
	slices.SortFunc(live, func(a, b *state.Declaration) int {
		return cmp.Or(cmp.Compare(a.Cell, b.Cell), cmp.Compare(a.Name, b.Name))
	})
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

// A reach collects the declarations that others mention, transitively.
type reach struct {
	*Unit
	set   *compilation
	seen  map[any]bool
	queue []func()
}

func (r *reach) declaration(d *state.Declaration) {
	switch obj := d.Object.(type) {
	case *types.TypeName:
		if d.Spec != nil {
			r.spec(d.Spec)
		}
	case *types.Const:
		if !r.seen[obj] {
			r.seen[obj] = true
			r.set.constants = append(r.set.constants, obj)
			r.typ(obj.Type())
		}
	case *types.Func:
		if d.Function != nil {
			r.function(d.Function)
		}
	case *types.Var:
		// Functions may mention a lost variable even if they are never called.
		if d.Lowered == "" || r.seen[d.Lowered] {
			return
		}
		r.seen[d.Lowered] = true
		r.set.variables = append(r.set.variables, d)
		r.typ(obj.Type())
	}
}

func (r *reach) function(fn *state.Function) {
	if fn.Written == nil || fn.Pending != nil || r.seen[fn] || fn.Base == "init" {
		return
	}
	r.seen[fn] = true
	if fn.Receiver != nil {
		r.spec(fn.Receiver)
		return
	}
	r.set.functions = append(r.set.functions, fn)
	r.queue = append(r.queue, func() { r.node(fn.Written, fn.Info) })
}

func (r *reach) spec(spec *state.TypeSpec) {
	if r.seen[spec] || spec.Node == nil {
		return
	}
	r.seen[spec] = true
	r.set.types = append(r.set.types, spec)
	r.queue = append(r.queue, func() {
		r.node(spec.Node, spec.Info)
		for _, m := range spec.Methods {
			if m.Written != nil && m.Pending == nil {
				r.node(m.Written, m.Info)
			}
		}
	})
}

// node collects the objects of the names in a declaration.
func (r *reach) node(n ast.Node, info *types.Info) {
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		obj := info.Uses[id]
		if fn := r.Session.FunctionOf(obj); fn != nil {
			r.function(fn)
			return true
		}
		if d := r.Session.ByObject[obj]; obj != nil && d != nil {
			r.declaration(d)
		}
		return true
	})
}

// typ collects the declared types within a type.
func (r *reach) typ(t types.Type) {
	declared := map[types.Object]bool{}
	state.NamesOf(t, declared)
	var list []*state.Declaration
	for obj := range declared {
		if d := r.Session.ByObject[obj]; d != nil {
			list = append(list, d)
		}
	}
	slices.SortFunc(list, func(a, b *state.Declaration) int { return cmp.Compare(a.Lowered, b.Lowered) })
	for _, d := range list {
		r.declaration(d)
	}
}

// Only resets the emitter for a process that has loaded one unit.
func (e *Emitter) Only(path string) {
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
