package engine

import (
	"fmt"
	"github.com/hierml/notebook/kernel/internal/program"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// bridgePath is the import path of the compiled functions that lowered code
// calls, and bridge the name it calls them by. The interpreter provides it.
const (
	bridgePath = "hierml/bridge"
	bridge     = "b__"
)

// A refusal stops the lowering of a cell that the interpreter would not run
// as Go does.
type refusal struct {
	pos token.Pos
	msg string
}

// A change is what one checked cell does to the session: it enters the cell's
// declarations, which commit makes live and rollback forgets.
type change struct {
	c *checker
	s *session
	k *checked

	// queue holds the functions that are to be written with the cell.
	queue  []*function
	queued map[*function]bool
	// commits and undos carry out, or take back, what the cell does to the
	// session.
	commits []func()
	undos   []func()
	// variables are the cell's, in the order of their statements.
	variables []*cellVariable
	// inits are the calls of init functions, by their place in the cell.
	inits []initCall
	// noted are remarks on functions of earlier cells.
	noted []string
	// moved holds the names of variables that are declared anew with another
	// type.
	moved map[string]bool
	// shown holds the types of the values that the cell shows.
	shown []types.Type
	// checkOnly says that nothing is lowered: only the session is to know what
	// the cell declares.
	checkOnly bool
	// kept holds the functions that the cell declares as they are.
	kept map[*function]bool
	// pos is where the work is, for refusals of types. In a stand-in for
	// a function of a compiled package, site is where it is called.
	pos  token.Pos
	site token.Pos
	// unready says that the cell calls a function which waits for another, and
	// impossible that no executor can run the cell.
	unready, impossible bool
}

// Shapes are what the types of a cell are in lowered code, and the declarations
// that have to be written for them.
type shapes struct {
	*change
	*preludes

	imports []string
	types   []string
	vars    []variable
	funcs   []string
	// setup holds the statements that come before the cell's own.
	setup []string
	// done holds the functions that are written.
	done map[*function]bool
	// describing holds the numbers of the types whose parts are being
	// described.
	describing map[int]bool
}

func newShapes(ch *change, p *preludes) *shapes {
	return &shapes{change: ch, preludes: p, done: map[*function]bool{}, describing: map[int]bool{}}
}

// Preludes hold the stand-ins for generic functions and types of compiled
// packages, by import path.
type preludes struct {
	checker *checker
	known   map[string]*prelude
}

func newPreludes(c *checker) *preludes {
	return &preludes{c, map[string]*prelude{}}
}

// A lowering turns one checked cell into a program.
type lowering struct {
	*shapes

	// temporary holds the names that no other program mentions.
	temporary []string
	// entry identifies the cell's frame.
	entry string
	// measured says that the end of the measurement of the cell's last
	// statement is written.
	measured bool
	// recoverers are the numbers of function literals, see deferee.
	recoverers map[*ast.FuncLit]int
	// natural holds the variables that are never negative.
	natural map[types.Object]bool
}

// A variable is one at package level, with its type, in lowered words.
type variable struct{ name, typ string }

type initCall struct {
	offset int
	text   string
}

// A cellVariable is a variable of a cell with its place in the session.
type cellVariable struct {
	*topVariable
	declaration *declaration
	// fresh says that the place is a new one.
	fresh bool
}

func (ch *change) refuse(pos token.Pos, msg string) {
	if ch.site.IsValid() {
		pos = ch.site
	}
	panic(refusal{pos, msg})
}

// refuseAnywhere refuses what compiled code cannot do either.
func (ch *change) refuseAnywhere(pos token.Pos, msg string) {
	ch.impossible = true
	ch.refuse(pos, msg)
}

// later registers what takes back a change to the session.
func (ch *change) later(undo func()) { ch.undos = append(ch.undos, undo) }

func (ch *change) rollback() {
	for i := len(ch.undos) - 1; i >= 0; i-- {
		ch.undos[i]()
	}
	ch.k.rollback()
}

func newChange(c *checker, k *checked) *change {
	return &change{c: c, s: c.session, k: k, queued: map[*function]bool{}}
}

// recoverRefusal takes the lowering back if it was refused, and reports why. It is
// to be deferred.
func (ch *change) recoverRefusal(report func(problem)) {
	if r := recover(); r != nil {
		no, ok := r.(refusal)
		if !ok {
			panic(r)
		}
		ch.rollback()
		report(ch.c.problem(no.pos, no.msg))
	}
}

// A lowerer lowers the cells of one session.
type lowerer struct {
	checker  *checker
	preludes *preludes
}

func newLowerer(c *checker) *lowerer { return &lowerer{c, newPreludes(c)} }

// lower turns a checked cell into a program. The session's tables already
// know the new declarations when it returns, but their names are not live:
// commit makes them so, rollback forgets them.
func (x *lowerer) lower(k *checked) (ch *change, prog *program.Program, problems []problem) {
	ch = newChange(x.checker, k)
	l := &lowering{shapes: newShapes(ch, x.preludes), natural: map[types.Object]bool{}, recoverers: map[*ast.FuncLit]int{}}
	defer l.recoverRefusal(func(p problem) { prog, problems = nil, []problem{p} })
	if !l.s.sent[bridgePath] {
		l.s.sent[bridgePath] = true
		l.later(func() { delete(l.s.sent, bridgePath) })
		l.imports = append(l.imports, fmt.Sprintf("import %s %q", bridge, bridgePath))
	}
	l.refuseForeignImports()
	l.declare()
	for _, v := range l.variables {
		if v.fresh {
			l.pos = v.local.Pos()
			l.vars = append(l.vars, variable{v.declaration.lowered, l.typ(v.global.Type())})
		}
	}
	for _, spec := range k.types {
		l.emitType(spec)
	}
	body := l.cellBody()
	for len(l.queue) > 0 {
		f := l.queue[0]
		l.queue = l.queue[1:]
		l.function(f)
	}
	return ch, l.program(body), nil
}

// program assembles what was lowered.
func (l *lowering) program(body string) *program.Program {
	p := &program.Program{Cell: l.k.source.cell.Number, Title: l.k.source.cell.Title(), Temporary: l.temporary, Keep: l.shown != nil && !l.k.source.cell.Aside}
	if obsolete := l.s.obsolete; len(obsolete) > 0 {
		p.Temporary = append(p.Temporary, obsolete...)
		l.s.obsolete = nil
		l.later(func() { l.s.obsolete = append(obsolete, l.s.obsolete...) })
	}
	if len(l.imports) > 0 {
		p.Source = append(p.Source, strings.Join(l.imports, "\n")+"\n")
	}
	var decls []string
	decls = append(decls, l.types...)
	for _, v := range l.vars {
		decls = append(decls, fmt.Sprintf("var %s %s", v.name, v.typ))
		p.Variables = append(p.Variables, v.name)
	}
	decls = append(decls, l.funcs...)
	if len(l.setup) > 0 || body != "" {
		p.Call = fmt.Sprintf("cell__%d", l.s.unique())
		text := strings.Join(l.setup, "\n")
		if text != "" {
			text += "\n"
		}
		decls = append(decls, "func "+p.Call+"() {\n"+l.entry+text+body+"}")
	}
	if len(decls) > 0 {
		p.Source = append(p.Source, strings.Join(decls, "\n")+"\n")
	}
	return p
}

// declare gives every declaration of the cell its lowered name.
func (ch *change) declare() {
	cell := ch.k.source.cell.Number
	for _, pkg := range ch.k.imported {
		d := &declaration{name: pkg.Name(), cell: cell, object: pkg}
		if old := ch.s.live[pkg.Name()]; old != nil {
			if was, ok := old.object.(*types.PkgName); ok && was.Imported().Path() == pkg.Imported().Path() {
				continue
			}
		}
		ch.commits = append(ch.commits, func() { ch.s.live[d.name] = d })
	}
	for _, obj := range ch.k.dotted {
		d := &declaration{name: obj.Name(), cell: cell, object: obj}
		ch.commits = append(ch.commits, func() { ch.s.live[d.name] = d })
	}
	for _, spec := range ch.k.types {
		ch.declareSpec(spec)
	}
	if f := ch.k.declarations; f != nil {
		for _, decl := range f.Decls {
			g, ok := decl.(*ast.GenDecl)
			if !ok || g.Tok != token.CONST {
				continue
			}
			for _, s := range g.Specs {
				for _, id := range s.(*ast.ValueSpec).Names {
					if obj := ch.k.info.Defs[id]; obj != nil && id.Name != "_" {
						ch.enter(&declaration{name: id.Name, cell: cell, object: obj})
					}
				}
			}
		}
	}
	for _, v := range ch.k.variables {
		ch.declareVariable(v)
	}
	for _, f := range ch.k.funcs {
		ch.declareFunc(f)
	}
	ch.leave()
	ch.spreadWaiting()
}

// enter makes the session know a declaration, and its name live on commit.
func (ch *change) enter(d *declaration) {
	ch.know(d.object, d)
	ch.commits = append(ch.commits, func() {
		ch.s.live[d.name] = d
		delete(ch.s.gone, d.name)
	})
}

func (ch *change) know(obj types.Object, d *declaration) {
	ch.s.byObject[obj] = d
	ch.later(func() { delete(ch.s.byObject, obj) })
}

func (ch *change) declareSpec(spec *ast.TypeSpec) {
	obj, ok := ch.k.info.Defs[spec.Name].(*types.TypeName)
	if !ok || spec.Name.Name == "_" {
		return
	}
	d := &declaration{name: spec.Name.Name, cell: ch.k.source.cell.Number, object: obj}
	if !obj.IsAlias() {
		d.lowered = fmt.Sprintf("%s__%d", internalName(d.name), ch.s.next(internalName(d.name)))
	}
	d.spec = &typeSpec{
		text:    ch.c.text(spec),
		uses:    map[string]types.Object{},
		lowered: d.lowered,
		cell:    d.cell,
		methods: map[string]*function{},
		object:  obj,
		node:    spec,
		info:    ch.k.info,
	}
	ast.Inspect(spec.Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if used := ch.k.info.Uses[id]; used != nil && used != obj {
				if live := ch.s.live[id.Name]; live != nil || isSession(used) {
					d.spec.uses[id.Name] = used
				}
			}
		}
		return true
	})
	ch.enter(d)
}

// emitType declares a type of the cell. Generic ones are declared when they
// are instantiated, aliases and interfaces never.
func (l *lowering) emitType(spec *ast.TypeSpec) {
	obj, ok := l.k.info.Defs[spec.Name].(*types.TypeName)
	if !ok || obj.IsAlias() || spec.TypeParams != nil || spec.Name.Name == "_" {
		return
	}
	l.pos = spec.Pos()
	l.ensureType(l.s.byObject[obj].lowered, obj.Type())
}

// ensureType makes sure that the interpreter has a type of the session.
func (l *shapes) ensureType(name string, t types.Type) {
	if l.s.emitted[name] || types.IsInterface(t) {
		return
	}
	l.s.emitted[name] = true
	l.later(func() { delete(l.s.emitted, name) })
	l.declareType(name, t)
}

// declareVariable gives a variable its place. A variable that is declared
// again with the same type stays the one it was, so that functions which
// mention it follow; with another type it is a new one.
func (ch *change) declareVariable(v *topVariable) {
	name := v.global.Name()
	d := &declaration{name: name, cell: ch.k.source.cell.Number, object: v.global}
	if old := ch.s.live[name]; old != nil {
		if _, ok := old.object.(*types.Var); ok && old.lowered != "" && types.Identical(old.object.Type(), v.global.Type()) {
			d.lowered = old.lowered
		}
	}
	fresh := d.lowered == ""
	if lost := ch.s.gone[name]; fresh && lost != nil && types.Identical(lost.object.Type(), v.global.Type()) {
		// Functions that mention the variable find it again.
		d.lowered = lost.lowered
		cause := lost.lost
		lost.lost = ""
		ch.later(func() { lost.lost = cause })
	}
	if d.lowered == "" {
		d.lowered = fmt.Sprintf("%s__%d", internalName(name), ch.s.next(internalName(name)))
	}
	ch.know(v.local, d)
	ch.know(v.global, d)
	ch.variables = append(ch.variables, &cellVariable{v, d, fresh})
}

// commit makes the cell's declarations live: all but the variables of
// statements from index reached on, which were not executed.
func (ch *change) commit(reached int) {
	for _, f := range ch.commits {
		f()
	}
	for _, v := range ch.variables {
		if v.statement < reached {
			ch.s.live[v.declaration.name] = v.declaration
			delete(ch.s.gone, v.declaration.name)
			delete(ch.s.missed, v.declaration.name)
			ch.trail(v.declaration.name)
		} else {
			ch.s.missed[v.declaration.name] = v.declaration.cell
		}
	}
}
