package state

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// PackagePath is the import path of the package that a notebook's cells form.
const PackagePath = "main"

// A Declaration is one name that a cell declared at its top, or an import.
type Declaration struct {
	Name string
	Cell int
	// Object is what identifiers of later cells resolve to.
	Object types.Object
	// Lowered is the declaration's name in the lowered code; empty for constants and aliases, which
	// lowering removes.
	Lowered  string
	Function *Function
	Spec     *TypeSpec
	// Lost says what happened to a variable that is gone; empty for existing ones.
	Lost string
}

// A Function is a declared function, a method, or an instance of a generic one, with everything
// needed to lower it again when a function that it calls is declared again.
type Function struct {
	// Recoverer identifies the function to recover, see deferee; 0 until it is needed.
	Recoverer int
	Name      string // as a traceback shows it
	Cell      int
	// Decl has the receiver, if any, as its first parameter.
	Decl    *ast.FuncDecl
	Info    *types.Info
	Generic bool
	Base    string // the lowered name without its version
	Version int
	// Variable is the name of the variable that holds the current version, for code that uses the
	// newest version without being lowered again.
	Variable string
	Valued   bool
	// Emitted says that the interpreter has the current version.
	Emitted bool
	// Calls holds the functions whose current version the lowered text names.
	Calls map[*Function]bool
	// Receiver is the type that the method belongs to, and pointer says whether the receiver is a
	// pointer.
	Receiver *TypeSpec
	Pointer  bool
	Method   string
	// Pending are the names in the body that the function waits for; it is not written before they
	// are declared.
	Pending Waits
	// StandsIn says that the function replaces one of a compiled package, and site is the first
	// call of an instance of it. bridge is the name of the function in the bridge.
	StandsIn bool
	Site     token.Pos
	Bridge   string
	// Origin is the generic function of which this is an instance, for targs.
	Origin *Function
	Targs  []types.Type
	// Written is the declaration as written in its cell; nil for instances of generic functions and
	// replacements of compiled ones.
	Written *ast.FuncDecl
	// GoVersion is the language version that its cell asks for; empty for the default.
	GoVersion string
}

// Lowered is the name of the function's newest version in the lowered code.
func (f *Function) Lowered() string { return fmt.Sprintf("%s__%d", f.Base, f.Version) }

// A TypeSpec is a declared type: its methods, and enough to recognise its declaration when it comes
// again.
type TypeSpec struct {
	Text    string
	Uses    map[string]types.Object
	Lowered string
	Cell    int
	Methods map[string]*Function
	// Object is the declared type, node its text, and info the meaning of its names.
	Object *types.TypeName
	Node   *ast.TypeSpec
	Info   *types.Info
}

// A Session is the declarations of the cells so far. Package change enters them; package shape
// enters functions that replace those of compiled packages.
type Session struct {
	*Numbers
	Live map[string]*Declaration
	// ByObject finds the declaration of every object of every cell, even if its name means
	// something else by now.
	ByObject map[types.Object]*Declaration
	Funcs    map[*types.Func]*Function
	All      []*Function
	// FuncInstances holds the instances of generic functions.
	FuncInstances map[string]*Function
	// Gone holds the variables that are lost, by name.
	Gone map[string]*Declaration
	// loses says that variables were lost.
	loses bool
	// Missed holds names that cells did not get to declare before they ended.
	Missed map[string]Missed
	// Deferred holds the declarations that wait for names.
	Deferred []*Deferred
	// Late holds functions that follow with the next cell.
	Late []*Follower
}

// Missed describes a declaration that did not happen.
type Missed struct {
	Cell  int    // the number of the cell with the declaration
	Title string // of that cell
	Ran   bool   // the cell ran, but ended before it; otherwise it did not run
}

// Why says why the declaration did not happen.
func (m Missed) Why() string {
	if m.Ran {
		return m.Title + " ended before the statement that declares it"
	}
	return m.Title + ", which would declare it, did not run"
}

// Miss records that a cell that would have declared names did not run. It ignores names that exist,
// and cells that ran, about which more is known.
func (s *Session) Miss(cell int, title string, names []string) {
	for _, name := range names {
		if s.Live[name] == nil && s.Missed[name].Cell != cell {
			s.Missed[name] = Missed{Cell: cell, Title: title}
		}
	}
}

// Forget removes the meaning of a name.
func (s *Session) Forget(name string) {
	delete(s.Live, name)
	delete(s.Gone, name)
	delete(s.Missed, name)
}

// NewSession returns a session without declarations.
func NewSession() *Session {
	return &Session{
		Numbers:       &Numbers{versions: map[string]int{}},
		Live:          map[string]*Declaration{},
		ByObject:      map[types.Object]*Declaration{},
		Funcs:         map[*types.Func]*Function{},
		FuncInstances: map[string]*Function{},
		Gone:          map[string]*Declaration{},
		Missed:        map[string]Missed{},
	}
}

// InternalName turns a user's name into the beginning of a lowered name.
func InternalName(name string) string {
	name = strings.ReplaceAll(name, "__", "_u_")
	name = strings.Trim(name, "_")
	if name == "" || !token.IsIdentifier("x"+name) {
		return "blank"
	}
	if name[0] >= '0' && name[0] <= '9' {
		return "x" + name
	}
	return name
}

// IsSession reports whether an object belongs to the notebook's own package.
func IsSession(obj types.Object) bool {
	return obj != nil && obj.Pkg() != nil && obj.Pkg().Path() == PackagePath
}

// Snapshot returns a function that restores the current state of the session. It does not cover
// functions and types, which rollbacks restore.
func (s *Session) Snapshot() (restore func()) {
	was, restoreNumbers := *s, s.Numbers.snapshot()
	was.Live, was.ByObject, was.Funcs = maps.Clone(s.Live), maps.Clone(s.ByObject), maps.Clone(s.Funcs)
	was.Gone, was.FuncInstances, was.Missed = maps.Clone(s.Gone), maps.Clone(s.FuncInstances), maps.Clone(s.Missed)
	was.All, was.Late, was.Deferred = slices.Clone(s.All), slices.Clone(s.Late), slices.Clone(s.Deferred)
	return func() {
		*s = was
		restoreNumbers()
	}
}

// Shown formats the receiver of a method as in a traceback.
func (s *TypeSpec) Shown(name string, pointer bool) string {
	if pointer {
		return "(*" + name + ")"
	}
	return name
}

// SignatureOf returns the signature of a function in its lowered form, with the receiver as first
// parameter.
func SignatureOf(fn *Function) *types.Signature {
	return fn.Info.Defs[fn.Decl.Name].(*types.Func).Signature()
}
