package trusted

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/hierml/notebook/kernel/internal/check"
	"github.com/hierml/notebook/kernel/internal/state"
)

// A Construct is something in a cell that is not on the list.
type Construct struct {
	Pos  token.Pos
	Name string
}

// Outside returns the constructs of a cell that are not on the list.
func Outside(k *check.Checked) []Construct {
	l := &look{info: k.Info}
	for name := range k.Recalled {
		l.outside(k.Body[0].Pos(), "the value "+name+" of an earlier cell")
	}
	for _, spec := range k.Types {
		l.typeSpec(spec)
	}
	for _, f := range k.Funcs {
		l.function(f)
	}
	for _, s := range k.Body {
		l.statement(s)
	}
	if k.Value != nil && !k.Silent && !native(k.Info.TypeOf(k.Value.X)) {
		l.outside(k.Value.Pos(), "a value of a type of the session that is shown")
	}
	return l.found
}

// A look goes through a cell.
type look struct {
	info  *types.Info
	found []Construct
	// results are those of the function that is gone through.
	results *types.Tuple
}

func (l *look) outside(pos token.Pos, name string) {
	l.found = append(l.found, Construct{pos, name})
}

func (l *look) typeSpec(spec *ast.TypeSpec) {
	obj := l.info.Defs[spec.Name]
	switch {
	case spec.TypeParams != nil:
		l.outside(spec.Pos(), "a generic type")
	case spec.Assign.IsValid():
		l.outside(spec.Pos(), "an alias of a type")
	case obj == nil || !plain(obj.Type()):
		l.outside(spec.Pos(), "the type "+spec.Name.Name)
	}
}

func (l *look) function(f *check.Func) {
	switch {
	case f.Pending != nil || f.Again != nil:
		l.outside(f.Decl.Pos(), "a function that waits for another, or follows it")
	case f.Object == nil || f.Body == nil || f.Body.Body == nil:
		l.outside(f.Decl.Pos(), "a function without a body")
	case f.Object.Signature().TypeParams() != nil || f.Object.Signature().RecvTypeParams() != nil:
		l.outside(f.Decl.Pos(), "a generic function")
	default:
		sig := f.Object.Signature()
		for _, tuple := range []*types.Tuple{sig.Params(), sig.Results()} {
			for v := range tuple.Variables() {
				l.typ(f.Decl.Pos(), v.Type())
			}
		}
		if sig.Variadic() {
			l.outside(f.Decl.Pos(), "a variadic function")
		}
		l.results = sig.Results()
		l.statement(f.Body.Body)
		l.results = nil
	}
}

// typ looks at the type of a variable, a field or a value.
func (l *look) typ(pos token.Pos, t types.Type) {
	if t == nil || !plain(t) {
		l.outside(pos, "a value of type "+types.TypeString(t, func(*types.Package) string { return "" }))
	}
}

func (l *look) statement(s ast.Stmt) {
	switch s := s.(type) {
	case nil, *ast.EmptyStmt:
	case *ast.BlockStmt:
		l.statements(s.List)
	case *ast.ExprStmt:
		l.expr(s.X)
		l.order(s)
	case *ast.IncDecStmt:
		l.expr(s.X)
		l.order(s)
	case *ast.AssignStmt:
		l.assign(s)
	case *ast.DeclStmt:
		l.declaration(s)
	case *ast.ReturnStmt:
		l.returns(s)
	case *ast.IfStmt:
		l.statement(s.Init)
		l.expr(s.Cond)
		l.order(s.Cond)
		l.statement(s.Body)
		l.statement(s.Else)
	case *ast.ForStmt:
		l.statement(s.Init)
		if s.Cond != nil {
			l.expr(s.Cond)
			l.order(s.Cond)
		}
		l.statement(s.Post)
		l.statement(s.Body)
	case *ast.RangeStmt:
		l.ranges(s)
	case *ast.SwitchStmt:
		l.statement(s.Init)
		if s.Tag != nil {
			l.comparable(s.Tag)
			l.order(s.Tag)
		}
		l.statements(s.Body.List)
	case *ast.CaseClause:
		for _, e := range s.List {
			if l.mayFail(e) {
				l.outside(e.Pos(), "a case that may fail")
			}
			l.comparable(e)
			l.order(e)
		}
		l.statements(s.Body)
	case *ast.BranchStmt:
		if s.Label != nil || s.Tok == token.GOTO {
			l.outside(s.Pos(), "a label")
		}
	default:
		l.outside(s.Pos(), statementName(s))
	}
}

func statementName(s ast.Stmt) string {
	switch s.(type) {
	case *ast.GoStmt:
		return "a goroutine"
	case *ast.DeferStmt:
		return "defer"
	case *ast.SendStmt, *ast.SelectStmt, *ast.CommClause:
		return "a channel"
	case *ast.LabeledStmt:
		return "a label"
	case *ast.TypeSwitchStmt:
		return "a type switch"
	}
	return "a statement of another kind"
}

func (l *look) statements(list []ast.Stmt) {
	for _, s := range list {
		l.statement(s)
	}
}

func (l *look) assign(s *ast.AssignStmt) {
	for _, right := range s.Rhs {
		l.expr(right)
	}
	for i, left := range s.Lhs {
		if isBlank(left) {
			continue
		}
		l.expr(left)
		if obj := l.object(left); obj != nil {
			l.typ(left.Pos(), obj.Type())
		} else if l.mayFail(left) && (len(s.Lhs) > 1 || l.mayFail(s.Rhs[0])) {
			l.outside(s.Pos(), "an assignment of which both sides may fail")
		}
		if len(s.Lhs) == len(s.Rhs) {
			l.becomes(s.Rhs[i], l.info.TypeOf(left))
		}
	}
	l.order(s)
}

func (l *look) declaration(s *ast.DeclStmt) {
	d, ok := s.Decl.(*ast.GenDecl)
	if !ok || d.Tok == token.TYPE {
		l.outside(s.Pos(), "a type that a function declares")
		return
	}
	if d.Tok == token.CONST {
		return
	}
	for _, spec := range d.Specs {
		spec, ok := spec.(*ast.ValueSpec)
		if !ok {
			continue
		}
		for i, name := range spec.Names {
			if obj := l.info.Defs[name]; obj != nil && name.Name != "_" {
				l.typ(name.Pos(), obj.Type())
				if len(spec.Values) == len(spec.Names) {
					l.becomes(spec.Values[i], obj.Type())
				}
			}
		}
		for _, v := range spec.Values {
			l.expr(v)
		}
		l.order(spec)
	}
}

func (l *look) returns(s *ast.ReturnStmt) {
	l.order(s)
	for i, e := range s.Results {
		l.expr(e)
		if l.results != nil && l.results.Len() == len(s.Results) {
			l.becomes(e, l.results.At(i).Type())
		}
	}
}

func (l *look) ranges(s *ast.RangeStmt) {
	l.expr(s.X)
	l.order(s.X)
	t := l.info.TypeOf(s.X)
	if t != nil {
		switch t.Underlying().(type) {
		case *types.Slice, *types.Array, *types.Map, *types.Basic:
		default:
			l.outside(s.X.Pos(), "a range over something else than elements or a number")
		}
	}
	for _, e := range []ast.Expr{s.Key, s.Value} {
		if e != nil && !isBlank(e) {
			l.expr(e)
		}
	}
	l.statement(s.Body)
}

// expr looks at an expression, whose value may be used in any way.
func (l *look) expr(e ast.Expr) {
	tv := l.info.Types[e]
	if tv.Value != nil || tv.IsNil() {
		return
	}
	switch e := e.(type) {
	case *ast.Ident:
		l.ident(e)
	case *ast.ParenExpr:
		l.expr(e.X)
	case *ast.UnaryExpr:
		l.unary(e)
	case *ast.BinaryExpr:
		l.binary(e)
	case *ast.StarExpr:
		l.expr(e.X)
	case *ast.IndexExpr:
		l.expr(e.X)
		l.expr(e.Index)
	case *ast.SliceExpr:
		l.expr(e.X)
		for _, i := range []ast.Expr{e.Low, e.High, e.Max} {
			if i != nil {
				l.expr(i)
			}
		}
	case *ast.SelectorExpr:
		l.selector(e)
	case *ast.CompositeLit:
		l.composite(e)
	case *ast.CallExpr:
		l.call(e)
		return
	default:
		l.outside(e.Pos(), expressionName(e))
		return
	}
	if tv.IsValue() {
		l.typ(e.Pos(), tv.Type)
	}
}

func expressionName(e ast.Expr) string {
	switch e.(type) {
	case *ast.FuncLit:
		return "a function literal"
	case *ast.TypeAssertExpr:
		return "a type assertion"
	case *ast.IndexListExpr:
		return "a generic function"
	}
	return "an expression of another kind"
}

func (l *look) ident(id *ast.Ident) {
	switch obj := l.object(id).(type) {
	case nil, *types.Var, *types.PkgName, *types.TypeName:
	case *types.Func:
		l.outside(id.Pos(), "a function as a value")
	default:
		_ = obj
	}
}

func (l *look) object(e ast.Expr) types.Object {
	id, ok := e.(*ast.Ident)
	if !ok {
		return nil
	}
	if obj := l.info.Defs[id]; obj != nil {
		return obj
	}
	return l.info.Uses[id]
}

func (l *look) unary(e *ast.UnaryExpr) {
	switch e.Op {
	case token.ARROW:
		l.outside(e.Pos(), "a channel")
	case token.AND:
		if lit, ok := ast.Unparen(e.X).(*ast.CompositeLit); ok {
			l.expr(lit)
			return
		}
		if _, ok := ast.Unparen(e.X).(*ast.Ident); !ok {
			l.outside(e.Pos(), "the address of a part")
			return
		}
		l.expr(e.X)
	default:
		l.expr(e.X)
	}
}

func (l *look) binary(e *ast.BinaryExpr) {
	if e.Op == token.EQL || e.Op == token.NEQ {
		if l.info.Types[e.X].IsNil() || l.info.Types[e.Y].IsNil() {
			l.expr(e.X)
			l.expr(e.Y)
			return
		}
		l.comparable(e.X)
		l.comparable(e.Y)
		return
	}
	l.expr(e.X)
	l.expr(e.Y)
}

// comparable looks at an expression that is compared with another.
func (l *look) comparable(e ast.Expr) {
	l.expr(e)
	t := l.info.TypeOf(e)
	if t == nil {
		return
	}
	if _, ok := t.Underlying().(*types.Basic); !ok {
		l.outside(e.Pos(), "a comparison of values that are not basic")
	}
}

func (l *look) selector(e *ast.SelectorExpr) {
	sel := l.info.Selections[e]
	if sel == nil { // of a package
		if _, ok := l.info.Uses[e.Sel].(*types.Var); !ok {
			l.outside(e.Pos(), "a function as a value")
		}
		return
	}
	if sel.Kind() != types.FieldVal {
		l.outside(e.Pos(), "a method as a value")
		return
	}
	if len(sel.Index()) > 1 && !native(sel.Recv()) {
		l.outside(e.Pos(), "a field of an embedded type")
		return
	}
	l.expr(e.X)
}

func (l *look) composite(e *ast.CompositeLit) {
	t := l.info.TypeOf(e)
	l.typ(e.Pos(), t)
	if t == nil {
		return
	}
	for i, elt := range e.Elts {
		kv, keyed := elt.(*ast.KeyValueExpr)
		value := elt
		if keyed {
			value = kv.Value
		}
		switch u := t.Underlying().(type) {
		case *types.Struct:
			if keyed {
				if field, ok := l.info.Uses[kv.Key.(*ast.Ident)].(*types.Var); ok {
					l.becomes(value, field.Type())
				}
			} else {
				l.becomes(value, u.Field(i).Type())
			}
		case *types.Map:
			l.expr(kv.Key)
			l.becomes(value, u.Elem())
		case *types.Slice:
			l.becomes(value, u.Elem())
		case *types.Array:
			l.becomes(value, u.Elem())
		default:
			l.outside(e.Pos(), "a literal of another kind")
		}
		l.expr(value)
	}
}

func (l *look) call(e *ast.CallExpr) {
	if _, ok := check.Stops(e); ok {
		l.outside(e.Pos(), "a call within an expression that leaves out its error")
		return
	}
	fun := ast.Unparen(e.Fun)
	if tv := l.info.Types[fun]; tv.IsType() {
		l.conversion(e, tv.Type)
		return
	}
	var callee types.Object
	switch fun := fun.(type) {
	case *ast.Ident:
		callee = l.object(fun)
	case *ast.SelectorExpr:
		callee = l.info.Uses[fun.Sel]
		if sel := l.info.Selections[fun]; sel != nil {
			if sel.Kind() != types.MethodVal || len(sel.Index()) > 1 && !native(sel.Recv()) {
				l.outside(e.Pos(), "a method that is no method of the value's own type")
				return
			}
			l.expr(fun.X)
		}
	}
	switch callee := callee.(type) {
	case *types.Builtin:
		l.builtin(e, callee.Name())
	case *types.Func:
		l.calls(e, callee)
	default:
		l.outside(e.Pos(), "a call of a function that is a value")
	}
	if tv := l.info.Types[e]; tv.IsValue() {
		l.result(e.Pos(), tv.Type)
	}
}

// result looks at the type of what a call returns.
func (l *look) result(pos token.Pos, t types.Type) {
	if tuple, ok := t.(*types.Tuple); ok {
		for v := range tuple.Variables() {
			l.typ(pos, v.Type())
		}
		return
	}
	l.typ(pos, t)
}

func (l *look) calls(e *ast.CallExpr, f *types.Func) {
	sig := f.Signature()
	own := state.IsSession(f)
	switch {
	case sig.TypeParams() != nil || f.Origin() != f || sig.RecvTypeParams() != nil:
		l.outside(e.Pos(), "a generic function")
		return
	case own && sig.Variadic():
		l.outside(e.Pos(), "a variadic function")
		return
	}
	for i, arg := range e.Args {
		l.expr(arg)
		last := sig.Params().Len() - 1
		switch {
		case len(e.Args) == 1 && last > 0:
			// The results of another call.
		case sig.Variadic() && i >= last && !e.Ellipsis.IsValid():
			l.becomes(arg, sig.Params().At(last).Type().(*types.Slice).Elem())
		case i <= last:
			l.becomes(arg, sig.Params().At(i).Type())
		}
	}
}

// becomes looks at a value that becomes one of a type. In interfaces there are only values of
// compiled types.
func (l *look) becomes(e ast.Expr, t types.Type) {
	if t == nil || !types.IsInterface(t) || l.info.Types[e].IsNil() {
		return
	}
	if from := l.info.TypeOf(e); from != nil && !native(from) {
		l.outside(e.Pos(), "a type of the session in an interface")
	}
}

func (l *look) conversion(e *ast.CallExpr, t types.Type) {
	l.expr(e.Args[0])
	l.typ(e.Pos(), t)
	from := l.info.TypeOf(e.Args[0])
	if types.IsInterface(t) || from != nil && types.IsInterface(from) {
		l.outside(e.Pos(), "a conversion to an interface")
	}
}

func (l *look) builtin(e *ast.CallExpr, name string) {
	switch name {
	case "len", "cap", "append", "copy", "delete", "min", "max":
	case "make", "new":
		l.typ(e.Pos(), l.info.TypeOf(e))
		for _, arg := range e.Args[1:] {
			l.expr(arg)
		}
		return
	default:
		l.outside(e.Pos(), name)
		return
	}
	for _, arg := range e.Args {
		l.expr(arg)
	}
}

func isBlank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}

// plain reports whether variables of a type are on the list.
func plain(t types.Type) bool { return isPlain(t, map[types.Type]bool{}) }

func isPlain(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return true
	}
	seen[t] = true
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return t.Info()&types.IsComplex == 0 && t.Kind() != types.UnsafePointer && t.Kind() != types.Uintptr
	case *types.Named:
		switch {
		case t.TypeArgs().Len() > 0:
			return false
		case !state.IsSession(t.Obj()):
			_, function := t.Underlying().(*types.Signature)
			_, channel := t.Underlying().(*types.Chan)
			return !function && !channel
		case types.IsInterface(t):
			return false
		}
		if s, ok := t.Underlying().(*types.Struct); ok {
			for f := range s.Fields() {
				if f.Embedded() || !isPlain(f.Type(), seen) {
					return false
				}
			}
			return true
		}
		_, basic := t.Underlying().(*types.Basic)
		return basic && isPlain(t.Underlying(), seen)
	case *types.Pointer:
		_, named := types.Unalias(t.Elem()).(*types.Named)
		return named && isPlain(t.Elem(), seen)
	case *types.Slice:
		return isPlain(t.Elem(), seen)
	case *types.Array:
		return isPlain(t.Elem(), seen)
	case *types.Map:
		_, basic := t.Key().(*types.Basic)
		return basic && isPlain(t.Elem(), seen)
	}
	return false
}

// native reports whether no type of the session is part of a type.
func native(t types.Type) bool { return isNative(t, map[types.Type]bool{}) }

func isNative(t types.Type, seen map[types.Type]bool) bool {
	if t == nil || seen[t] {
		return true
	}
	seen[t] = true
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return true
	case *types.Named:
		return !state.IsSession(t.Obj()) && t.TypeArgs().Len() == 0
	case *types.Pointer:
		return isNative(t.Elem(), seen)
	case *types.Slice:
		return isNative(t.Elem(), seen)
	case *types.Array:
		return isNative(t.Elem(), seen)
	case *types.Map:
		return isNative(t.Key(), seen) && isNative(t.Elem(), seen)
	case *types.Tuple:
		for v := range t.Variables() {
			if !isNative(v.Type(), seen) {
				return false
			}
		}
		return true
	}
	return false
}
