package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/hierml/notebook/kernel/internal/check/typed"
	"github.com/hierml/notebook/kernel/internal/interpreted/shape"
)

// assertion writes x.(T), as one value or as two where two are wanted.
func (b *body) assertion(e *ast.TypeAssertExpr) string {
	from, to := b.Info.TypeOf(e.X), b.Info.TypeOf(e.Type)
	_, two := b.Info.TypeOf(e).(*types.Tuple)
	x := unwrapped(b.operand(e.X), from)
	if two && b.l.Native(to) && !types.IsInterface(to) && !shape.IsCompiledInterface(from) {
		return x + ".(" + b.l.Typ(to) + ")"
	}
	question := b.question("x", from, to, e.Pos())
	if shape.Erased(to) || typed.IsEmptyInterface(to) {
		if two {
			return fmt.Sprintf("func(x interface{}) (interface{}, bool) { if %s { return x, true }; return nil, false }(%s)", question, x)
		}
		return fmt.Sprintf("func(x interface{}) interface{} { if %s { return x }; %s; return nil }(%s)", question, b.failure("x", from, to), x)
	}
	typ := b.l.Typ(to)
	if two {
		return fmt.Sprintf("func(x interface{}) (%s, bool) { var v %s; if %s { %s.Take(x, &v); return v, true }; return v, false }(%s)",
			typ, typ, question, shape.Bridge, x)
	}
	return fmt.Sprintf("func(x interface{}) %s { var v %s; if %s { %s.Take(x, &v) } else { %s }; return v }(%s)",
		typ, typ, question, shape.Bridge, b.failure("x", from, to), x)
}

// failure panics as a failed assertion does.
func (b *body) failure(x string, from, to types.Type) string {
	switch {
	case shape.Erased(to):
		names, texts, samples := b.l.MethodLists(to.Underlying().(*types.Interface))
		return fmt.Sprintf("%s.Lacks(%s, %q, %s, %s, %s)", shape.Bridge, x, shape.RuntimeName(to), names, texts, samples)
	case types.IsInterface(to) && !typed.IsEmptyInterface(to):
		return fmt.Sprintf("%s.LacksCompiled(%s, %q, (*%s)(nil))", shape.Bridge, x, shape.RuntimeName(to), b.l.Typ(to))
	}
	return fmt.Sprintf("%s.NotA(%s, %q, %q, %v)", shape.Bridge, x, shape.RuntimeName(from), shape.RuntimeName(to), types.IsInterface(to))
}

// question writes whether the value of the variable x, of interface type from, is a value of type
// to.
func (b *body) question(x string, from, to types.Type, pos token.Pos) string {
	b.l.Pos = pos
	switch {
	case typed.IsEmptyInterface(to):
		return x + " != nil"
	case shape.Erased(to):
		names, texts, samples := b.l.MethodLists(to.Underlying().(*types.Interface))
		return fmt.Sprintf("%s.Has(%s, %s, %s, %s)", shape.Bridge, x, names, texts, samples)
	case types.IsInterface(to):
		return fmt.Sprintf("%s.Implements(%s, (*%s)(nil))", shape.Bridge, x, b.l.Typ(to))
	case b.l.Native(to):
		return fmt.Sprintf("%s.IsNative(%s, (*%s)(nil))", shape.Bridge, x, b.l.Typ(to))
	}
	return fmt.Sprintf("%s.Is(%s, %d)", shape.Bridge, x, b.l.Describe(to))
}

// typeSwitch writes a type switch as a switch on the bridge's answers.
func (b *body) typeSwitch(s *ast.TypeSwitchStmt, label string) string {
	var x ast.Expr
	bound := false
	switch a := s.Assign.(type) {
	case *ast.ExprStmt:
		x = ast.Unparen(a.X).(*ast.TypeAssertExpr).X
	case *ast.AssignStmt:
		x = ast.Unparen(a.Rhs[0]).(*ast.TypeAssertExpr).X
		bound = true
	}
	var out strings.Builder
	out.WriteString("{\n" + b.Mark(s.Init, x))
	if s.Init != nil {
		out.WriteString(b.ahead(s.Init))
	}
	from := b.Info.TypeOf(x)
	subject := fmt.Sprintf("x__%d", b.l.S.Unique())
	fmt.Fprintf(&out, "%s := %s\n", subject, b.expr(x))
	held := subject
	if shape.IsCompiledInterface(from) && !carries(from) {
		held = fmt.Sprintf("x__%d", b.l.S.Unique())
		fmt.Fprintf(&out, "%s := %s\n", held, unwrapped(subject, from))
	}
	text := b.withTarget(&target{label: label}, func() string {
		var out strings.Builder
		out.WriteString("switch {\n")
		for _, c := range s.Body.List {
			c := c.(*ast.CaseClause)
			var single types.Type
			if c.List == nil {
				out.WriteString("default:\n")
			} else {
				questions := make([]string, len(c.List))
				for i, e := range c.List {
					tv := b.Info.Types[e]
					if tv.IsNil() {
						questions[i] = subject + " == nil"
						continue
					}
					questions[i] = b.question(held, from, tv.Type, e.Pos())
					if len(c.List) == 1 {
						single = tv.Type
					}
				}
				out.WriteString("case " + strings.Join(questions, " || ") + ":\n")
			}
			if obj := b.Info.Implicits[c]; bound && obj != nil {
				name := b.local(obj)
				switch {
				case single == nil:
					fmt.Fprintf(&out, "%s := %s\n", name, subject)
				case shape.Erased(single) || typed.IsEmptyInterface(single):
					fmt.Fprintf(&out, "%s := interface{}(%s)\n", name, held)
				default:
					fmt.Fprintf(&out, "var %s %s\n%s.Take(%s, &%s)\n", name, b.l.Typ(single), shape.Bridge, held, name)
				}
			}
			b.Forget()
			out.WriteString(b.stmts(c.Body))
			b.Forget()
		}
		out.WriteString("}\n")
		return out.String()
	})
	out.WriteString(labelled(label, text) + "}\n")
	return out.String()
}
