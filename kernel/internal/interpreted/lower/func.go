package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/hierml/notebook/kernel/internal/check/typed"
	"github.com/hierml/notebook/kernel/internal/interpreted/refusal"
	"github.com/hierml/notebook/kernel/internal/interpreted/traceback"
	"github.com/hierml/notebook/kernel/internal/state"
)

// A body is the function, function literal or cell whose statements are being lowered.
type body struct {
	l *lowering
	traceback.Notes
	// locals holds the lowered names of local objects.
	locals map[types.Object]string
	// function is the declared function around it; nil in a cell.
	function *state.Function
	// results are those of the innermost function or literal.
	results *types.Tuple
	// enclosing is the innermost function literal around; nil in a function.
	enclosing *ast.FuncLit
	// literal is how many function literals are around.
	literal int
	// resultNames holds the lowered names of the results; empty if they have none.
	resultNames []string
	// targets are the statements around that break or continue can mean, within the innermost
	// function or literal.
	targets []*target
	// loops counts the loops around in the innermost function or literal.
	loops int
	// deferring is the lowered name of the function's deferred calls, empty if it has none.
	deferring string
	// inline says that a statement has to be one line, before a condition.
	inline bool
	// override holds texts for expressions that were evaluated before.
	override map[ast.Expr]string
	// called is the identifier of the function in the call that is written.
	called *ast.Ident
}

// callee returns the name by which a body calls a declared function. What a declared function calls
// it names directly: it is lowered again when that changes. Literals and cells outlive such changes
// and go by the variable.
func (b *body) callee(fn *state.Function) string {
	b.l.Ready(fn)
	if !fn.Emitted {
		b.l.Need(fn)
	}
	if b.function == nil || b.literal > 0 {
		if b.literal == 0 {
			return fn.Lowered()
		}
		b.l.Value(fn)
		return fn.Variable
	}
	b.function.Calls[fn] = true
	return fn.Lowered()
}

// functionNamed returns the name by which a body mentions a declared function, as what is called or
// as a value. Of a function that it has not seen the interpreter makes a value that does nothing,
// wherever the lowered text has a literal around the name. So as values those that are written
// later, and the one that is being written, go by the variable, which is set when all are there.
func (b *body) functionNamed(fn *state.Function, id *ast.Ident) string {
	name := b.callee(fn)
	if b.function == nil || b.literal > 0 || id == b.called || fn != b.function && (b.l.Done[fn] || !b.l.Queued[fn]) {
		return name
	}
	b.l.Value(fn)
	return fn.Variable
}

// functionName returns the identifier of the function that an expression names, nil if it names
// none.
func functionName(fun ast.Expr) *ast.Ident {
	switch fun := ast.Unparen(fun).(type) {
	case *ast.Ident:
		return fun
	case *ast.SelectorExpr:
		return fun.Sel
	case *ast.IndexExpr:
		return functionName(fun.X)
	case *ast.IndexListExpr:
		return functionName(fun.X)
	}
	return nil
}

// function lowers a declared function.
func (l *lowering) function(fn *state.Function) {
	l.C.StopIfCancelled()
	refusal.Function(l.Change, fn)
	fn.Calls = map[*state.Function]bool{}
	l.Done[fn] = true
	l.Site = fn.Site
	defer func() { l.Site = token.NoPos }()
	if !fn.Emitted {
		fn.Emitted = true
		l.Later(func() { fn.Emitted = false })
	}
	sig := state.SignatureOf(fn)
	b := &body{l: l, Notes: l.notes(fn.Info, fn.Name, fn.Cell), locals: map[types.Object]string{}, function: fn, results: sig.Results()}
	l.Pos = fn.Decl.Pos()
	head := "func " + fn.Lowered() + b.funcHead(fn.Decl.Type, sig, fn.Decl.Body)
	text := b.funcBody(fn.Decl.Body)
	l.Funcs = append(l.Funcs, head+" "+text)
	if fn.Valued {
		l.Setup = append([]string{fmt.Sprintf("%s = %s", fn.Variable, fn.Lowered())}, l.Setup...)
	}
}

// funcHead writes parameters, all of them named, and results, named where the function has deferred
// calls.
func (b *body) funcHead(t *ast.FuncType, sig *types.Signature, block *ast.BlockStmt) string {
	var out strings.Builder
	out.WriteByte('(')
	i := 0
	param := func(name string) {
		if i > 0 {
			out.WriteString(", ")
		}
		typ := sig.Params().At(i).Type()
		text := ""
		if sig.Variadic() && i == sig.Params().Len()-1 {
			if s, ok := typ.Underlying().(*types.Slice); ok {
				text = "..." + b.l.Typ(s.Elem())
			}
		}
		if text == "" {
			text = b.l.Typ(typ)
		}
		fmt.Fprintf(&out, "%s %s", name, text)
		i++
	}
	for _, f := range t.Params.List {
		if len(f.Names) == 0 {
			param(fmt.Sprintf("unnamed__%d", i))
		}
		for _, id := range f.Names {
			if id.Name == "_" {
				param(fmt.Sprintf("unnamed__%d", i))
				continue
			}
			param(b.define(id))
		}
	}
	out.WriteByte(')')
	b.resultNames = nil
	if t.Results == nil {
		return out.String()
	}
	if t.Results.NumFields() > 0 && len(t.Results.List[0].Names) > 0 {
		out.WriteString(" (")
		j := 0
		for _, f := range t.Results.List {
			for _, id := range f.Names {
				if j > 0 {
					out.WriteString(", ")
				}
				name := fmt.Sprintf("result__%d", j)
				if id.Name != "_" {
					name = b.define(id)
				}
				b.resultNames = append(b.resultNames, name)
				fmt.Fprintf(&out, "%s %s", name, b.l.Typ(sig.Results().At(j).Type()))
				j++
			}
		}
		out.WriteByte(')')
		return out.String()
	}
	if list, _ := b.entry(block); !typed.Defers(list) {
		out.WriteString(b.l.Results(sig))
		return out.String()
	}
	list := make([]string, sig.Results().Len())
	for i := range list {
		b.resultNames = append(b.resultNames, fmt.Sprintf("result__%d", i))
		list[i] = b.resultNames[i] + " " + b.l.Typ(sig.Results().At(i).Type())
	}
	out.WriteString(" (" + strings.Join(list, ", ") + ")")
	return out.String()
}

// define returns the lowered name of a local that an identifier declares.
func (b *body) define(id *ast.Ident) string {
	if id.Name == "_" {
		return "_"
	}
	obj := b.Info.Defs[id]
	if obj == nil {
		return b.ident(id)
	}
	return b.local(obj)
}

// local returns the lowered name of a local object: its own, unless that could hide a name which
// lowered code uses, as the results of the function.
func (b *body) local(obj types.Object) string {
	if name, ok := b.locals[obj]; ok {
		return name
	}
	name := obj.Name()
	if name == "_" {
		return name
	}
	if types.Universe.Lookup(name) != nil || strings.Contains(name, "__") || name == "init" || name == "main" || slices.Contains(b.resultNames, name) {
		name = fmt.Sprintf("%s__l%d", state.InternalName(name), len(b.locals)+1)
	}
	b.locals[obj] = name
	return name
}

// literalText lowers a function literal. What the interpreter makes of one in a loop shares state
// with the next iteration's. There the literal is made by a function of its own, which gets the
// addresses of the variables that the literal captures.
func (b *body) literalText(e *ast.FuncLit) string {
	if b.loops == 0 {
		return b.plainLiteral(e)
	}
	captured := b.captured(e)
	sig := b.Info.TypeOf(e).Underlying().(*types.Signature)
	inner := *b
	inner.locals = maps.Clone(b.locals)
	var params, args []string
	for i, v := range captured {
		name := fmt.Sprintf("c__%d", i)
		params = append(params, name+" *"+b.l.Typ(v.Type()))
		args = append(args, address(b.local(v)))
		inner.locals[v] = "(*" + name + ")"
	}
	maker := fmt.Sprintf("make__%d", b.l.S.Unique())
	b.l.Temporary = append(b.l.Temporary, maker)
	b.l.Funcs = append(b.l.Funcs, fmt.Sprintf("func %s(%s) func%s { return %s }", maker, strings.Join(params, ", "), b.l.Signature(sig, false), inner.plainLiteral(e)))
	return maker + "(" + strings.Join(args, ", ") + ")"
}

// address writes the address of a variable, or of what a pointer points to.
func address(name string) string {
	if p, ok := strings.CutPrefix(name, "(*"); ok {
		return strings.TrimSuffix(p, ")")
	}
	return "&" + name
}

// captured returns the variables of the functions around that a literal mentions.
func (b *body) captured(e *ast.FuncLit) []*types.Var {
	var vars []*types.Var
	seen := map[*types.Var]bool{}
	ast.Inspect(e, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		v, ok := b.Info.Uses[id].(*types.Var)
		if !ok || v.IsField() || seen[v] || b.l.S.ByObject[v] != nil || !state.IsSession(v) {
			return true
		}
		if v.Pos() >= e.Pos() && v.Pos() < e.End() {
			return true
		}
		seen[v] = true
		vars = append(vars, v)
		return true
	})
	return vars
}

func (b *body) plainLiteral(e *ast.FuncLit) string {
	sig := b.Info.TypeOf(e).Underlying().(*types.Signature)
	inner := *b
	inner.enclosing = e
	inner.literal++
	inner.results = sig.Results()
	inner.targets = nil
	inner.resultNames = nil
	inner.loops, inner.deferring = 0, ""
	inner.Literal()
	return "func" + inner.funcHead(e.Type, sig, e.Body) + " " + inner.funcBody(e.Body)
}
