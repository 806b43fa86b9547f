package lower

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/hierml/notebook/kernel/internal/interpreted/shape"
	"github.com/hierml/notebook/kernel/internal/state"
)

// expr writes an expression as it is, with its own type.
func (b *body) expr(e ast.Expr) string {
	b.l.C.StopIfCancelled()
	b.l.Pos = e.Pos()
	if text, ok := b.override[e]; ok {
		return text
	}
	if tv, ok := b.Info.Types[e]; ok {
		if tv.IsType() {
			return b.l.Typ(tv.Type)
		}
		if tv.Value != nil {
			if lit, ok := ast.Unparen(e).(*ast.BasicLit); ok && shape.PlainLiteral(lit, tv.Type) {
				return lit.Value
			}
			return b.l.Constant(tv.Value, tv.Type)
		}
		if tv.IsNil() {
			return "nil"
		}
	}
	switch e := e.(type) {
	case *ast.Ident:
		return b.ident(e)
	case *ast.ParenExpr:
		return b.operand(e)
	case *ast.FuncLit:
		return b.literalText(e)
	case *ast.CompositeLit:
		return b.composite(e)
	case *ast.SelectorExpr:
		return b.selector(e)
	case *ast.IndexExpr:
		return b.index(e, e.X, e.Index)
	case *ast.IndexListExpr:
		return b.index(e, e.X, nil)
	case *ast.SliceExpr:
		return b.slice(e)
	case *ast.TypeAssertExpr:
		return b.assertion(e)
	case *ast.CallExpr:
		return b.call(e)
	case *ast.StarExpr:
		return b.deref(e)
	case *ast.UnaryExpr:
		return b.unary(e)
	case *ast.BinaryExpr:
		return b.binary(e)
	}
	b.l.Refuse(e.Pos(), fmt.Sprintf("the interpreter has no expression like this (%T)", e))
	return ""
}

// operand writes an expression so that an operator before it, or a selector after it, takes all of
// it.
func (b *body) operand(e ast.Expr) string {
	if b.override[e] == "" {
		e = ast.Unparen(e)
	}
	s := b.expr(e)
	if token.IsIdentifier(s) {
		return s
	}
	switch ast.Unparen(e).(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr, *ast.CallExpr, *ast.BasicLit:
		return s
	}
	if strings.HasPrefix(s, "(") && strings.HasSuffix(s, ")") && balanced(s) {
		return s
	}
	return "(" + s + ")"
}

// balanced reports whether the parenthesis that starts s is closed at its end.
func balanced(s string) bool {
	depth := 0
	for i, r := range s {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
			if depth == 0 {
				return i == len(s)-1
			}
		case '"', '\'', '`':
			return false
		}
	}
	return false
}

// like writes an operand of an operation whose other operand gives it its type, so that constants
// can be bare.
func (b *body) like(e ast.Expr) string {
	if tv, ok := b.Info.Types[e]; ok && tv.Value != nil {
		if basic, ok := types.Default(tv.Type).Underlying().(*types.Basic); ok &&
			basic.Info()&(types.IsInteger|types.IsFloat|types.IsString|types.IsBoolean) != 0 && basic.Kind() != types.Float32 {
			if v, exact := constant.Int64Val(constant.ToInt(tv.Value)); basic.Info()&types.IsInteger == 0 || exact && v >= 0 {
				b.l.Pos = e.Pos()
				return b.l.Bare(tv.Value, basic)
			}
		}
	}
	return b.expr(e)
}

func (b *body) ident(id *ast.Ident) string {
	obj := b.Info.Uses[id]
	if obj == nil {
		obj = b.Info.Defs[id]
	}
	switch obj := obj.(type) {
	case nil:
		return id.Name
	case *types.Nil:
		return "nil"
	case *types.Builtin:
		return obj.Name()
	case *types.Func:
		if fn := b.l.S.Funcs[obj.Origin()]; fn != nil {
			if fn.Bridge != "" {
				return shape.Bridge + "." + fn.Bridge
			}
			return b.functionNamed(b.instantiated(fn, obj, id), id)
		}
		return b.compiledFunc(id, obj)
	case *types.Var:
		return b.variable(obj)
	case *types.TypeName:
		return b.l.Typ(obj.Type())
	}
	b.l.Refuse(id.Pos(), fmt.Sprintf("%s is not a value", id.Name))
	return ""
}

func (b *body) variable(obj *types.Var) string {
	if d := b.l.S.ByObject[obj]; d != nil {
		if d.Lost != "" {
			b.l.Refuse(b.l.Pos, d.Name+": "+d.Lost)
		}
		return d.Lowered
	}
	if !state.IsSession(obj) && obj.Pkg() != nil {
		return b.compiledVariable(obj)
	}
	return b.local(obj)
}

// compiledVariable writes a variable of a compiled package by its address: of its name alone, the
// interpreter takes the value in some places before the cell begins.
func (b *body) compiledVariable(obj *types.Var) string {
	return "(*" + b.compiledAddress(obj) + ")"
}

func (b *body) compiledAddress(obj *types.Var) string {
	return "&" + b.l.Use(obj.Pkg()) + "." + obj.Name()
}

// instantiated returns the instance of a generic function that an identifier stands for, or the
// function itself.
func (b *body) instantiated(fn *state.Function, obj *types.Func, id *ast.Ident) *state.Function {
	if !fn.Generic {
		return fn
	}
	inst, ok := b.Info.Instances[id]
	if !ok {
		b.l.Refuse(id.Pos(), fmt.Sprintf("generic function %s without instantiation", obj.Name()))
	}
	return b.l.Instance(fn, obj, inst.TypeArgs)
}

// compiledFunc writes a function of a compiled package.
func (b *body) compiledFunc(id *ast.Ident, obj *types.Func) string {
	if _, ok := b.Info.Instances[id]; ok {
		return b.compiledGeneric(id, obj)
	}
	if obj.Pkg() == nil {
		return obj.Name()
	}
	return b.l.FunctionValue(b.l.Use(obj.Pkg())+"."+obj.Name(), obj, id.Pos())
}

// selector writes x.f: a qualified identifier, a field by its whole path, or a method value or
// expression.
func (b *body) selector(e *ast.SelectorExpr) string {
	sel := b.Info.Selections[e]
	if sel == nil {
		switch obj := b.Info.Uses[e.Sel].(type) {
		case *types.Func:
			return b.compiledFunc(e.Sel, obj)
		case *types.Var:
			return b.compiledVariable(obj)
		}
		b.l.Refuse(e.Pos(), fmt.Sprintf("%s is not a value", e.Sel.Name))
	}
	switch sel.Kind() {
	case types.FieldVal:
		return b.field(e, sel)
	case types.MethodVal:
		return b.methodValue(e, sel)
	}
	return b.l.MethodExpr(sel)
}

func (b *body) field(e *ast.SelectorExpr, sel *types.Selection) string {
	x := e.X
	if star, ok := ast.Unparen(x).(*ast.StarExpr); ok && b.override[x] == "" && b.override[star] == "" {
		// The interpreter takes (*p).f among elements for a type.
		if p, ok := types.Unalias(b.Info.TypeOf(star.X)).(*types.Pointer); ok {
			if _, ok := p.Elem().Underlying().(*types.Struct); ok {
				x = star.X
			}
		}
	}
	text, t := b.operand(x), b.Info.TypeOf(x)
	path, _, rest := b.l.EmbeddedPath(t, sel.Index())
	text += path
	if rest != nil {
		text += "." + rest.Name()
	}
	return text
}

func (b *body) index(e ast.Expr, x, index ast.Expr) string {
	// f[int] and T[int].
	var id *ast.Ident
	switch f := ast.Unparen(x).(type) {
	case *ast.Ident:
		id = f
	case *ast.SelectorExpr:
		id = f.Sel
	}
	if id != nil {
		if _, ok := b.Info.Instances[id]; ok {
			return b.expr(x)
		}
	}
	t := b.Info.TypeOf(x).Underlying()
	if _, ok := t.(*types.Pointer); ok {
		return "(*" + b.operand(x) + ")[" + b.expr(index) + "]"
	}
	if m, ok := t.(*types.Map); ok {
		return b.operand(x) + "[" + b.key(index, m.Key()) + "]"
	}
	return b.operand(x) + "[" + b.like(index) + "]"
}

func (b *body) slice(e *ast.SliceExpr) string {
	var out strings.Builder
	x := b.operand(e.X)
	if _, ok := b.Info.TypeOf(e.X).Underlying().(*types.Pointer); ok {
		x = "(*" + x + ")"
	}
	out.WriteString(x + "[")
	if e.Low != nil {
		out.WriteString(b.like(e.Low))
	}
	out.WriteByte(':')
	if e.High != nil {
		out.WriteString(b.like(e.High))
	}
	if e.Slice3 {
		out.WriteString(":" + b.like(e.Max))
	}
	out.WriteByte(']')
	return out.String()
}

func (b *body) unary(e *ast.UnaryExpr) string {
	if e.Op == token.AND {
		if lit, ok := ast.Unparen(e.X).(*ast.CompositeLit); ok {
			return "&" + b.composite(lit)
		}
		if star, ok := ast.Unparen(e.X).(*ast.StarExpr); ok && b.override[star] == "" {
			return b.addressOf(star)
		}
		if v := packageVariable(b.Info, e.X); v != nil && !state.IsSession(v) && b.override[e.X] == "" {
			return b.compiledAddress(v)
		}
	}
	if e.Op == token.TILDE {
		b.l.Refuse(e.Pos(), "~ outside a constraint")
	}
	x := b.operand(e.X)
	if e.Op == token.ADD {
		return x // the interpreter forgets its type
	}
	if e.Op == token.ARROW {
		// A receive inside an expression would leave something that cannot be assigned to in the
		// place of its result.
		if t, ok := b.Info.TypeOf(e).(*types.Tuple); !ok {
			return fmt.Sprintf("func(c %s) %s { v := <-c; return v }(%s)", b.l.Typ(b.Info.TypeOf(e.X)), b.l.Parenthesized(b.Info.TypeOf(e)), x)
		} else if t.Len() != 2 {
			b.l.Refuse(e.Pos(), "a receive of several values")
		}
	}
	return e.Op.String() + x
}

// received writes a receive that is a statement. A variable that was declared with it as it is
// would have no address.
func (b *body) received(e ast.Expr) (string, bool) {
	u, ok := ast.Unparen(e).(*ast.UnaryExpr)
	if !ok || u.Op != token.ARROW {
		return "", false
	}
	return "<-" + b.operand(u.X), true
}

func (b *body) binary(e *ast.BinaryExpr) string {
	switch e.Op {
	case token.EQL, token.NEQ:
		return b.comparison(e)
	case token.SHL, token.SHR:
		x := b.operand(e.X)
		if tv := b.Info.Types[e.X]; tv.Value != nil {
			x = b.l.Parenthesized(tv.Type) + "(" + x + ")"
		}
		return x + " " + e.Op.String() + " " + b.shiftCount(e.Y)
	}
	if e.Op == token.LAND || e.Op == token.LOR {
		return b.logical(e.X) + " " + e.Op.String() + " " + b.logical(e.Y)
	}
	xc, yc := b.Info.Types[e.X].Value != nil, b.Info.Types[e.Y].Value != nil
	x, y := "", ""
	if xc && !yc {
		x = b.like(e.X)
	} else {
		x = b.expr(e.X)
	}
	if yc && !xc {
		y = b.like(e.Y)
	} else {
		y = b.expr(e.Y)
	}
	return x + " " + e.Op.String() + " " + y
}

// logical writes an operand of && or ||. In these the interpreter has no place for literals and for
// values that become interfaces: they get a function.
func (b *body) logical(e ast.Expr) string {
	apart := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CompositeLit:
			apart = true
		case *ast.CallExpr:
			tv := b.Info.Types[n.Fun]
			apart = apart || tv.IsType() && types.IsInterface(tv.Type)
		case *ast.BinaryExpr:
			if !b.Info.Types[n.X].IsNil() && !b.Info.Types[n.Y].IsNil() {
				apart = apart || types.IsInterface(b.Info.TypeOf(n.X)) != types.IsInterface(b.Info.TypeOf(n.Y))
			}
		}
		return !apart
	})
	if !apart {
		return b.expr(e)
	}
	return "func() " + b.l.Typ(b.Info.TypeOf(e)) + " { return " + b.expr(ast.Unparen(e)) + " }()"
}

func (b *body) shiftCount(e ast.Expr) string {
	if tv := b.Info.Types[e]; tv.Value != nil {
		return constant.ToInt(tv.Value).ExactString()
	}
	if b.SignedCount(e) {
		// The interpreter takes a negative count for a large one.
		return shape.Bridge + ".Count(int64(" + b.expr(e) + "))"
	}
	switch ast.Unparen(e).(type) {
	case *ast.BinaryExpr, *ast.UnaryExpr:
		// Without its type, the interpreter computes the count with that of what is shifted.
		return b.l.Typ(b.Info.TypeOf(e)) + "(" + b.expr(e) + ")"
	}
	return b.operand(e)
}

// composite writes a composite literal, always with its type.
func (b *body) composite(e *ast.CompositeLit) string {
	t := b.Info.TypeOf(e)
	address := ""
	if p, ok := t.Underlying().(*types.Pointer); ok && e.Type == nil {
		// An elided &T in a list of pointers.
		address, t = "&", p.Elem()
	}
	b.l.Pos = e.Pos()
	var parts []string
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for i, elt := range e.Elts {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				f := b.Info.Uses[kv.Key.(*ast.Ident)].(*types.Var)
				if !slices.ContainsFunc(slices.Collect(u.Fields()), func(direct *types.Var) bool { return direct.Name() == f.Name() }) {
					b.l.Refuse(kv.Pos(), "the interpreter cannot set "+f.Name()+", a field of an embedded struct, in a literal")
				}
				parts = append(parts, shape.FieldName(f)+": "+b.fieldValue(kv.Value, f))
				continue
			}
			parts = append(parts, shape.FieldName(u.Field(i))+": "+b.fieldValue(elt, u.Field(i)))
		}
	case *types.Map:
		for _, elt := range e.Elts {
			kv := elt.(*ast.KeyValueExpr)
			end := b.failing(kv.Value)
			parts = append(parts, b.key(kv.Key, u.Key())+": "+b.to(kv.Value, u.Elem()))
			end()
		}
	case interface{ Elem() types.Type }:
		parts = b.elements(e.Elts, u.Elem())
	default:
		b.l.Refuse(e.Pos(), fmt.Sprintf("a composite literal of type %s", t))
	}
	return address + b.l.Typ(t) + "{" + strings.Join(parts, ", ") + "}"
}

// fieldValue writes the value of a field. Compiled code calls the functions in those of its types.
func (b *body) fieldValue(e ast.Expr, f *types.Var) string {
	if state.IsSession(f) {
		return b.to(e, f.Type())
	}
	return b.interruptible(e, f.Type())
}

// elements writes the elements of a list. The interpreter looks for the types of those without a
// key before it knows what compiled values have, and crashes where one of these is indexed.
func (b *body) elements(elts []ast.Expr, t types.Type) []string {
	var parts []string
	at := int64(0)
	for _, elt := range elts {
		key, e := "", elt
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			key, e = b.expr(kv.Key)+": ", kv.Value
			at, _ = constant.Int64Val(constant.ToInt(b.Info.Types[kv.Key].Value))
		} else if indexes(elt) {
			key = fmt.Sprintf("%d: ", at)
		}
		parts = append(parts, key+b.to(e, t))
		at++
	}
	return parts
}

// indexes reports whether an expression has an index outside of functions.
func indexes(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.IndexExpr:
			found = true
		case *ast.FuncLit:
			return false
		}
		return !found
	})
	return found
}

// key writes a map key, or a list for variadic parameters. To the interpreter nil alone has no type
// there.
func (b *body) key(e ast.Expr, t types.Type) string {
	if b.Info.Types[e].IsNil() && !types.IsInterface(t) {
		return "(" + b.l.Typ(t) + ")(nil)"
	}
	return b.to(e, t)
}
