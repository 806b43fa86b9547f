package assist

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// An expectation is what the place of an expression requires.
type expectation struct {
	// want is the expected type of the value, or for a type the interface that it must implement;
	// nil if any will do.
	want types.Type
	// isType expects a type, not a value; called a callable value; ranged a value to range over.
	isType, called, ranged bool
}

// expects returns the expectation at the end of a path.
func (v *view) expects(path []ast.Node) expectation {
	if len(path) < 2 {
		return expectation{}
	}
	at := len(path) - 1
	if sel, ok := path[at-1].(*ast.SelectorExpr); ok && sel.Sel == path[at] {
		at--
	}
	if at == 0 {
		return expectation{}
	}
	return v.expectsAt(path[:at], path[at].(ast.Expr))
}

// expectsAt returns the expectation for an expression from its surroundings, innermost last.
func (v *view) expectsAt(path []ast.Node, x ast.Expr) expectation {
	if len(path) == 0 {
		return expectation{}
	}
	outer := func(parent ast.Expr) expectation { return v.expectsAt(path[:len(path)-1], parent) }
	value := func(t types.Type) expectation { return expectation{want: t} }
	isType := expectation{isType: true}
	switch p := path[len(path)-1].(type) {
	case *ast.ParenExpr:
		return outer(p)
	case *ast.StarExpr:
		if e := outer(p); e.isType {
			return isType
		} else if e.want != nil {
			return value(types.NewPointer(e.want))
		}
	case *ast.UnaryExpr:
		return v.expectsOperand(p, outer(p))
	case *ast.BinaryExpr:
		return v.expectsBeside(p, x, outer)
	case *ast.CallExpr:
		if p.Fun != x {
			return v.expectsArgument(p, slices.Index(p.Args, x))
		}
		if len(path) > 1 {
			switch path[len(path)-2].(type) {
			case *ast.GoStmt, *ast.DeferStmt:
				return expectation{called: true}
			}
		}
	case *ast.IndexExpr:
		if p.Index == x {
			return v.expectsIndex(p)
		}
	case *ast.SliceExpr:
		if p.X != x {
			return value(types.Typ[types.Int])
		}
	case *ast.TypeAssertExpr:
		if p.Type == x {
			return expectation{want: v.k.Info.TypeOf(p.X), isType: true}
		}
	case *ast.CompositeLit:
		if p.Type == x {
			return isType
		}
		return value(elementType(v.k.Info.TypeOf(p), slices.Index(p.Elts, x)))
	case *ast.KeyValueExpr:
		if lit, ok := path[max(0, len(path)-2)].(*ast.CompositeLit); ok {
			return value(v.keyedType(lit, p, x))
		}
	case *ast.ArrayType:
		if p.Elt == x {
			return isType
		}
		return value(types.Typ[types.Int])
	case *ast.MapType, *ast.ChanType, *ast.Ellipsis, *ast.Field, *ast.TypeSpec:
		return isType
	case *ast.ValueSpec:
		if p.Type == x {
			return isType
		}
		if p.Type != nil {
			return value(v.k.Info.TypeOf(p.Type))
		}
	default:
		return v.expectsInStatement(path, x)
	}
	return expectation{}
}

// expectsInStatement is expectsAt for the expressions of a statement.
func (v *view) expectsInStatement(path []ast.Node, x ast.Expr) expectation {
	boolean := expectation{want: types.Typ[types.Bool]}
	switch s := path[len(path)-1].(type) {
	case *ast.IfStmt:
		return boolean
	case *ast.ForStmt:
		return boolean
	case *ast.RangeStmt:
		return expectation{ranged: s.X == x}
	case *ast.SendStmt:
		if ch, ok := underlying(v.k.Info.TypeOf(s.Chan)).(*types.Chan); ok && s.Value == x {
			return expectation{want: ch.Elem()}
		}
	case *ast.AssignStmt:
		if i := slices.Index(s.Rhs, x); i >= 0 && len(s.Lhs) > i && s.Tok != token.DEFINE {
			return expectation{want: v.k.Info.TypeOf(s.Lhs[i])}
		}
	case *ast.ReturnStmt:
		if results := v.resultsAround(path); results != nil {
			if i := slices.Index(s.Results, x); i < results.Len() {
				return expectation{want: results.At(i).Type()}
			}
		}
	case *ast.CaseClause:
		for i := len(path) - 2; i >= 0; i-- {
			switch s := path[i].(type) {
			case *ast.SwitchStmt:
				if s.Tag == nil {
					return boolean
				}
				return expectation{want: v.k.Info.TypeOf(s.Tag)}
			case *ast.TypeSwitchStmt:
				return expectation{want: v.switched(s), isType: true}
			}
		}
	}
	return expectation{}
}

// switched returns the type of the value in a type switch.
func (v *view) switched(s *ast.TypeSwitchStmt) types.Type {
	var x ast.Expr
	switch a := s.Assign.(type) {
	case *ast.ExprStmt:
		x = a.X
	case *ast.AssignStmt:
		x = a.Rhs[0]
	}
	if assert, ok := ast.Unparen(x).(*ast.TypeAssertExpr); ok {
		return v.k.Info.TypeOf(assert.X)
	}
	return nil
}

// resultsAround returns the results of the function that a path ends in.
func (v *view) resultsAround(path []ast.Node) *types.Tuple {
	for i := len(path) - 1; i >= 0; i-- {
		var t types.Type
		switch f := path[i].(type) {
		case *ast.FuncLit:
			t = v.k.Info.TypeOf(f.Type)
		case *ast.FuncDecl:
			t = v.k.Info.TypeOf(f.Name)
			for _, known := range v.k.Funcs {
				if known.Decl == f && known.Object != nil {
					t = known.Object.Type()
				}
			}
		default:
			continue
		}
		if s, ok := t.(*types.Signature); ok {
			return s.Results()
		}
		return nil
	}
	return nil
}

// expectsOperand returns what a unary operator expects, given the expectation for its result.
func (v *view) expectsOperand(p *ast.UnaryExpr, outer expectation) expectation {
	switch p.Op {
	case token.NOT:
		return expectation{want: types.Typ[types.Bool]}
	case token.AND:
		if ptr, ok := underlying(outer.want).(*types.Pointer); ok {
			return expectation{want: ptr.Elem()}
		}
	case token.ARROW:
		if outer.want != nil {
			return expectation{want: types.NewChan(types.RecvOnly, outer.want)}
		}
	case token.SUB, token.ADD, token.XOR:
		return outer
	}
	return expectation{}
}

// expectsBeside returns what a binary operator expects, given its other operand.
func (v *view) expectsBeside(p *ast.BinaryExpr, x ast.Expr, outer func(ast.Expr) expectation) expectation {
	switch p.Op {
	case token.LAND, token.LOR:
		return expectation{want: types.Typ[types.Bool]}
	case token.SHL, token.SHR:
		return expectation{}
	}
	other := p.X
	if other == x {
		other = p.Y
	}
	t := v.k.Info.TypeOf(other)
	known := t != nil && t != types.Typ[types.Invalid] && t != types.Typ[types.UntypedNil]
	switch p.Op {
	case token.ADD, token.SUB, token.MUL, token.QUO, token.REM, token.AND, token.OR, token.XOR, token.AND_NOT:
		// An untyped constant says less than its surroundings.
		if !known || isUntyped(t) {
			if e := outer(p); e.want != nil || !known {
				return e
			}
		}
	}
	if !known {
		return expectation{}
	}
	return expectation{want: types.Default(t)}
}

// expectsIndex returns the expectation for an index or a type argument.
func (v *view) expectsIndex(p *ast.IndexExpr) expectation {
	switch t := underlying(v.k.Info.TypeOf(p.X)).(type) {
	case *types.Map:
		return expectation{want: t.Key()}
	case *types.Signature:
		return expectation{isType: true}
	}
	if tv := v.k.Info.Types[p.X]; tv.IsType() {
		return expectation{isType: true}
	}
	return expectation{want: types.Typ[types.Int]}
}

// expectsArgument returns the expectation for an argument of a call.
func (v *view) expectsArgument(call *ast.CallExpr, i int) expectation {
	tv := v.k.Info.Types[call.Fun]
	if tv.IsBuiltin() {
		return v.expectsOfBuiltin(call, i)
	}
	s, ok := underlying(tv.Type).(*types.Signature)
	if !ok || tv.IsType() || s.Params().Len() == 0 {
		return expectation{}
	}
	last := s.Params().Len() - 1
	t := s.Params().At(min(i, last)).Type()
	if i >= last && s.Variadic() {
		if slice, ok := t.(*types.Slice); ok {
			t = slice.Elem()
		}
	} else if i > last {
		return expectation{}
	}
	if p, ok := types.Unalias(t).(*types.TypeParam); ok {
		return expectation{want: v.inferred(s, call, p)}
	}
	return expectation{want: t}
}

// inferred returns the type of an argument for another parameter of the same type parameter; nil if
// there is none.
func (v *view) inferred(s *types.Signature, call *ast.CallExpr, p *types.TypeParam) types.Type {
	for j, arg := range call.Args {
		if j < s.Params().Len() && types.Unalias(s.Params().At(j).Type()) == p {
			if t := v.k.Info.TypeOf(arg); t != nil && t != types.Typ[types.Invalid] {
				return types.Default(t)
			}
		}
	}
	return nil
}

// expectsOfBuiltin returns the expectation for an argument of a predeclared function.
func (v *view) expectsOfBuiltin(call *ast.CallExpr, i int) expectation {
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	if !ok {
		return expectation{}
	}
	switch id.Name {
	case "make", "new":
		if i == 0 {
			return expectation{isType: id.Name == "make"}
		}
		return expectation{want: types.Typ[types.Int]}
	case "append":
		if slice, ok := underlying(v.k.Info.TypeOf(call.Args[0])).(*types.Slice); ok && i > 0 {
			return expectation{want: slice.Elem()}
		}
	case "delete":
		if m, ok := underlying(v.k.Info.TypeOf(call.Args[0])).(*types.Map); ok && i > 0 {
			return expectation{want: m.Key()}
		}
	case "min", "max":
		for j, arg := range call.Args {
			if t := v.k.Info.TypeOf(arg); j != i && t != nil && t != types.Typ[types.Invalid] {
				return expectation{want: types.Default(t)}
			}
		}
	}
	return expectation{}
}

// elementType returns the type of the i-th element of a literal without keys, or of a key in its
// place.
func elementType(t types.Type, i int) types.Type {
	switch u := pointed(t).(type) {
	case *types.Slice:
		return u.Elem()
	case *types.Array:
		return u.Elem()
	case *types.Map:
		return u.Key()
	case *types.Struct:
		if i >= 0 && i < u.NumFields() {
			return u.Field(i).Type()
		}
	}
	return nil
}

// keyedType returns the type of the key or value of a literal's element.
func (v *view) keyedType(lit *ast.CompositeLit, p *ast.KeyValueExpr, x ast.Expr) types.Type {
	switch u := pointed(v.k.Info.TypeOf(lit)).(type) {
	case *types.Map:
		if p.Key == x {
			return u.Key()
		}
		return u.Elem()
	case *types.Slice:
		if p.Value == x {
			return u.Elem()
		}
	case *types.Array:
		if p.Value == x {
			return u.Elem()
		}
	case *types.Struct:
		key, ok := p.Key.(*ast.Ident)
		for f := range u.Fields() {
			if ok && p.Value == x && f.Name() == key.Name {
				return f.Type()
			}
		}
	}
	return nil
}

// underlying is t.Underlying(), nil for nil.
func underlying(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	return t.Underlying()
}

// pointed returns the underlying type that a literal of type t makes, which may be an element
// without its &.
func pointed(t types.Type) types.Type {
	u := underlying(t)
	if p, ok := u.(*types.Pointer); ok {
		return p.Elem().Underlying()
	}
	return u
}

// How well a candidate meets an expectation.
const (
	fitsWell   = iota // its value has the type
	fitsCalled        // its result has, or a literal of it, or the constant can have
	fitsNot
)

// fit returns how well an object meets the expectation.
func (e expectation) fit(obj types.Object) int {
	tn, isType := obj.(*types.TypeName)
	if e.isType {
		if isType && e.want != nil && !types.IsInterface(tn.Type()) && !isTop(e.want) && types.IsInterface(e.want) {
			if types.AssignableTo(tn.Type(), e.want) || types.AssignableTo(types.NewPointer(tn.Type()), e.want) {
				return fitsWell
			}
		}
		return fitsNot
	}
	if e.called || e.ranged {
		if !isType && obj.Type() != nil && e.takes(obj.Type().Underlying()) {
			return fitsWell
		}
		return fitsNot
	}
	if e.want == nil || e.want == types.Typ[types.Invalid] || isTop(e.want) {
		return fitsNot
	}
	t := obj.Type()
	switch {
	case t == nil || t == types.Typ[types.Invalid]:
		return fitsNot
	case isType:
		if _, named := types.Unalias(t).(*types.Named); named && types.Identical(t, e.want) {
			return fitsCalled
		}
	case types.AssignableTo(t, e.want):
		if isUntyped(t) && !types.Identical(types.Default(t), e.want) {
			return fitsCalled
		}
		return fitsWell
	default:
		if s, ok := t.Underlying().(*types.Signature); ok && s.Results().Len() > 0 && s.TypeParams().Len() == 0 {
			// A function with a value and an error fits, too: the user must only type more.
			result := s.Results().At(0).Type()
			if s.Results().Len() == 1 && types.AssignableTo(result, e.want) {
				return fitsCalled
			}
		}
	}
	return fitsNot
}

// takes reports whether a value with an underlying type can be called, or ranged over, if that is
// expected. Integers do not count, although they can be ranged over.
func (e expectation) takes(u types.Type) bool {
	if e.called {
		_, ok := u.(*types.Signature)
		return ok
	}
	switch u := u.(type) {
	case *types.Slice, *types.Array, *types.Map, *types.Chan:
		return true
	case *types.Pointer:
		_, ok := u.Elem().Underlying().(*types.Array)
		return ok
	case *types.Basic:
		return u.Info()&types.IsString != 0
	}
	return false
}

func isUntyped(t types.Type) bool {
	b, ok := t.(*types.Basic)
	return ok && b.Info()&types.IsUntyped != 0
}

// isTop reports whether a type takes every value.
func isTop(t types.Type) bool {
	i, ok := underlying(t).(*types.Interface)
	return ok && i.Empty()
}
