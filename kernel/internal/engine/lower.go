package engine

import (
	"fmt"
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

// A lowering turns one checked cell into a program.
type lowering struct {
	c *checker
	s *session
	k *checked

	imports []string
	types   []string
	vars    []variable
	funcs   []string
	// temporary holds the names that no other program mentions.
	temporary []string
	// setup holds the statements that come before the cell's own.
	setup []string

	// entry identifies the cell's frame.
	entry string

	queue  []*function
	queued map[*function]bool
	done   map[*function]bool
	// commits and undos carry out, or take back, what the lowering does to
	// the session.
	commits []func()
	undos   []func()
	// variables are the cell's, in the order of their statements.
	variables []*loweredVariable
	// measured says that the end of the measurement of the cell's last
	// statement is written.
	measured bool
	// inits are the calls of init functions, by their place in the cell.
	inits []initCall
	// noted are remarks on functions of earlier cells.
	noted []string
	// moved holds the names of variables that are declared anew with another
	// type.
	moved map[string]bool
	// shown holds the types of the values that the cell shows.
	shown []types.Type
	// recoverers are the numbers of function literals, see deferee.
	recoverers map[*ast.FuncLit]int
	// natural holds the variables that are never negative.
	natural map[types.Object]bool
	// checkOnly says that nothing is lowered: only the session is to know what
	// the cell declares.
	checkOnly bool
	// kept holds the functions that the cell declares as they are.
	kept map[*function]bool
	// pos is where the lowering is, for refusals of types. In a stand-in for
	// a function of a compiled package, site is where it is called.
	pos  token.Pos
	site token.Pos
	// unready says that the cell calls a function which waits for another, and
	// impossible that no executor can run the cell.
	unready, impossible bool
	// describing holds the numbers of the types whose parts are being
	// described.
	describing map[int]bool
}

// A variable is one at package level, with its type, in lowered words.
type variable struct{ name, typ string }

type initCall struct {
	offset int
	text   string
}

type loweredVariable struct {
	*topVariable
	declaration *declaration
}

func (l *lowering) refuse(pos token.Pos, msg string) {
	if l.site.IsValid() {
		pos = l.site
	}
	panic(refusal{pos, msg})
}

// refuseAnywhere refuses what compiled code cannot do either.
func (l *lowering) refuseAnywhere(pos token.Pos, msg string) {
	l.impossible = true
	l.refuse(pos, msg)
}

// later registers what takes back a change to the session.
func (l *lowering) later(undo func()) { l.undos = append(l.undos, undo) }

func (l *lowering) rollback() {
	for i := len(l.undos) - 1; i >= 0; i-- {
		l.undos[i]()
	}
	l.k.rollback()
}

func (c *checker) newLowering(k *checked) *lowering {
	return &lowering{c: c, s: c.session, k: k, queued: map[*function]bool{}, done: map[*function]bool{}, describing: map[int]bool{}, natural: map[types.Object]bool{}, recoverers: map[*ast.FuncLit]int{}}
}

// recoverRefusal takes the lowering back if it was refused, and reports why. It is
// to be deferred.
func (l *lowering) recoverRefusal(report func(problem)) {
	if r := recover(); r != nil {
		no, ok := r.(refusal)
		if !ok {
			panic(r)
		}
		l.rollback()
		report(l.c.problem(no.pos, no.msg))
	}
}

// lower turns a checked cell into a program. The session's tables already
// know the new declarations when it returns, but their names are not live:
// commit makes them so, rollback forgets them.
func (c *checker) lower(k *checked) (l *lowering, program *Program, problems []problem) {
	l = c.newLowering(k)
	defer l.recoverRefusal(func(p problem) { program, problems = nil, []problem{p} })
	if !l.s.sent[bridgePath] {
		l.s.sent[bridgePath] = true
		l.later(func() { delete(l.s.sent, bridgePath) })
		l.imports = append(l.imports, fmt.Sprintf("import %s %q", bridge, bridgePath))
	}
	l.refuseForeignImports()
	l.declare()
	for _, spec := range k.types {
		l.emitType(spec)
	}
	body := l.cellBody()
	for len(l.queue) > 0 {
		f := l.queue[0]
		l.queue = l.queue[1:]
		l.function(f)
	}
	return l, l.program(body), nil
}

// program assembles what was lowered.
func (l *lowering) program(body string) *Program {
	p := &Program{Cell: l.k.source.cell.Number, Title: l.k.source.cell.title(), Temporary: l.temporary, Keep: l.shown != nil && !l.k.source.cell.Aside}
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
func (l *lowering) declare() {
	cell := l.k.source.cell.Number
	for _, pkg := range l.k.imported {
		d := &declaration{name: pkg.Name(), cell: cell, object: pkg}
		if old := l.s.live[pkg.Name()]; old != nil {
			if was, ok := old.object.(*types.PkgName); ok && was.Imported().Path() == pkg.Imported().Path() {
				continue
			}
		}
		l.commits = append(l.commits, func() { l.s.live[d.name] = d })
	}
	for _, obj := range l.k.dotted {
		d := &declaration{name: obj.Name(), cell: cell, object: obj}
		l.commits = append(l.commits, func() { l.s.live[d.name] = d })
	}
	for _, spec := range l.k.types {
		l.declareSpec(spec)
	}
	if f := l.k.declarations; f != nil {
		for _, decl := range f.Decls {
			g, ok := decl.(*ast.GenDecl)
			if !ok || g.Tok != token.CONST {
				continue
			}
			for _, s := range g.Specs {
				for _, id := range s.(*ast.ValueSpec).Names {
					if obj := l.k.info.Defs[id]; obj != nil && id.Name != "_" {
						l.enter(&declaration{name: id.Name, cell: cell, object: obj})
					}
				}
			}
		}
	}
	for _, v := range l.k.variables {
		l.declareVariable(v)
	}
	for _, f := range l.k.funcs {
		l.declareFunc(f)
	}
	l.leave()
	l.spreadWaiting()
}

// enter makes the session know a declaration, and its name live on commit.
func (l *lowering) enter(d *declaration) {
	l.know(d.object, d)
	l.commits = append(l.commits, func() {
		l.s.live[d.name] = d
		delete(l.s.gone, d.name)
	})
}

func (l *lowering) know(obj types.Object, d *declaration) {
	l.s.byObject[obj] = d
	l.later(func() { delete(l.s.byObject, obj) })
}

func (l *lowering) declareSpec(spec *ast.TypeSpec) {
	obj, ok := l.k.info.Defs[spec.Name].(*types.TypeName)
	if !ok || spec.Name.Name == "_" {
		return
	}
	d := &declaration{name: spec.Name.Name, cell: l.k.source.cell.Number, object: obj}
	if !obj.IsAlias() {
		d.lowered = fmt.Sprintf("%s__%d", internalName(d.name), l.s.next(internalName(d.name)))
	}
	d.spec = &typeSpec{
		text:    l.c.text(spec),
		uses:    map[string]types.Object{},
		lowered: d.lowered,
		cell:    d.cell,
		methods: map[string]*function{},
		object:  obj,
		node:    spec,
		info:    l.k.info,
	}
	ast.Inspect(spec.Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if used := l.k.info.Uses[id]; used != nil && used != obj {
				if live := l.s.live[id.Name]; live != nil || isSession(used) {
					d.spec.uses[id.Name] = used
				}
			}
		}
		return true
	})
	l.enter(d)
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
func (l *lowering) ensureType(name string, t types.Type) {
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
func (l *lowering) declareVariable(v *topVariable) {
	name := v.global.Name()
	d := &declaration{name: name, cell: l.k.source.cell.Number, object: v.global}
	if old := l.s.live[name]; old != nil {
		if _, ok := old.object.(*types.Var); ok && old.lowered != "" && types.Identical(old.object.Type(), v.global.Type()) {
			d.lowered = old.lowered
		}
	}
	emit := d.lowered == ""
	if lost := l.s.gone[name]; emit && lost != nil && types.Identical(lost.object.Type(), v.global.Type()) {
		// Functions that mention the variable find it again.
		d.lowered = lost.lowered
		cause := lost.lost
		lost.lost = ""
		l.later(func() { lost.lost = cause })
	}
	if d.lowered == "" {
		d.lowered = fmt.Sprintf("%s__%d", internalName(name), l.s.next(internalName(name)))
	}
	if emit && !l.checkOnly {
		l.pos = v.local.Pos()
		l.vars = append(l.vars, variable{d.lowered, l.typ(v.global.Type())})
	}
	l.know(v.local, d)
	l.know(v.global, d)
	l.variables = append(l.variables, &loweredVariable{v, d})
}

// commit makes the cell's declarations live: all but the variables of
// statements from index reached on, which were not executed.
func (l *lowering) commit(reached int) {
	for _, f := range l.commits {
		f()
	}
	for _, v := range l.variables {
		if v.statement < reached {
			l.s.live[v.declaration.name] = v.declaration
			delete(l.s.gone, v.declaration.name)
			delete(l.s.missed, v.declaration.name)
			l.trail(v.declaration.name)
		} else {
			l.s.missed[v.declaration.name] = v.declaration.cell
		}
	}
}
