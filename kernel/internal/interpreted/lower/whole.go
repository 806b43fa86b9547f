package lower

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"github.com/hierml/notebook/kernel/internal/check/typed"
	"github.com/hierml/notebook/kernel/internal/interpreted/shape"
)

// library is where the functions are that return what they have when their context ends.
const library = "github.com/hierml/notebook/hierml/"

// whole writes a statement of the cell that assigns the results of a function of the library which
// is given a context, as m, err := e.Fit(ctx, d): an interrupt, at which the function returns what
// it has, is not to come between it and the variables. What is called and the assignment are one
// step of the interpreter therefore. number is how many statements are done then.
func (b *body) whole(s ast.Stmt, number int) (text string, ok bool) {
	a, ok := s.(*ast.AssignStmt)
	if !ok || len(a.Lhs) < 2 || len(a.Rhs) != 1 || b.l.K.Remembered[a] {
		return "", false
	}
	call, ok := ast.Unparen(a.Rhs[0]).(*ast.CallExpr)
	if !ok {
		return "", false
	}
	fun, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return "", false
	}
	f := b.CalleeObject(fun)
	if !returnsWhatItHas(f) || f.Signature().Params().Len() != len(call.Args) {
		return "", false
	}
	for i, e := range call.Args {
		if !b.Info.Types[e].IsNil() && !compiledValue(b.Info.TypeOf(e), f.Signature().Params().At(i).Type()) {
			return "", false
		}
	}
	places := make([]string, len(a.Lhs))
	for i, e := range a.Lhs {
		id, ok := e.(*ast.Ident)
		if !ok {
			return "", false
		}
		if id.Name == "_" {
			places[i] = "nil"
			continue
		}
		p := b.declared(id)
		if !p.top || !types.Identical(p.t, f.Signature().Results().At(i).Type()) {
			return "", false
		}
		places[i] = "&" + p.text
	}
	receiver, name := "nil", ""
	switch method := b.Info.Selections[fun]; {
	case method == nil:
		receiver = b.l.Use(f.Pkg()) + "." + f.Name()
	case method.Kind() == types.MethodVal && len(method.Index()) == 1 && !types.IsInterface(method.Recv()):
		receiver, _, _ = b.receiver(fun, method)
		name = f.Name()
		if pointer(f.Signature().Recv().Type()) && !pointer(method.Recv()) {
			receiver = "&" + receiver
		}
	default:
		return "", false
	}
	args := []string{fmt.Sprint(number), "[]interface{}{" + strings.Join(places, ", ") + "}", receiver, fmt.Sprintf("%q", name)}
	for i, e := range call.Args {
		args = append(args, b.argument(e, typed.Parameter(f.Signature(), i, false), f))
	}
	return b.Mark(a) + shape.Bridge + ".Whole(" + strings.Join(args, ", ") + ")\n", true
}

// returnsWhatItHas reports whether a function is one of the library that is given a context first
// and returns an error last.
func returnsWhatItHas(f *types.Func) bool {
	if f == nil || f.Pkg() == nil || !strings.HasPrefix(f.Pkg().Path(), library) {
		return false
	}
	sig := f.Signature()
	if sig.TypeParams().Len() > 0 || sig.RecvTypeParams().Len() > 0 || sig.Variadic() || sig.Params().Len() == 0 || sig.Results().Len() < 2 {
		return false
	}
	return sig.Params().At(0).Type().String() == "context.Context" && typed.IsError(sig.Results().At(sig.Results().Len()-1).Type())
}

// compiledValue reports whether a value of type t is one of the parameter's already: of a named
// type, which is one of compiled code as the parameter's is, or a pointer to one.
func compiledValue(t, parameter types.Type) bool {
	if !types.Identical(t, parameter) {
		return false
	}
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return false
	}
	_, function := named.Underlying().(*types.Signature)
	return !function
}

func pointer(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.Pointer)
	return ok
}
