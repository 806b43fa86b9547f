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
	// Object is what later cells' identifiers resolve to.
	Object types.Object
	// Lowered is the declaration's name in the code that is run; empty for constants and aliases,
	// which are gone after lowering.
	Lowered  string
	Function *Function
	Spec     *TypeSpec
	// Lost says what became of a variable that is gone; empty for what is there.
	Lost string
}

// A Function is a declared function, a method, or an instance of a generic one, with what is needed
// to lower it again when something that it calls is declared anew.
type Function struct {
	// Recoverer is what recover knows the function by, see deferee; 0 until it is asked for.
	Recoverer int
	Name      string // as a traceback shows it
	Cell      int
	// Decl has the receiver, if any, as its first parameter.
	Decl    *ast.FuncDecl
	Info    *types.Info
	Generic bool
	Base    string // lowered name without its version
	Version int
	// Variable is the name of the variable that holds the current version, for code that must
	// follow a new one without being lowered again.
	Variable string
	Valued   bool
	// Emitted says that the interpreter has the current version.
	Emitted bool
	// Calls holds the functions whose current version the lowered text names.
	Calls map[*Function]bool
	// Receiver is the spec of the type that the method belongs to, and pointer says how.
	Receiver *TypeSpec
	Pointer  bool
	Method   string
	// Pending are the names in the body that the function waits for; it is not written before they
	// are declared.
	Pending Waits
	// StandsIn says that the function stands in for one of a compiled package, and site is where an
	// instance of it was first called. bridge names the function of the bridge that it is.
	StandsIn bool
	Site     token.Pos
	Bridge   string
	// Origin is the generic function of which it is an instance, for targs.
	Origin *Function
	Targs  []types.Type
	// Written is the declaration as it stands in its cell; nil for instances of generic functions
	// and what stands in for compiled ones.
	Written *ast.FuncDecl
	// GoVersion is the version of the language that its cell asks for; empty for the usual one.
	GoVersion string
}

// Lowered is the function's name in the code that is run: that of its newest version.
func (f *Function) Lowered() string { return fmt.Sprintf("%s__%d", f.Base, f.Version) }

// A TypeSpec is a declared type: enough to recognise its declaration when it comes again, and its
// methods.
type TypeSpec struct {
	Text    string
	Uses    map[string]types.Object
	Lowered string
	Cell    int
	Methods map[string]*Function
	// Object is what the declaration declares, node its text, and info what its names mean.
	Object *types.TypeName
	Node   *ast.TypeSpec
	Info   *types.Info
}

// A Session is what the cells so far have declared. Package change enters it; package shape enters
// functions that stand in for those of compiled packages.
type Session struct {
	*Numbers
	Live map[string]*Declaration
	// ByObject finds the declaration of every object of every cell, also of those whose name means
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
	// Missed holds names that cells would have declared which ended before that.
	Missed map[string]Missed
	// Deferred holds the declarations that wait for the names in them.
	Deferred []*Deferred
	// Late holds functions that follow with the next cell.
	Late []*Follower
}

// Missed is what became of a declaration that is not there.
type Missed struct {
	Cell  int    // the number of the cell that has it
	Title string // of that cell
	Ran   bool   // the cell ran, but not so far; else it did not run at all
}

// Why says what became of the declaration.
func (m Missed) Why() string {
	if m.Ran {
		return m.Title + " ended before the statement that declares it was done"
	}
	return m.Title + ", which would declare it, did not run"
}

// Miss notes that a cell did not run which would have declared names. What is there is not missed,
// and of a cell that ran it is known better.
func (s *Session) Miss(cell int, title string, names []string) {
	for _, name := range names {
		if s.Live[name] == nil && s.Missed[name].Cell != cell {
			s.Missed[name] = Missed{Cell: cell, Title: title}
		}
	}
}

// Forget makes a name mean nothing.
func (s *Session) Forget(name string) {
	delete(s.Live, name)
	delete(s.Gone, name)
	delete(s.Missed, name)
}

// NewSession returns a session in which nothing is declared.
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

// InternalName makes a user's name one that starts a lowered name.
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

// Snapshot returns a function that makes the session what it is now. Changes to functions and types
// are not its business: rollbacks take them back.
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

// Shown writes the receiver of a method as a traceback shows it.
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
