package export

import (
	"cmp"
	"go/types"
	"slices"
	"strings"

	"github.com/hierml/notebook/kernel/internal/change"
	"github.com/hierml/notebook/kernel/internal/check"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/state"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// A Cell is a cell of a notebook to write as a Go program.
type Cell struct {
	program.Cell
	// Text says that the source is Markdown. It becomes a comment.
	Text bool
	// Skipped says that the cell does not run. It becomes a comment, too.
	Skipped bool
	// Fails says that the later cells run even if this one fails.
	Fails bool
}

// Write writes cells as a Go program. It prints as text what the cells show when they run one after
// the other. Write runs nothing. If a cell is at fault, the error is an *Error that says where, and
// there is no program.
//
// Declarations become those of the package, and statements those of main, in the order of the
// cells. Variables that no function uses are local to main. Names stay the same unless one means
// several things:
//
//   - If a variable is declared again with the same type, the program assigns to it.
//   - A name that is declared again as something else is renamed.
//   - A function that is declared again while others call it is called through a variable, and a
//     method through a function that calls one; main sets the variables at the cell that declares
//     the next version.
func Write(c *check.Checker, cells []Cell) ([]byte, error) {
	x := &exporter{
		Checker:     c,
		objects:     map[types.Object]*symbol{},
		variables:   map[string]*symbol{},
		functions:   map[*state.Function]*symbol{},
		packages:    map[[2]string]*symbol{},
		constants:   map[string]*types.Const{},
		identifiers: map[string]bool{},
		locals:      map[string]bool{},
		taken:       map[string]bool{"main": true, "init": true},
		labels:      map[string]bool{},
		versions:    map[sourcePlace][]*version{},
	}
	x.Spelling = state.Spelling{
		TypeName: func(obj *types.TypeName) string {
			if s := x.symbolOf(obj); s != nil {
				return s.out
			}
			return ""
		},
		PackageName: x.pkg,
	}
	for _, name := range types.Universe.Names() {
		// Others may be hidden if no cell uses them.
		if _, ok := types.Universe.Lookup(name).(*types.Builtin); !ok || name == "panic" || name == "recover" {
			x.taken[name] = true
		}
	}
	for _, cell := range cells {
		cell.Source = strings.ReplaceAll(cell.Source, "\r\n", "\n")
		if err := x.read(cell); err != nil {
			return nil, err
		}
	}
	if err := x.assignNames(); err != nil {
		return nil, err
	}
	return x.program()
}

// An exporter writes one program.
type exporter struct {
	*check.Checker
	state.Spelling
	cells []*exportedCell

	// symbols holds all top-level names of cells in order, and the maps find them: constants, types
	// and labels by object, variables by lowered name, which those of the same type share, packages
	// by path and name.
	symbols   []*symbol
	objects   map[types.Object]*symbol
	variables map[string]*symbol
	functions map[*state.Function]*symbol
	packages  map[[2]string]*symbol
	constants map[string]*types.Const // the last of each name

	// identifiers holds every identifier of every cell, locals those declared below the top level
	// of a cell, and taken the names that are used in the program's package.
	identifiers map[string]bool
	locals      map[string]bool
	taken       map[string]bool
	labels      map[string]bool // taken labels

	// versions finds the written functions for a function that a cell declares.
	versions map[sourcePlace][]*version
	// err is the variable for errors that cells leave out, and stops the functions around calls
	// that do so within expressions, by the number of their values.
	err   string
	stops [check.MaxLeft]*symbol
}

// A sourcePlace is an offset into the source of a cell.
type sourcePlace struct {
	source *syntax.Source
	offset int
}

// An exportedCell is a cell that was read.
type exportedCell struct {
	Cell
	index  int
	k      *check.Checked // nil if it has no code to run
	pieces []piece
	uses   occurrences
	// failure says why the cell does not compile, if it may fail.
	failure string
	// wrapped says that the statements are in a function literal, because they may fail, or contain
	// defer or goto.
	wrapped bool
	// sets holds the versions of functions with variables that begin here.
	sets []*version
	// inits are the init functions, which are called in place.
	inits []*version
	// values are what the cell shows, if others refer to it.
	values []*symbol
}

// A symbol is the meaning of a top-level name of a cell.
type symbol struct {
	name string // the user's
	out  string // the program's
	kind symbolKind

	// path is the import path of a package, and used says that the program mentions it. No cell
	// imports preloaded packages.
	path      string
	used      bool
	preloaded bool
	dotted    bool   // some names are used without the package
	comment   string // after the import

	// For a variable: where it is used, and the state of writing it.
	typ      types.Type
	packaged bool // used by a function or another declaration
	cells    map[*exportedCell]bool
	declared bool
	unused   bool

	// For a function or method: indirect says that a function or a function literal mentions it,
	// and so means the newest version at the time of the call.
	versions []*version
	indirect bool
	method   *types.Func
}

type symbolKind int

const (
	otherSymbol symbolKind = iota
	packageSymbol
	variableSymbol
	functionSymbol
	methodSymbol
	labelSymbol
	stopSymbol // the function around calls that leave out errors within expressions
)

// A version is one declaration of a function.
type version struct {
	symbol     *symbol
	cell       *exportedCell // where it begins
	source     *syntax.Source
	start, end int
	nameAt     int
	uses       []occurrence
	signature  *types.Signature
	out        string
}

// An occurrence is a name in the text of a cell.
type occurrence struct {
	offset int
	name   string
	symbol *symbol
	// dotted says that the name belongs to the package of the symbol, imported with a dot.
	dotted bool
	// cell is the cell whose values are meant, and literal a literal for the source of one.
	cell    *exportedCell
	literal string
	// within says that the text goes between brackets, after the symbol: this is the first bracket.
	within bool
}

type occurrences map[*syntax.Source][]occurrence

// between returns the occurrences in a part of a source.
func (o occurrences) between(src *syntax.Source, start, end int) []occurrence {
	list := o[src]
	from, _ := slices.BinarySearchFunc(list, start, func(a occurrence, at int) int { return cmp.Compare(a.offset, at) })
	to, _ := slices.BinarySearchFunc(list, end, func(a occurrence, at int) int { return cmp.Compare(a.offset, at) })
	return list[from:to]
}

// read checks a cell and determines the meaning of its names.
func (x *exporter) read(cell Cell) error {
	e := &exportedCell{Cell: cell, index: len(x.cells), uses: occurrences{}}
	x.cells = append(x.cells, e)
	if cell.Text || cell.Skipped {
		return nil
	}
	problems := x.check(e)
	switch {
	case len(problems) == 0:
		x.survey(e)
		return nil
	case cell.Fails:
		e.failure = syntax.ProblemsError("CompileError", problems).Message
		return nil
	}
	return syntax.ProblemsError("CompileError", problems)
}

// check checks a cell and enters its declarations into the session.
func (x *exporter) check(e *exportedCell) []syntax.Problem {
	x.Transcript.Inputs[e.ExecutionCount()] = e.Source
	src, own, problems := x.withoutMagics(e)
	if len(problems) > 0 {
		return problems
	}
	problems = src.InCell(x.checkGo(e, src))
	if src.Of != nil {
		x.applyMagics(src.Of, own.After)
	}
	return problems
}

// checkGo checks the Go of a cell.
func (x *exporter) checkGo(e *exportedCell, src *syntax.Lexed) []syntax.Problem {
	p, problems := x.Parse(src)
	if len(problems) > 0 {
		return problems
	}
	k, problems := x.CheckWaiting(p)
	if len(problems) > 0 {
		return x.Explain(problems)
	}
	for v := range k.Embedded {
		return []syntax.Problem{x.Problem(v.Pos(), "files that a cell embeds are not exported. Read them with os.ReadFile, or skip the cell")}
	}
	l, problems := change.Record(x.Checker, k)
	if len(problems) > 0 {
		return problems
	}
	e.k = k
	if problems := l.CannotRun(); len(problems) > 0 {
		l.Rollback()
		e.k = nil
		return problems
	}
	l.Commit(len(k.Body))
	if k.Value != nil && !k.Silent {
		l.Shows(k.ShownTypes(k.Value)...)
	}
	l.Keep()
	return nil
}
