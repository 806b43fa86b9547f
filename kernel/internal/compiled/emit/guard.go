package emit

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"github.com/hierml/notebook/kernel/internal/check/typed"
	"github.com/hierml/notebook/kernel/internal/state"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// A Guard finds the edits with which the worker can stop the user's compiled text, and survive it:
// checks in loops, before goto and at the entry of functions, waits that end with the cell
// (guard_channel.go, guard_library.go), and goroutines whose panics are caught (guard_go.go). The
// meaning stays the same.
//
// Edits copy no user text and add no lines, so they combine with the edits that rename identifiers.
// Columns after an edit change.
//
// Code that a guard cannot rewrite without changing its meaning stays unchanged, such as operations
// on channels whose type is a type parameter.
type Guard struct {
	Info *types.Info
	// Source is the text, and offset the offset of a position in it.
	Source string
	Offset func(token.Pos) int
	// Cell returns the name in the text of a function of package cell, standard one of package
	// standard, and gob one of package gobnames.
	Cell, Standard, Gob func(function string) string
	// Name returns the text's name for the object of an identifier; empty if that is the user's
	// name. It is called for generic functions in go statements.
	Name func(*ast.Ident) string
	// Unchecked reports whether a function of the session has no check, and signature writes the
	// types of its parameters and results, if it can.
	Unchecked func(*types.Func) bool
	Signature func(*types.Signature) (params []string, results string, ok bool)
	// Escapes reports whether only calls that name a function keep its pointer arguments alive
	// (//go:uintptrescapes).
	Escapes func(*types.Func) bool

	// Method returns the variable that holds the newest version of a method of the session; false
	// for others. Nil means that there are no such methods.
	Method func(*types.Func) (variable string, ok bool)
	// Value returns the function that makes the method value of a selection.
	Value func(*types.Selection, *types.Func) (function string, ok bool)

	leftOut map[ast.Stmt]leftOut
	// stopping returns the text around a call within an expression that leaves out its error.
	stopping func(call ast.Expr) (before, behind string)

	Edits syntax.Edits
	// results are the result types of the current function, and files the standard files that
	// package standard replaces.
	results []types.Type
	files   map[ast.Expr]bool
	// apart says that the checks of the current function are real calls, which are not inlined.
	apart bool
	// wrapped holds the text around functions that imported code may call.
	wrapped map[*ast.Ident][2]string
	// contexts are arguments that must end with the cell.
	contexts map[ast.Expr]bool
	// kept counts the literals around the current node that may be called when the cell has ended;
	// passed are others. calls are selectors that calls call.
	kept   int
	passed map[*ast.FuncLit]bool
	calls  map[ast.Expr]bool
}

const StandardPath = "github.com/hierml/notebook/kernel/internal/compiled/standard"

// guards returns the edits that guard the text of a node.
func (u *Unit) guards(n ast.Node, p setting) syntax.Edits {
	src, _ := u.Within(n.Pos())
	if src == nil {
		return nil
	}
	g := &Guard{
		Info:   p.info,
		Source: src.Text,
		Offset: func(pos token.Pos) int { _, at := u.Within(pos); return at },
		Cell:   u.cell,
		Standard: func(function string) string {
			return u.alias(StandardPath, "standard") + "." + function
		},
		Gob:       u.gob,
		Name:      func(id *ast.Ident) string { return u.newName(id, p, false, nil) },
		Unchecked: u.unchecked,
		Signature: u.Spelled,
		Escapes: func(f *types.Func) bool {
			fn := u.Session.FunctionOf(f)
			return fn != nil && u.escapes(fn)
		},
		leftOut:  p.leftOut,
		Method:   u.newestMethod,
		Value:    u.valueOf,
		stopping: func(call ast.Expr) (before, behind string) { return u.stopping(call, p.info) },
	}
	if x, ok := n.(ast.Expr); ok {
		g.convertTo(x, p.becomes)
	}
	g.Add(n)
	return g.Edits
}

// Add collects the edits of a node: a function, or a statement at the top of a cell or a part of
// it.
func (g *Guard) Add(root ast.Node) {
	g.walk(root)
}

// typeOf returns the type of an expression, or an invalid one if it is unknown.
func (g *Guard) typeOf(x ast.Expr) types.Type {
	if t := g.Info.TypeOf(x); t != nil {
		return t
	}
	return types.Typ[types.Invalid]
}

func (g *Guard) insert(pos token.Pos, text string) {
	g.Edits.Insert(g.Offset(pos), text)
}

// replace replaces the text between two positions. It keeps the lines, by adding line breaks after
// the text.
func (g *Guard) replace(from, to token.Pos, text string) {
	start, end := g.Offset(from), g.Offset(to)
	g.Edits.Replace(start, end, text+strings.Repeat("\n", strings.Count(g.Source[start:end], "\n")))
}

// walk collects the edits of a node. The edits of an expression that becomes an argument enclose
// those of its parts.
func (g *Guard) walk(n ast.Node) {
	if n == nil {
		return
	}
	ast.Inspect(n, func(n ast.Node) bool {
		if x, ok := n.(ast.Expr); ok && g.contexts[x] {
			delete(g.contexts, x)
			g.insert(x.Pos(), g.Standard("EndsWithCell")+"(")
			g.walk(x)
			g.insert(x.End(), ")")
			return false
		}
		g.convert(n)
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Body != nil {
				g.body(n.Type, n.Body, g.enters(n.Body))
			}
			return false
		case *ast.FuncLit:
			g.literal(n, true)
			return false
		case *ast.ExprStmt:
			if left, ok := g.leftOut[n]; ok {
				g.insert(n.Pos(), left.taken)
				g.walk(n.X)
				g.insert(n.End(), left.then)
				return false
			}
		case *ast.AssignStmt:
			if left, ok := g.leftOut[n]; ok {
				taker := len(n.Lhs) - 1 // the blank for the error, which is not in the text
				if left.aside {
					g.replace(n.Lhs[0].Pos(), n.Rhs[0].Pos(), left.taken)
					g.walk(n.Rhs[0])
					g.insert(n.End(), left.then)
					return false
				}
				for _, e := range n.Lhs[:taker] {
					g.walk(e)
				}
				g.insert(n.Lhs[taker-1].End(), left.taken)
				g.walk(n.Rhs[0])
				g.insert(n.End(), left.then)
				return false
			}
		case *ast.ForStmt:
			g.walk(n.Init)
			g.walk(n.Cond)
			g.walk(n.Post)
			g.check(n.Body)
			g.walk(n.Body)
			return false
		case *ast.RangeStmt:
			g.rangeLoop(n)
			return false
		case *ast.BranchStmt:
			if n.Tok == token.GOTO {
				g.insert(n.Pos(), g.checkCall()+" ")
			}
		case *ast.SelectStmt:
			g.selection(n)
			return false
		case *ast.SendStmt:
			g.send(n)
			return false
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				g.receive(n)
				return false
			}
		case *ast.GoStmt:
			g.start(n)
			return false
		case *ast.CallExpr:
			if call, ok := typed.Stops(n); ok {
				before, behind := g.stopping(call)
				g.insert(call.Pos(), before)
				g.walk(call)
				g.insert(call.End(), behind)
				return false
			}
			g.noteCall(n)
			return !g.call(n)
		case *ast.SelectorExpr:
			return !g.methodValue(n) && !g.selector(n)
		case *ast.Ident:
			g.identifier(n)
		}
		return true
	})
}

func (g *Guard) check(body *ast.BlockStmt) { g.insert(body.Lbrace+1, " "+g.checkCall()) }

// checkCall writes a check.
func (g *Guard) checkCall() string {
	function := "Check"
	if g.apart {
		function = "CheckApart"
	}
	return g.Cell(function) + "();"
}

// defersRecover reports whether a function itself has defer recover(), which inspects its frame:
// the compiler may attribute the end of the function to an inlined check, which would look like
// another frame.
func (g *Guard) defersRecover(body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		if d, ok := n.(*ast.DeferStmt); ok {
			id, ok := ast.Unparen(d.Call.Fun).(*ast.Ident)
			found = found || ok && g.Info.Uses[id] == types.Universe.Lookup("recover")
		}
		_, literal := n.(*ast.FuncLit)
		return !literal
	})
	return found
}

// literal guards a function literal.
func (g *Guard) literal(lit *ast.FuncLit, enters bool) {
	if !g.passed[lit] {
		g.kept++
		defer func() { g.kept-- }()
	}
	g.body(lit.Type, lit.Body, enters)
}

// body guards the body of a function of a type.
func (g *Guard) body(t *ast.FuncType, body *ast.BlockStmt, enters bool) {
	results, apart := g.results, g.apart
	g.results, g.apart = nil, g.defersRecover(body)
	if t.Results != nil {
		for _, f := range t.Results.List {
			for range max(1, len(f.Names)) {
				g.results = append(g.results, g.Info.TypeOf(f.Type))
			}
		}
	}
	if enters {
		g.check(body)
	}
	g.walk(body)
	g.results, g.apart = results, apart
}

// largeLeaf is the number of nodes from which the compiler never inlines a function that calls
// nothing.
const largeLeaf = 120

// enters reports whether a function with this body has a check at its entry. Functions that call no
// user code have none, so that the compiler can still inline the small ones: a recursion needs a
// call.
func (g *Guard) enters(body *ast.BlockStmt) bool {
	nodes, calls := 0, false
	ast.Inspect(body, func(n ast.Node) bool {
		if n == nil {
			return false
		}
		nodes++
		if call, ok := n.(*ast.CallExpr); ok && !calls {
			calls = !g.harmless(call)
		}
		return !calls
	})
	return calls || nodes > largeLeaf
}

// harmless reports whether a call is a conversion, or one of a builtin, of a literal in place, or
// of a function of the standard library.
func (g *Guard) harmless(call *ast.CallExpr) bool {
	fun := ast.Unparen(call.Fun)
	if tv := g.Info.Types[fun]; tv.IsType() || tv.IsBuiltin() {
		return true
	}
	switch x := fun.(type) {
	case *ast.IndexExpr:
		fun = ast.Unparen(x.X)
	case *ast.IndexListExpr:
		fun = ast.Unparen(x.X)
	}
	var id *ast.Ident
	switch x := fun.(type) {
	case *ast.FuncLit:
		return true
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		id = x.Sel
	default:
		return false
	}
	f, ok := g.Info.Uses[id].(*types.Func)
	if !ok || f.Pkg() == nil || f.Pkg().Path() == state.PackagePath {
		return false
	}
	if recv := f.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
		return false
	}
	first, _, _ := strings.Cut(f.Pkg().Path(), "/")
	return !strings.Contains(first, ".")
}

// fewRounds bounds the rounds of a loop over something of known length without a check.
const fewRounds = 16

// short reports whether a range loop has few rounds, none of them with an inner loop.
func (g *Guard) short(s *ast.RangeStmt) bool {
	tv := g.Info.Types[s.X]
	rounds := int64(-1)
	switch t := g.typeOf(s.X).Underlying().(type) {
	case *types.Array:
		rounds = t.Len()
	case *types.Pointer:
		if a, ok := t.Elem().Underlying().(*types.Array); ok {
			rounds = a.Len()
		}
	case *types.Basic:
		switch {
		case tv.Value == nil:
		case t.Info()&types.IsString != 0:
			rounds = int64(len(constant.StringVal(tv.Value)))
		default:
			if n, ok := constant.Int64Val(constant.ToInt(tv.Value)); ok {
				rounds = n
			}
		}
	}
	if rounds < 0 || rounds > fewRounds {
		return false
	}
	nested := false
	ast.Inspect(s.Body, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			nested = true
		}
		return !nested
	})
	return !nested
}
