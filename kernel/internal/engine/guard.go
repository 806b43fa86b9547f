package engine

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"
)

// A guard finds the edits that let the worker stop the user's text once it is
// compiled, and live through what it does: checks in loops and at the entry of
// functions, waits that end with the cell (guard_channel.go, guard_library.go),
// and goroutines whose panics are caught (guard_go.go). What the text does is
// otherwise what it did.
//
// Edits copy no text of the user and add no lines, so they go together with
// those that give names another form. Columns behind an edit are other ones.
//
// What a guard cannot write without changing the meaning stays as it is, such
// as operations on channels whose type is a type parameter.
type guard struct {
	info *types.Info
	// source is the text, and offset where in it a position is.
	source string
	offset func(token.Pos) int
	// cell returns what the text calls a function of package cell, and standard
	// one of package standard.
	cell, standard func(function string) string
	// name returns what the text calls the object of an identifier; empty for
	// what the user calls it. It is asked for generic functions that a go
	// statement calls.
	name func(*ast.Ident) string
	// unchecked reports whether a function of the session has no check, and
	// signature writes the types of its parameters and results, if it can.
	unchecked func(*types.Func) bool
	signature func(*types.Signature) (params []string, results string, ok bool)

	leftOut map[ast.Stmt]leftOut

	edits edits
	// results are the types of those of the function that is walked, and files
	// the standard files that package standard has others for.
	results []types.Type
	files   map[ast.Expr]bool
	// wrapped holds what stands around functions that imported code may call.
	wrapped map[*ast.Ident][2]string
}

const standardPath = "github.com/hierml/notebook/kernel/internal/compiled/standard"

// guards returns the edits that guard the text of a node.
func (u *unit) guards(n ast.Node, p setting) edits {
	src, _ := u.within(n.Pos())
	if src == nil {
		return nil
	}
	g := &guard{
		info:   p.info,
		source: src.text,
		offset: func(pos token.Pos) int { _, at := u.within(pos); return at },
		cell:   u.cell,
		standard: func(function string) string {
			return u.alias(standardPath, "standard") + "." + function
		},
		name:      func(id *ast.Ident) string { return u.named(id, p, false, nil) },
		unchecked: u.unchecked,
		signature: u.spelled,
		leftOut:   p.leftOut,
	}
	if x, ok := n.(ast.Expr); ok {
		g.convertTo(x, p.becomes)
	}
	g.add(n)
	return g.edits
}

// add collects the edits of a node: a function, or a statement at the top of a
// cell or a part of it.
func (g *guard) add(root ast.Node) {
	g.walk(root)
}

// typeOf returns the type of an expression, which is an invalid one where none
// is known.
func (g *guard) typeOf(x ast.Expr) types.Type {
	if t := g.info.TypeOf(x); t != nil {
		return t
	}
	return types.Typ[types.Invalid]
}

func (g *guard) insert(pos token.Pos, text string) {
	g.edits.insert(g.offset(pos), text)
}

// replace replaces what stands from one position to another. It keeps the
// lines, by breaks after text.
func (g *guard) replace(from, to token.Pos, text string) {
	start, end := g.offset(from), g.offset(to)
	g.edits.replace(start, end, text+strings.Repeat("\n", strings.Count(g.source[start:end], "\n")))
}

// walk collects the edits of a node. Those of an expression that is put into a
// call come around those of its parts.
func (g *guard) walk(n ast.Node) {
	if n == nil {
		return
	}
	ast.Inspect(n, func(n ast.Node) bool {
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
			return !g.call(n)
		case *ast.SelectorExpr:
			return !g.selector(n)
		case *ast.Ident:
			g.identifier(n)
		}
		return true
	})
}

func (g *guard) check(body *ast.BlockStmt) {
	g.insert(body.Lbrace+1, " "+g.cell("Check")+"();")
}

// literal guards a function literal.
func (g *guard) literal(lit *ast.FuncLit, enters bool) {
	g.body(lit.Type, lit.Body, enters)
}

// body guards the body of a function of a type.
func (g *guard) body(t *ast.FuncType, body *ast.BlockStmt, enters bool) {
	results := g.results
	g.results = nil
	if t.Results != nil {
		for _, f := range t.Results.List {
			for range max(1, len(f.Names)) {
				g.results = append(g.results, g.info.TypeOf(f.Type))
			}
		}
	}
	if enters {
		g.check(body)
	}
	g.walk(body)
	g.results = results
}

// largeLeaf is the number of nodes from which on a function that calls nothing
// is not inlined by the compiler in any case.
const largeLeaf = 120

// enters reports whether a function with this body is checked when it is
// entered. Those that call nothing of the user are not, so that the compiler
// can still inline the small ones among them: a recursion needs a call.
func (g *guard) enters(body *ast.BlockStmt) bool {
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

// harmless reports whether a call is a conversion, or one of a builtin, of a
// literal that stands there, or of a function of the standard library.
func (g *guard) harmless(call *ast.CallExpr) bool {
	fun := ast.Unparen(call.Fun)
	if tv := g.info.Types[fun]; tv.IsType() || tv.IsBuiltin() {
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
	f, ok := g.info.Uses[id].(*types.Func)
	if !ok || f.Pkg() == nil || f.Pkg().Path() == packagePath {
		return false
	}
	if recv := f.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
		return false
	}
	first, _, _ := strings.Cut(f.Pkg().Path(), "/")
	return !strings.Contains(first, ".")
}

// fewRounds is how often a loop over something of known length may go round
// without a check.
const fewRounds = 16

// short reports whether a range loop has few rounds, none of which can be long
// for another loop in it.
func (g *guard) short(s *ast.RangeStmt) bool {
	tv := g.info.Types[s.X]
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
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			nested = true
		case *ast.BranchStmt:
			nested = nested || n.Tok == token.GOTO
		}
		return !nested
	})
	return !nested
}
