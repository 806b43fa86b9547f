package emit

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/hierml/notebook/kernel/internal/check/typed"
)

// start guards a go statement, so that a panic in the goroutine ends the cell and not the worker. A
// literal catches the panic itself, and any other function is called by a literal. Function and
// arguments are evaluated at the statement, all in one assignment, as in Go:
//
//	go f(a, b)
//	{ functionˑˑ, a1ˑˑ, a2ˑˑ := f, a, b; go func() { defer cellˑ.Caught(); functionˑˑ(a1ˑˑ, a2ˑˑ) }() }
//
// A statement that cannot be rewritten in this way stays unchanged.
func (g *Guard) start(s *ast.GoStmt) {
	g.convert(s.Call)
	fun := ast.Unparen(s.Call.Fun)
	if lit, ok := fun.(*ast.FuncLit); ok {
		g.insert(lit.Body.Lbrace+1, " defer "+g.Cell("Caught")+"();")
		g.literal(lit, g.enters(lit.Body))
		for _, arg := range s.Call.Args {
			g.walk(arg)
		}
		return
	}
	l := &launch{Guard: g, call: s.Call, constants: make([]bool, len(s.Call.Args))}
	f := g.called(s.Call)
	if f != nil && g.Escapes(f) || !l.function(fun) || !l.arguments() {
		g.walk(s.Call)
		return
	}
	l.write(s)
}

// A launch is the call of a go statement that is being rewritten.
type launch struct {
	*Guard
	call *ast.CallExpr
	// callee is the function that the literal calls, and dropped says that the original text of the
	// function is left out, since callee replaces it.
	callee  string
	dropped bool
	// params is the type of the function, nil for a builtin; generic says that the call infers its
	// type arguments.
	params  *types.Signature
	generic bool
	// names are the variables on the left of the assignment, beginning with that of the function if
	// it has one. passed are the arguments that the literal passes.
	names, passed []string
	// constants says which arguments are passed as constants.
	constants []bool
	// multiple says that the only argument is a call with several results.
	multiple bool
}

const calledName = "functionˑˑ"

// function determines the function that the literal calls. It reports false if that cannot be
// written.
func (l *launch) function(fun ast.Expr) bool {
	tv := l.Info.Types[fun]
	if tv.IsBuiltin() {
		id, ok := fun.(*ast.Ident)
		if !ok || id.Name == "recover" {
			return false
		}
		l.callee, l.dropped = id.Name, true
		switch id.Name {
		case "print", "println":
			l.callee = l.Cell(strings.ToUpper(id.Name[:1]) + id.Name[1:])
		}
		return true
	}
	l.params, _ = l.typeOf(fun).Underlying().(*types.Signature)
	if l.params == nil {
		return false
	}
	if l.uninstantiated(fun) {
		var ok bool
		if l.callee, ok = l.genericName(fun); !ok {
			return false
		}
		l.dropped, l.generic = true, true
		return true
	}
	l.callee = calledName
	l.names = []string{calledName}
	return true
}

// uninstantiated reports whether an expression is a generic function without all of its type
// arguments.
func (g *Guard) uninstantiated(x ast.Expr) bool {
	x = ast.Unparen(x)
	written := 0
	switch e := x.(type) {
	case *ast.IndexExpr:
		x, written = e.X, 1
	case *ast.IndexListExpr:
		x, written = e.X, len(e.Indices)
	}
	var id *ast.Ident
	switch e := ast.Unparen(x).(type) {
	case *ast.Ident:
		id = e
	case *ast.SelectorExpr:
		id = e.Sel
	default:
		return false
	}
	f, ok := g.Info.Uses[id].(*types.Func)
	return ok && f.Signature().TypeParams().Len() > written
}

// genericName returns the text of a generic function given by name.
func (l *launch) genericName(fun ast.Expr) (string, bool) {
	text := func(id *ast.Ident) string {
		if name := l.Name(id); name != "" {
			return name
		}
		return id.Name
	}
	switch x := fun.(type) {
	case *ast.Ident:
		return text(x), true
	case *ast.SelectorExpr:
		if id, ok := x.X.(*ast.Ident); ok {
			_, ok = l.Info.Uses[id].(*types.PkgName)
			return text(id) + "." + x.Sel.Name, ok
		}
	}
	return "", false
}

// arguments decides how the arguments are passed. It reports false if that is not possible.
func (l *launch) arguments() bool {
	if len(l.call.Args) == 1 {
		if t, ok := l.Info.TypeOf(l.call.Args[0]).(*types.Tuple); ok {
			if l.params == nil {
				return false
			}
			l.multiple = true
			for i := range t.Len() {
				name := fmt.Sprintf("a%dˑˑ", i+1)
				l.pass(name, name)
			}
			return true
		}
	}
	for i, arg := range l.call.Args {
		if !l.argument(i, arg) {
			return false
		}
	}
	return true
}

// pass passes an argument through a variable.
func (l *launch) pass(name, passed string) {
	l.names = append(l.names, name)
	l.passed = append(l.passed, passed)
}

// argument decides how an argument is passed. The variable has the type of the argument; for an
// untyped one that must be the type of the parameter.
func (l *launch) argument(i int, arg ast.Expr) bool {
	name := fmt.Sprintf("a%dˑˑ", i+1)
	if l.null(arg) {
		l.pass("_", "nil")
		return true
	}
	if l.uninstantiated(arg) {
		return false
	}
	if l.params == nil {
		l.pass(name, name)
		return true
	}
	param := typed.Parameter(l.params, i, l.call.Ellipsis.IsValid())
	if _, ok := types.Unalias(param).(*types.TypeParam); ok {
		l.pass(name, name)
		return hasType(l.Info, arg)
	}
	if types.IsInterface(param) {
		l.pass(name, name)
		return true
	}
	tv := l.Info.Types[arg]
	basic, _ := types.Unalias(param).(*types.Basic)
	switch {
	case tv.Value != nil:
		if lit, ok := ast.Unparen(arg).(*ast.BasicLit); ok && basic != nil && basic.Kind() == literalKinds[lit.Kind] {
			l.pass(name, name)
			return true
		}
		l.pass("_", constantText(tv.Value, param))
		l.constants[i] = true
		// A type argument may be inferred from the constant.
		return !l.generic
	case untypedShift(l.Info, arg) && (basic == nil || basic.Kind() != types.Int):
		return false
	case isBoolean(param) && basic == nil:
		// A comparison is untyped and becomes a bool in a variable.
		l.pass(name, "("+name+" == (0 == 0))")
		return !l.generic
	}
	l.pass(name, name)
	return true
}

// hasType reports whether an expression has the same type in any place.
func hasType(info *types.Info, x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		_, ok := info.Uses[x].(*types.Var)
		return ok
	case *ast.SelectorExpr:
		_, ok := info.Uses[x.Sel].(*types.Var)
		return ok
	case *ast.CallExpr, *ast.IndexExpr, *ast.StarExpr, *ast.CompositeLit, *ast.TypeAssertExpr:
		return true
	}
	return false
}

// literalKinds are the default types of literals.
var literalKinds = map[token.Token]types.BasicKind{
	token.INT:    types.Int,
	token.FLOAT:  types.Float64,
	token.IMAG:   types.Complex128,
	token.CHAR:   types.Rune,
	token.STRING: types.String,
}

func isBoolean(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}

// untypedShift reports whether x contains a constant shifted by a non-constant: its type depends on
// the place of the expression.
func untypedShift(info *types.Info, x ast.Expr) bool {
	found := false
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if n.Op == token.SHL || n.Op == token.SHR {
				found = found || info.Types[n.X].Value != nil
			}
		case *ast.FuncLit, *ast.CallExpr, *ast.IndexExpr, *ast.CompositeLit:
			return false
		}
		return true
	})
	return found
}

// write collects the edits of the statement.
func (l *launch) write(s *ast.GoStmt) {
	call := l.call
	open, end := call.Lparen, call.Lparen
	if len(call.Args) > 0 {
		end = call.Args[len(call.Args)-1].End()
	}
	switch {
	case l.dropped:
		end = max(end, open+1)
		l.replace(s.Go, open+1, "{ "+assigned(l.names))
	case l.multiple:
		l.replace(s.Go, s.Go+2, "{ "+assigned(l.names[:1]))
		l.walk(call.Fun)
		l.replace(open, open+1, "; "+assigned(l.names[1:]))
	default:
		l.replace(s.Go, s.Go+2, "{ "+assigned(l.names))
		l.walk(call.Fun)
		if len(call.Args) > 0 {
			l.replace(open, open+1, ", ")
		}
	}
	for i, arg := range call.Args {
		switch {
		case l.null(arg):
			// A nil has no type for a variable.
			id := ast.Unparen(arg)
			l.replace(id.Pos(), id.End(), "0")
		case l.constants[i]:
			// The text stays in a place that does not use its type or value.
			l.insert(arg.Pos(), "func() { const _ = ")
			l.walk(arg)
			l.insert(arg.End(), " }")
		default:
			l.walk(arg)
		}
	}
	passed := strings.Join(l.passed, ", ")
	if call.Ellipsis.IsValid() {
		passed += "..."
	}
	l.replace(end, call.Rparen+1, "; go func() { defer "+l.Cell("Caught")+"(); "+l.callee+"("+passed+") }() }")
}

// assigned writes the left side of an assignment to new variables.
func assigned(names []string) string {
	operator := " = "
	for _, name := range names {
		if name != "_" {
			operator = " := "
		}
	}
	if len(names) == 0 {
		return ""
	}
	return strings.Join(names, ", ") + operator
}
