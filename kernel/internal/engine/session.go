package engine

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// packagePath is the import path of the package that a notebook's cells form.
const packagePath = "main"

// A declaration is one name that a cell declared at its top, or an import.
type declaration struct {
	name string
	cell int
	// object is what later cells' identifiers resolve to.
	object types.Object
	// lowered is the declaration's name in the code that is run; empty for
	// constants and aliases, which are gone after lowering.
	lowered  string
	function *function
	spec     *typeSpec
	// lost says what became of a variable that is gone; empty for what is there.
	lost string
}

// A function is a declared function, a method, or an instance of a generic
// one, with what is needed to lower it again when something that it calls is
// declared anew.
type function struct {
	// recoverer is what recover knows the function by, see deferee; 0 until
	// it is asked for.
	recoverer int
	name      string // as a traceback shows it
	cell      int
	// decl has the receiver, if any, as its first parameter.
	decl    *ast.FuncDecl
	info    *types.Info
	generic bool
	base    string // lowered name without its version
	version int
	// variable is the name of the variable that holds the current version,
	// for code that must follow a new one without being lowered again.
	variable string
	valued   bool
	// emitted says that the interpreter has the current version.
	emitted bool
	// calls holds the functions whose current version the lowered text names.
	calls map[*function]bool
	// receiver is the spec of the type that the method belongs to, and
	// pointer says how.
	receiver *typeSpec
	pointer  bool
	method   string
	// pending names the function that a call in the body waits for.
	pending string
	// standsIn says that the function stands in for one of a compiled
	// package, and site is where an instance of it was first called. bridge
	// names the function of the bridge that it is.
	standsIn bool
	site     token.Pos
	bridge   string
	// origin is the generic function of which it is an instance, for targs.
	origin *function
	targs  []types.Type
	// written is the declaration as it stands in its cell; nil for instances
	// of generic functions and what stands in for compiled ones.
	written *ast.FuncDecl
}

func (f *function) lowered() string { return fmt.Sprintf("%s__%d", f.base, f.version) }

// A typeSpec is a declared type: enough to recognise its declaration when it
// comes again, and its methods.
type typeSpec struct {
	text    string
	uses    map[string]types.Object
	lowered string
	cell    int
	methods map[string]*function
	// object is what the declaration declares, node its text, and info what
	// its names mean.
	object *types.TypeName
	node   *ast.TypeSpec
	info   *types.Info
}

// A session is what the cells so far have declared.
type session struct {
	live map[string]*declaration
	// byObject finds the declaration of every object of every cell, also of
	// those whose name means something else by now.
	byObject map[types.Object]*declaration
	funcs    map[*types.Func]*function
	all      []*function
	versions map[string]int
	// aliases maps import paths to the names that lowered code uses, and
	// sent tells which of them the interpreter has seen.
	aliases map[string]string
	sent    map[string]bool
	// obsolete holds the names of functions that no text mentions any more,
	// and of which the interpreter has not been told yet.
	obsolete []string
	// emitted holds the names of the types that the interpreter has, and
	// localTypes those of types that are declared in functions.
	emitted    map[string]bool
	localTypes map[types.Object]string
	// gone holds the variables that are lost, by name.
	gone map[string]*declaration
	// loses says that variables were lost.
	loses     bool
	instances map[string]string
	// funcInstances holds the instances of generic functions.
	funcInstances map[string]*function
	identities    identities
	described     map[int]int
	// missed holds the numbers of cells that ended before they declared a variable.
	missed map[string]int
	// late holds functions that follow with the next cell.
	late []*follower
	// outputs and inputs hold what the cells showed, and their sources, by
	// their counts; lastOutput is what was shown last.
	outputs    map[int]*output
	lastOutput *output
	inputs     map[int]string
	serial     int
}

func newSession() *session {
	return &session{
		live:          map[string]*declaration{},
		byObject:      map[types.Object]*declaration{},
		funcs:         map[*types.Func]*function{},
		versions:      map[string]int{},
		aliases:       map[string]string{},
		sent:          map[string]bool{},
		gone:          map[string]*declaration{},
		emitted:       map[string]bool{},
		localTypes:    map[types.Object]string{},
		instances:     map[string]string{},
		funcInstances: map[string]*function{},
		described:     map[int]int{},
		missed:        map[string]int{},
		outputs:       map[int]*output{},
		inputs:        map[int]string{},
	}
}

// next returns the next version of a name. Versions are never used twice, not
// even after a failure.
func (s *session) next(name string) int {
	s.versions[name]++
	return s.versions[name]
}

// unique returns a number that nothing else in the session has.
func (s *session) unique() int {
	s.serial++
	return s.serial
}

// alias returns the name of a package in lowered code. No name that a user
// can write ends like it: identifiers with two underscores are renamed.
func (s *session) alias(pkg *types.Package) string {
	if a, ok := s.aliases[pkg.Path()]; ok {
		return a
	}
	a := pkg.Name() + "__p"
	if n := s.next("import " + pkg.Name()); n > 1 {
		a = fmt.Sprintf("%s%d", a, n)
	}
	s.aliases[pkg.Path()] = a
	return a
}

// internalName makes a user's name one that starts a lowered name.
func internalName(name string) string {
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

// isSession reports whether an object belongs to the notebook's own package.
func isSession(obj types.Object) bool {
	return obj != nil && obj.Pkg() != nil && obj.Pkg().Path() == packagePath
}
