package emit

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"github.com/hierml/notebook/kernel/internal/check"
	"github.com/hierml/notebook/kernel/internal/check/typed"
	"github.com/hierml/notebook/kernel/internal/state"
)

// Small functions have no check, so that they can be inlined. If library code calls one of them, as
// a solver does with its objective, nothing would check. So it gets a literal with a check that
// calls the function.

// callback records an expression that imported code may call, if it is a function of the session
// without checks.
func (g *Guard) callback(x ast.Expr) {
	id, ok := ast.Unparen(x).(*ast.Ident)
	if !ok {
		return
	}
	f, ok := g.Info.Uses[id].(*types.Func)
	if !ok || f.Pkg() == nil || f.Pkg().Path() != state.PackagePath || f.Signature().Recv() != nil || f.Signature().TypeParams().Len() > 0 {
		return
	}
	if !g.Unchecked(f) {
		return
	}
	params, results, ok := g.Signature(f.Signature())
	if !ok {
		return
	}
	names := make([]string, len(params))
	for i, t := range params {
		name := "p" + strconv.Itoa(i+1) + "ˑˑ"
		params[i], names[i] = name+" "+t, name
		if strings.HasPrefix(t, "...") {
			names[i] += "..."
		}
	}
	call := ""
	if results != "" {
		results += " "
		call = "return "
	}
	if g.wrapped == nil {
		g.wrapped = map[*ast.Ident][2]string{}
	}
	g.wrapped[id] = [2]string{
		"func(" + strings.Join(params, ", ") + ") " + results + "{ " + g.Cell("Check") + "(); " + call,
		"(" + strings.Join(names, ", ") + ") }",
	}
}

// given guards the arguments of a call of imported code: those that it may call, those that it
// shows, and contexts.
func (g *Guard) given(call *ast.CallExpr) {
	f := g.called(call)
	if f == nil || f.Pkg() == nil || f.Pkg().Path() == state.PackagePath {
		return
	}
	for _, name := range check.Content(g.Info, f, call) {
		g.insert(name.Pos(), "Content.")
	}
	sig, ok := g.typeOf(call.Fun).Underlying().(*types.Signature)
	if !ok {
		return
	}
	for i, x := range call.Args {
		param := typed.Parameter(sig, i, call.Ellipsis.IsValid())
		if _, ok := param.Underlying().(*types.Signature); ok {
			g.callback(x)
		} else if _, several := g.typeOf(x).(*types.Tuple); !several && check.EndsWithCell(f, param) {
			if g.contexts == nil {
				g.contexts = map[ast.Expr]bool{}
			}
			g.contexts[x] = true
		}
	}
}

// callbackField records the value of a field of an imported type.
func (g *Guard) callbackField(field types.Object, x ast.Expr) {
	v, ok := field.(*types.Var)
	if !ok || !v.IsField() || v.Pkg() == nil || v.Pkg().Path() == state.PackagePath {
		return
	}
	if _, ok := v.Type().Underlying().(*types.Signature); ok {
		g.callback(x)
	}
}

// unchecked reports whether a function of the session has no check.
func (u *Unit) unchecked(f *types.Func) bool {
	fn := u.Session.FunctionOf(f)
	if fn == nil || fn.Written == nil {
		return false
	}
	return !Checks(fn.Written, fn.Info)
}

// Checks reports whether a function with guards has a check.
func Checks(d *ast.FuncDecl, info *types.Info) bool {
	found := false
	same := func(function string) string {
		found = found || function == "Check" || function == "CheckApart"
		return function
	}
	g := &Guard{
		Info:      info,
		Offset:    func(token.Pos) int { return 0 },
		Cell:      same,
		Standard:  same,
		Name:      func(*ast.Ident) string { return "" },
		Unchecked: func(*types.Func) bool { return false },
		Escapes:   func(*types.Func) bool { return false },
	}
	g.Add(d)
	return found
}

// Spelled returns the types of a function's parameters and results in the notation of the unit.
func (u *Unit) Spelled(sig *types.Signature) (params []string, results string, ok bool) {
	defer func() {
		switch r := recover().(type) {
		case nil, state.Unspoken:
		default:
			panic(r)
		}
	}()
	params = u.Params(sig)
	results = strings.TrimPrefix(u.Signature(types.NewSignatureType(nil, nil, nil, nil, sig.Results(), false)), "()")
	return params, strings.TrimSpace(results), true
}
