package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"strings"
)

// In an assignment to several places the interpreter evaluates the map, key or pointer of a place
// only when it sets it, after those before, and loses the type of what an interface gets there.
// Such assignments are written in the order that Go has: the operands of the places, the values,
// and then the places one by one.

// careful reports whether an assignment has to be written in that order.
func (b *body) careful(s *ast.AssignStmt) bool {
	if len(s.Lhs) < 2 || s.Tok != token.ASSIGN {
		return false
	}
	entries, parts, variables := 0, 0, 0
	for _, e := range s.Lhs {
		if id, ok := e.(*ast.Ident); ok {
			if id.Name == "_" {
				continue
			}
			variables++
		} else if x, ok := ast.Unparen(e).(*ast.IndexExpr); ok && isMap(b.TypeOf(x.X)) {
			entries++
		} else {
			parts++
		}
		if types.IsInterface(b.Info.TypeOf(e)) && len(s.Rhs) > 1 {
			return true
		}
	}
	if entries+parts == 0 {
		return false
	}
	return variables > 0 || entries > 0 && parts > 0 || len(s.Rhs) == 1 || !b.allPlain(s.Rhs)
}

func isMap(t types.Type) bool {
	_, ok := t.(*types.Map)
	return ok
}

// assignCarefully writes such an assignment.
func (b *body) assignCarefully(s *ast.AssignStmt) string {
	var out strings.Builder
	keep := func(text string) string {
		name := b.l.temp()
		fmt.Fprintf(&out, "%s := %s\n", name, text)
		return name
	}
	lhs := make([]place, len(s.Lhs))
	left := make([]string, len(s.Lhs))
	var results []string
	if len(s.Rhs) == 1 && b.runs(s.Rhs[0]) {
		if _, ok := ast.Unparen(s.Rhs[0]).(*ast.CallExpr); ok {
			results = b.resultsOf(s.Rhs[0], s.Lhs, &out)
		} else {
			defer b.overriding()()
			out.WriteString(b.callsOfTwo(s.Rhs[0]))
		}
	}
	for i, e := range s.Lhs {
		lhs[i] = b.evaluated(e, keep)
		left[i] = lhs[i].text
	}
	if results != nil {
		tuple := b.Info.TypeOf(s.Rhs[0]).(*types.Tuple)
		for i, to := range lhs {
			if to.t != nil {
				fmt.Fprintf(&out, "%s = %s\n", to.text, b.l.Convert(results[i], tuple.At(i).Type(), to.t, s.Pos()))
			}
		}
		return strings.TrimSuffix(out.String(), "\n")
	}
	if len(s.Rhs) == 1 {
		out.WriteString(b.storeTuple(lhs, left, s.Rhs[0], "="))
		return out.String()
	}
	var stores []string
	for i, e := range s.Rhs {
		name := b.l.temp()
		if lhs[i].t == nil {
			if tv := b.Info.Types[e]; tv.Value == nil && !tv.IsNil() {
				fmt.Fprintf(&out, "%s := %s\n", name, b.expr(e))
			}
			continue
		}
		if b.Info.Types[e].IsNil() {
			fmt.Fprintf(&out, "var %s %s\n", name, b.l.Typ(lhs[i].t))
		} else {
			fmt.Fprintf(&out, "%s := %s\n", name, b.initial(e, lhs[i].t))
		}
		stores = append(stores, left[i]+" = "+name)
	}
	out.WriteString(strings.Join(stores, "\n"))
	return out.String()
}

// resultsOf writes a call of which each place gets a result, and returns the names of the results.
func (b *body) resultsOf(call ast.Expr, places []ast.Expr, out *strings.Builder) []string {
	names := make([]string, len(places))
	for i, e := range places {
		names[i] = b.l.temp()
		if isBlank(e) {
			names[i] = "_"
		}
	}
	fmt.Fprintf(out, "%s := %s\n", strings.Join(names, ", "), b.expr(call))
	return names
}

// callsOfTwo makes the calls within a value of two results that is no call.
func (b *body) callsOfTwo(e ast.Expr) string {
	switch e := ast.Unparen(e).(type) {
	case *ast.IndexExpr:
		return b.makeCalls(e.X) + b.makeCalls(e.Index)
	case *ast.TypeAssertExpr:
		return b.makeCalls(e.X)
	case *ast.UnaryExpr:
		return b.makeCalls(e.X)
	}
	return ""
}

// evaluated returns the place of an expression whose operands are evaluated now, into variables
// that keep makes. Whether the place is there, as an index within its bounds, turns out when it is
// set.
func (b *body) evaluated(e ast.Expr, keep func(text string) string) place {
	if isBlank(e) {
		return place{text: "_"}
	}
	defer b.overriding()()
	b.settle(e, func(x ast.Expr) {
		if tv := b.Info.Types[x]; tv.Value == nil && !tv.IsNil() {
			b.override[x] = keep(b.expr(x))
		}
	})
	return place{text: b.placed(e), t: b.Info.TypeOf(e)}
}

// overriding begins to note texts that stand for expressions, in addition to those that are noted;
// restore forgets them.
func (b *body) overriding() (restore func()) {
	saved := b.override
	b.override = maps.Clone(saved)
	if b.override == nil {
		b.override = map[ast.Expr]string{}
	}
	return func() { b.override = saved }
}

// settle hands the operands of a place to evaluate.
func (b *body) settle(e ast.Expr, evaluate func(ast.Expr)) {
	switch x := ast.Unparen(e).(type) {
	case *ast.SelectorExpr:
		if b.Info.Selections[x] == nil {
			return
		}
		if _, ok := b.TypeOf(x.X).(*types.Pointer); ok {
			evaluate(x.X)
			return
		}
		b.settle(x.X, evaluate)
	case *ast.IndexExpr:
		if _, ok := b.TypeOf(x.X).(*types.Array); ok {
			b.settle(x.X, evaluate)
		} else {
			evaluate(x.X)
		}
		evaluate(x.Index)
	case *ast.StarExpr:
		evaluate(x.X)
	}
}

// leavesValue reports the comma-ok forms for which the interpreter leaves the variable of the value
// as it was, perhaps in an iteration before, when there is none.
func leavesValue(e ast.Expr) bool {
	switch ast.Unparen(e).(type) {
	case *ast.IndexExpr, *ast.TypeAssertExpr:
		return true
	}
	return false
}

// zeroUnless sets a variable to its zero value unless another is true.
func (b *body) zeroUnless(found, name string, t types.Type) string {
	zero := b.l.temp()
	return fmt.Sprintf("if !%s {\nvar %s %s\n%s = %s\n}", found, zero, b.l.Typ(t), name, zero)
}

// evaluatedEarly reports whether the values of a var declaration have to be evaluated before the
// variables are declared: they mention others of the same name, or there are several and an
// interface gets one.
func (b *body) evaluatedEarly(spec *ast.ValueSpec) bool {
	early := false
	for i, id := range spec.Names {
		obj := b.Info.Defs[id]
		if obj == nil || b.l.S.ByObject[obj] != nil {
			continue
		}
		if len(spec.Values) > 1 && types.IsInterface(obj.Type()) {
			return true
		}
		for _, e := range spec.Values {
			ast.Inspect(e, func(n ast.Node) bool {
				if used, ok := n.(*ast.Ident); ok && used.Name == spec.Names[i].Name && b.Info.Uses[used] != nil {
					early = true
				}
				return !early
			})
		}
	}
	return early
}

// evaluateEarly writes the values of a var declaration into variables of their own, and returns
// what the declared ones get.
func (b *body) evaluateEarly(spec *ast.ValueSpec, out *strings.Builder) []string {
	names, values := make([]string, len(spec.Names)), make([]string, len(spec.Names))
	for i := range names {
		names[i] = b.l.temp()
	}
	if len(spec.Values) < len(spec.Names) {
		tuple := b.Info.TypeOf(spec.Values[0]).(*types.Tuple)
		fmt.Fprintf(out, "%s := %s\n", strings.Join(names, ", "), b.expr(spec.Values[0]))
		for i, id := range spec.Names {
			if p := b.Info.Defs[id]; p != nil {
				values[i] = b.l.Convert(names[i], types.Default(tuple.At(i).Type()), p.Type(), id.Pos())
			}
		}
		return values
	}
	for i, id := range spec.Names {
		e, obj := spec.Values[i], b.Info.Defs[id]
		switch {
		case obj == nil:
			fmt.Fprintf(out, "%s := %s\n", names[i], b.blanked(e))
		case b.Info.Types[e].IsNil():
			fmt.Fprintf(out, "var %s %s\n", names[i], b.l.Typ(obj.Type()))
		default:
			fmt.Fprintf(out, "%s := %s\n", names[i], b.initial(e, obj.Type()))
		}
		values[i] = names[i]
	}
	return values
}
