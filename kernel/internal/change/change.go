package change

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/hierml/notebook/kernel/internal/check"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/state"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// A refusal stops the lowering of a cell that the interpreter would run differently from Go.
type refusal struct {
	pos token.Pos
	msg string
}

// A Change is the effect of one checked cell on the session. It enters the cell's declarations,
// which Commit makes live and Rollback removes.
type Change struct {
	C *check.Checker
	S *state.Session
	K *check.Checked

	// Queue holds the functions to write with the cell.
	Queue  []*state.Function
	Queued map[*state.Function]bool
	// commits and undos apply, or revert, the effects of the cell on the session.
	commits []func()
	undos   []func()
	// Variables are the cell's, in the order of their statements.
	Variables []*cellVariable
	// Inits are the calls of init functions, by their place in the text.
	Inits []InitCall
	// noted are remarks on functions of earlier cells.
	noted []string
	// moved holds the names of variables that are declared again with another type.
	moved map[string]bool
	// Shown holds the types of the values that the cell shows.
	Shown []types.Type
	// checkOnly says that nothing is lowered: the session only records the declarations of the
	// cell.
	checkOnly bool
	instances int // of generic functions, made for the cell
	// Added holds the methods that types of earlier cells get.
	Added map[*types.Func]bool
	// Kept holds the functions that the cell declares again unchanged.
	Kept map[*state.Function]bool
	// Obsolete holds the names of functions that nothing mentions any more after the cell.
	Obsolete []string
	// Relocated is compiled code of the cell's source that was compiled before.
	Relocated []program.Relocation
	// Pos is the current position, for refusals of types. In a stand-in for a function of a
	// compiled package, Site is the position of its call.
	Pos  token.Pos
	Site token.Pos
	// Unready says that the cell calls a function which waits for another.
	Unready bool
}

// An InitCall is the call of an init function, and where in the cell it stands.
type InitCall struct {
	Offset int
	Text   string
}

// A cellVariable is a variable of a cell with its place in the session.
type cellVariable struct {
	*check.TopVariable
	Declaration *state.Declaration
	// Fresh says that the place is a new one.
	Fresh bool
}

// Refuse ends the writing of the cell: the back end does not support the code at pos.
func (ch *Change) Refuse(pos token.Pos, msg string) {
	if ch.Site.IsValid() {
		pos = ch.Site
	}
	panic(refusal{pos, msg})
}

// Later registers a function that reverts a change to the session.
func (ch *Change) Later(undo func()) { ch.undos = append(ch.undos, undo) }

// OnCommit registers a function to call when the cell is committed.
func (ch *Change) OnCommit(do func()) { ch.commits = append(ch.commits, do) }

// Relocate records that the cell has the source of code that was compiled before.
func (ch *Change) Relocate(r program.Relocation) {
	ch.Relocated = append(ch.Relocated, r)
	ch.Later(ch.C.Relocations.Add(r))
}

// Rollback reverts all effects of the cell on the session.
func (ch *Change) Rollback() {
	for i := len(ch.undos) - 1; i >= 0; i-- {
		ch.undos[i]()
	}
	ch.K.Rollback()
}

// New returns the change of a checked cell, which has not changed anything yet.
func New(c *check.Checker, k *check.Checked) *Change {
	return &Change{C: c, S: c.Session, K: k, Queued: map[*state.Function]bool{}, Added: map[*types.Func]bool{}}
}

// RecoverRefusal reverts the lowering if it panics, and reports why it was refused. Call it with
// defer.
func (ch *Change) RecoverRefusal(report func(syntax.Problem)) {
	if r := recover(); r != nil {
		ch.Rollback()
		no, ok := r.(refusal)
		if !ok {
			panic(r)
		}
		report(ch.C.Problem(no.pos, no.msg))
	}
}

// Declare gives every declaration of the cell its lowered name.
func (ch *Change) Declare() {
	cell := ch.K.Source.Cell.Number
	for _, pkg := range ch.K.Imported {
		d := &state.Declaration{Name: pkg.Name(), Cell: cell, Object: pkg}
		if old := ch.S.Live[pkg.Name()]; old != nil {
			if was, ok := old.Object.(*types.PkgName); ok && was.Imported().Path() == pkg.Imported().Path() {
				continue
			}
		}
		ch.commits = append(ch.commits, func() { ch.S.Live[d.Name] = d })
	}
	for _, obj := range ch.K.Dotted {
		d := &state.Declaration{Name: obj.Name(), Cell: cell, Object: obj}
		ch.commits = append(ch.commits, func() { ch.S.Live[d.Name] = d })
	}
	for _, spec := range ch.K.Types {
		ch.declareSpec(spec)
	}
	if f := ch.K.Declarations; f != nil {
		for _, decl := range f.Decls {
			g, ok := decl.(*ast.GenDecl)
			if !ok || g.Tok != token.CONST {
				continue
			}
			for _, s := range g.Specs {
				for _, id := range s.(*ast.ValueSpec).Names {
					if obj := ch.K.Info.Defs[id]; obj != nil && id.Name != "_" {
						ch.enter(&state.Declaration{Name: id.Name, Cell: cell, Object: obj})
					}
				}
			}
		}
	}
	for _, v := range ch.K.Variables {
		ch.declareVariable(v)
	}
	for _, f := range ch.K.Funcs {
		ch.declareFunc(f)
	}
	ch.leave()
	ch.spreadWaiting()
}

// enter adds a declaration to the session, whose name becomes live on commit.
func (ch *Change) enter(d *state.Declaration) {
	ch.know(d.Object, d)
	ch.commits = append(ch.commits, func() {
		ch.S.Live[d.Name] = d
		delete(ch.S.Gone, d.Name)
	})
}

func (ch *Change) know(obj types.Object, d *state.Declaration) {
	ch.S.ByObject[obj] = d
	ch.Later(func() { delete(ch.S.ByObject, obj) })
}

func (ch *Change) declareSpec(spec *ast.TypeSpec) {
	obj, ok := ch.K.Info.Defs[spec.Name].(*types.TypeName)
	if !ok || spec.Name.Name == "_" {
		return
	}
	d := &state.Declaration{Name: spec.Name.Name, Cell: ch.K.Source.Cell.Number, Object: obj}
	if !obj.IsAlias() {
		d.Lowered = fmt.Sprintf("%s__%d", state.InternalName(d.Name), ch.S.Next(state.InternalName(d.Name)))
	}
	d.Spec = &state.TypeSpec{
		Text:    ch.C.Text(spec),
		Uses:    map[string]types.Object{},
		Lowered: d.Lowered,
		Cell:    d.Cell,
		Methods: map[string]*state.Function{},
		Object:  obj,
		Node:    spec,
		Info:    ch.K.Info,
	}
	ast.Inspect(spec, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if used := ch.K.Info.Uses[id]; used != nil && used != obj && !isTypeParam(used) {
				if live := ch.S.Live[id.Name]; live != nil || state.IsSession(used) {
					d.Spec.Uses[id.Name] = used
				}
			}
		}
		return true
	})
	ch.enter(d)
}

// declareVariable gives a variable its place. A variable that is declared again with the same type
// keeps its place, so that functions which mention it follow; with another type it gets a new one.
func (ch *Change) declareVariable(v *check.TopVariable) {
	name := v.Global.Name()
	d := &state.Declaration{Name: name, Cell: ch.K.Source.Cell.Number, Object: v.Global}
	if old := ch.S.Live[name]; old != nil {
		if _, ok := old.Object.(*types.Var); ok && old.Lowered != "" && types.Identical(old.Object.Type(), v.Global.Type()) {
			d.Lowered = old.Lowered
		}
	}
	fresh := d.Lowered == ""
	if lost := ch.S.Gone[name]; fresh && lost != nil && types.Identical(lost.Object.Type(), v.Global.Type()) {
		// Functions that mention the variable find it again, whichever cell they know it from.
		d.Lowered = lost.Lowered
		for _, other := range ch.S.ByObject {
			if cause := other.Lost; other.Lowered == d.Lowered && cause != "" {
				other.Lost = ""
				ch.Later(func() { other.Lost = cause })
			}
		}
	}
	if d.Lowered == "" {
		d.Lowered = fmt.Sprintf("%s__%d", state.InternalName(name), ch.S.Next(state.InternalName(name)))
	}
	ch.know(v.Local, d)
	ch.know(v.Global, d)
	ch.Variables = append(ch.Variables, &cellVariable{v, d, fresh})
}

// Commit makes the cell's declarations live: all but the variables of statements from index reached
// on, which were not executed.
func (ch *Change) Commit(reached int) {
	for _, f := range ch.commits {
		f()
	}
	for _, v := range ch.Variables {
		if v.Statement < reached {
			ch.S.Live[v.Declaration.Name] = v.Declaration
			delete(ch.S.Gone, v.Declaration.Name)
			delete(ch.S.Missed, v.Declaration.Name)
			ch.trail(v.Declaration.Name)
		} else {
			ch.S.Missed[v.Declaration.Name] = state.Missed{Cell: v.Declaration.Cell, Title: ch.K.Source.Cell.Title(), Ran: true}
		}
	}
}

// Idle reports whether a cell does nothing when it runs, and declares nothing but names of
// packages.
func (ch *Change) Idle() bool {
	blank := slices.ContainsFunc(ch.K.Imports, func(spec *ast.ImportSpec) bool { return spec.Name != nil && spec.Name.Name == "_" })
	return !blank && ch.K.Declarations == nil && len(ch.K.Body) == 0 && len(ch.Queue) == 0
}

// DeclaresBetween reports whether the statement before index i declares variables, which a later
// failure must keep.
func (ch *Change) DeclaresBetween(i int) bool {
	for _, v := range ch.Variables {
		if v.Statement == i-1 {
			return true
		}
	}
	return false
}
