package emit

import (
	"encoding/hex"
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/hierml/notebook/kernel/internal/check/typed"
	"github.com/hierml/notebook/kernel/internal/state"
)

// A function literal, or a method value, may be called after the method that it calls was declared
// again. So both call the method through a variable that holds the newest version.

// noteCall records the callee of a call, and literals that the call does not keep.
func (g *Guard) noteCall(call *ast.CallExpr) {
	if g.calls == nil {
		g.calls, g.passed = map[ast.Expr]bool{}, map[*ast.FuncLit]bool{}
	}
	g.calls[ast.Unparen(call.Fun)] = true
	for _, arg := range call.Args {
		if lit, ok := arg.(*ast.FuncLit); ok && isPassed(lit, g.Info, []ast.Node{call}) {
			g.passed[lit] = true
		}
	}
}

// newest rewrites a call of a method of the session in a function literal. It reports whether it
// did.
func (g *Guard) newest(call *ast.CallExpr, f *types.Func) bool {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || g.kept == 0 {
		return false
	}
	s := g.Info.Selections[sel]
	if s == nil || s.Kind() != types.MethodVal {
		return false
	}
	if g.Method == nil {
		return false
	}
	variable, ok := g.Method(f)
	if !ok {
		return false
	}
	before, path := receiver(s, f)
	g.callWith(call, sel, variable+"("+before, path)
	return true
}

// methodValue rewrites the value of a method of the session, or of one that ends the process. It
// reports whether it did.
func (g *Guard) methodValue(sel *ast.SelectorExpr) bool {
	s := g.Info.Selections[sel]
	if s == nil || s.Kind() == types.FieldVal || g.calls[sel] && (g.kept == 0 || s.Kind() == types.MethodVal) {
		return false
	}
	f := s.Obj().(*types.Func)
	name, ok := "", false
	if s.Kind() == types.MethodVal && f.FullName() == "(*flag.FlagSet).Parse" {
		name, ok = g.Standard("FlagParser"), true
	} else if g.Value != nil {
		name, ok = g.Value(s, f)
	}
	if !ok {
		return false
	}
	if s.Kind() == types.MethodExpr {
		g.replace(sel.Pos(), sel.End(), name)
		return true
	}
	before, path := receiver(s, f)
	g.insert(sel.Pos(), name+"("+before)
	g.walk(sel.X)
	g.replace(sel.X.End(), sel.End(), path+")")
	return true
}

// returns is the text before a call of a function in a function with the same results.
func returns(f *types.Func) string {
	if f.Signature().Results().Len() == 0 {
		return ""
	}
	return "return "
}

// receiver returns the text around the operand of a selector that becomes the receiver.
func receiver(s *types.Selection, f *types.Func) (before, path string) {
	path, refers := embedding(s)
	_, wants := f.Signature().Recv().Type().(*types.Pointer)
	switch {
	case wants && !refers:
		before = "&"
	case !wants && refers:
		before = "*"
	}
	return before, path
}

// heldMethod returns the method of the session behind an object, if a variable can hold it.
func (u *Unit) heldMethod(f *types.Func) (*state.Function, bool) {
	fn := u.Session.FunctionOf(f)
	return fn, fn != nil && fn.Written != nil && fn.Receiver != nil && fn.Receiver.Node != nil && !fn.Generic && !u.escapes(fn)
}

// newestMethod returns the variable that holds the newest version of a method. The unit declares
// one if no unit has one for the current type of the receiver.
func (u *Unit) newestMethod(f *types.Func) (variable string, ok bool) {
	fn, ok := u.heldMethod(f)
	if !ok {
		return "", false
	}
	held := u.heldType(fn)
	if i := slices.IndexFunc(u.holders[fn], func(h holder) bool { return h.typ == held }); i >= 0 {
		return u.refer(u.holders[fn][i].home), true
	}
	h := home{path: u.path, name: Mark + fn.Lowered()}
	u.hold(fn, holder{h, held})
	u.parts = append(u.parts, fmt.Sprintf("%svar %s func%s\n", generated, h.name, u.Signature(state.SignatureOf(fn))))
	u.held = append(u.held, h.name+" = "+u.methodExpression(fn))
	return h.name, true
}

// valueOf returns the function that makes a method value: for x.M it is called with the receiver,
// and for T.M it is the value. The linker shows it under Go's name for the value.
func (u *Unit) valueOf(s *types.Selection, f *types.Func) (name string, ok bool) {
	fn, ok := u.heldMethod(f)
	if !ok || fn.Written.Body != nil && typed.Recovers(fn.Info, fn.Written.Body) {
		return "", false // recover works only in the deferred function
	}
	params, results, ok := u.Spelled(f.Signature())
	if !ok {
		return "", false
	}
	variable, _ := u.newestMethod(f)
	shown := fn.Name + "-fm"
	recv, before, path := f.Signature().Recv().Type(), "", ""
	if s.Kind() == types.MethodExpr {
		recv = s.Recv()
		before, path = receiver(s, f)
		shown = receiverText(recv) + "." + f.Name()
	}
	name = "as" + Mark + hex.EncodeToString([]byte(shown))
	if u.names[name] {
		return name, true
	}
	recvText, _, ok := u.Spelled(types.NewSignatureType(nil, nil, nil, types.NewTuple(types.NewParam(0, nil, "", recv)), nil, false))
	if !ok {
		return "", false
	}
	u.names[name] = true
	takes, gives := make([]string, len(params)), make([]string, len(params))
	for i, p := range params {
		gives[i] = fmt.Sprintf("p%d", i)
		takes[i] = gives[i] + " " + p
		if strings.HasPrefix(p, "...") {
			gives[i] += "..."
		}
	}
	call := fmt.Sprintf("{ %s%s(%s) }", returns(f), variable, strings.Join(append([]string{before + "r" + path}, gives...), ", "))
	head := fmt.Sprintf("func %s(r %s", name, recvText[0])
	if s.Kind() == types.MethodExpr {
		u.parts = append(u.parts, fmt.Sprintf("%s%s) %s %s\n", generated, strings.Join(append([]string{head}, takes...), ", "), results, call))
	} else {
		// If it were inlined, its literal would get another name.
		u.parts = append(u.parts, fmt.Sprintf("//go:noinline\n%s%s) func(%s) %s { return func(%s) %s %s }\n", generated, head, strings.Join(params, ", "), results, strings.Join(takes, ", "), results, call))
	}
	return name, true
}

// receiverText writes a type as Go names the receiver of a method.
func receiverText(t types.Type) string {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		return "(*" + receiverText(p.Elem()) + ")"
	}
	return types.TypeString(t, func(*types.Package) string { return "" })
}

// methodExpression writes a method as a function.
func (u *Unit) methodExpression(fn *state.Function) string {
	recv := u.refer(u.home(types.Object(fn.Receiver.Object)))
	if fn.Pointer {
		recv = "(*" + recv + ")"
	}
	return recv + "." + fn.Method
}
