package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/hierml/notebook/kernel/internal/interpreted/shape"
)

// A target is a statement that break or continue can mean.
type target struct {
	label string
	loop  bool
	// iterated is set for a range over a function, whose body is a separate function literal.
	iterated *iterated
}

// iterated is what leaves the body of a range over a function otherwise than by its end: noted in a
// variable, and carried out after the call. Another variable says whether the iterator may call the
// body.
type iterated struct {
	variable string
	state    string
	exits    []exit
	returns  []string // variables that hold results
	returned bool
}

type exit struct {
	tok   token.Token
	label *ast.Ident
	pos   token.Pos
}

// leave writes the end of the loop from inside the body. The states are 0 for a body that may be
// called, and those of the bridge's Iterated.
func (it *iterated) leave() string {
	return it.state + " = 1\nreturn false"
}

// withTarget runs write with a target around.
func (b *body) withTarget(t *target, write func() string) string {
	b.targets = append(b.targets, t)
	text := write()
	b.targets = b.targets[:len(b.targets)-1]
	return text
}

// rangeFunc returns the innermost range over a function around.
func (b *body) rangeFunc() *iterated {
	for i := len(b.targets) - 1; i >= 0; i-- {
		if it := b.targets[i].iterated; it != nil {
			return it
		}
	}
	return nil
}

// branch writes break, continue, goto and fallthrough.
func (b *body) branch(tok token.Token, label *ast.Ident, pos token.Pos) string {
	text := tok.String()
	if label != nil {
		text += " " + labelName(label.Name)
	}
	if tok == token.FALLTHROUGH {
		return text
	}
	if tok == token.GOTO {
		if b.rangeFunc() != nil {
			b.l.Refuse(pos, "the interpreter cannot run a goto inside a range over a function")
		}
		return "goto " + labelName(b.destination(label.Name))
	}
	for i := len(b.targets) - 1; i >= 0; i-- {
		t := b.targets[i]
		means := label == nil && (tok == token.BREAK || t.loop) || label != nil && label.Name == t.label
		if t.iterated == nil {
			if means {
				return text
			}
			continue
		}
		if means {
			if tok == token.CONTINUE {
				return t.iterated.state + " = 0\nreturn true"
			}
			return t.iterated.leave()
		}
		t.iterated.exits = append(t.iterated.exits, exit{tok, label, pos})
		return fmt.Sprintf("%s = %d\n%s", t.iterated.variable, len(t.iterated.exits)+1, t.iterated.leave())
	}
	return text
}

// statements returns the node whose labels are those of the body.
func (b *body) statements() ast.Node {
	switch {
	case b.enclosing != nil:
		return b.enclosing.Body
	case b.function != nil:
		return b.function.Decl.Body
	}
	return &ast.BlockStmt{List: b.l.K.Body}
}

// jumped reports whether a goto leads to a label.
func (b *body) jumped(label string) bool {
	found := false
	ast.Inspect(b.statements(), func(n ast.Node) bool {
		if s, ok := n.(*ast.BranchStmt); ok && s.Tok == token.GOTO && s.Label.Name == label {
			found = true
		}
		return !found
	})
	return found
}

// destination returns the label for goto. For a statement that break can leave it is another label,
// before the code that the lowered text evaluates ahead of the statement.
func (b *body) destination(label string) string {
	ast.Inspect(b.statements(), func(n ast.Node) bool {
		if s, ok := n.(*ast.LabeledStmt); ok && s.Label.Name == label && canBreak(s.Stmt) {
			label += "__again"
			return false
		}
		return true
	})
	return label
}

// canBreak reports statements that break can leave.
func canBreak(s ast.Stmt) bool {
	switch s.(type) {
	case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		return true
	}
	return false
}

// returnThrough writes a return inside the body of a range over a function.
func (b *body) returnThrough(s *ast.ReturnStmt, it *iterated) string {
	it.returned = true
	leave := fmt.Sprintf("%s = 1\n%s", it.variable, it.leave())
	if len(s.Results) == 0 {
		return leave
	}
	places := make([]place, b.results.Len())
	for i := range places {
		if i >= len(it.returns) {
			if len(b.resultNames) > 0 {
				it.returns = append(it.returns, b.resultNames[i])
			} else {
				it.returns = append(it.returns, fmt.Sprintf("%s_%d", it.variable, i))
			}
		}
		places[i] = place{text: it.returns[i], t: b.results.At(i).Type()}
	}
	return b.store(places, s.Results, "=") + "\n" + leave
}

// rangeOverFunc writes the call of an iterator with the loop's body as its argument.
func (b *body) rangeOverFunc(s *ast.RangeStmt, label string, sig *types.Signature) string {
	yield := sig.Params().At(0).Type().Underlying().(*types.Signature)
	n := b.l.S.Unique()
	it := &iterated{variable: fmt.Sprintf("exit__%d", n), state: fmt.Sprintf("state__%d", n)}
	mark := b.MarkAt(s.X.Pos())
	f := b.operandOf(ast.Unparen(s.X))
	params := make([]string, yield.Params().Len())
	var prologue strings.Builder
	for i, e := range []ast.Expr{s.Key, s.Value} {
		if i >= len(params) {
			break
		}
		t := yield.Params().At(i).Type()
		name := fmt.Sprintf("y__%d_%d", n, i)
		if id, ok := e.(*ast.Ident); ok && s.Tok == token.DEFINE && id.Name != "_" {
			if p := b.declared(id); p.new {
				name = p.text
			}
		} else if e != nil && !isBlank(e) {
			// The compiler sets one after the other, unlike those of other ranges.
			var set strings.Builder
			b.setPlace(&prologue, &set, e, name, t)
			prologue.WriteString(set.String())
		}
		params[i] = name + " " + b.l.Typ(t)
	}
	b.Forget()
	inner := *b
	inner.literal++
	inner.loops = 0
	inner.Iteration()
	inner.targets = append(append([]*target(nil), b.targets...), &target{label: label, loop: true, iterated: it})
	enter := fmt.Sprintf("if %s != 0 {\n%s.Iterated(%s)\n}\n%s = 2\n", it.state, shape.Bridge, it.state, it.state)
	text := inner.Wrap(enter+prologue.String()+inner.stmts(s.Body.List)+it.state+" = 0\nreturn true\n", s.Body.Lbrace)
	b.Forget()

	var out strings.Builder
	out.WriteString(mark)
	var after strings.Builder
	if it.returned {
		values := strings.Join(it.returns, ", ")
		if outer := b.rangeFunc(); outer != nil {
			outer.returned = true
			if len(it.returns) > 0 {
				outer.returns = it.returns
			}
			fmt.Fprintf(&after, "if %s == 1 {\n%s = 1\n%s\n}\n", it.variable, outer.variable, outer.leave())
		} else if len(b.resultNames) > 0 || b.deferring != "" {
			fmt.Fprintf(&after, "if %s == 1 {\nreturn\n}\n", it.variable)
		} else {
			fmt.Fprintf(&after, "if %s == 1 {\nreturn %s\n}\n", it.variable, values)
		}
	}
	for i, x := range it.exits {
		fmt.Fprintf(&after, "if %s == %d {\n%s\n}\n", it.variable, i+2, b.branch(x.tok, x.label, x.pos))
	}
	if after.Len() > 0 {
		fmt.Fprintf(&out, "%s := 0\n", it.variable)
	}
	if len(b.resultNames) == 0 && it.returned && b.rangeFunc() == nil {
		for i, r := range it.returns {
			fmt.Fprintf(&out, "var %s %s\n", r, b.l.Typ(b.results.At(i).Type()))
		}
	}
	fmt.Fprintf(&out, "%s := 0\n", it.state)
	fmt.Fprintf(&out, "%s(func(%s) bool %s)\n", f, strings.Join(params, ", "), text)
	fmt.Fprintf(&out, "if %s == 2 {\n%s.Iterated(4)\n}\n%s = 3\n", it.state, shape.Bridge, it.state)
	out.WriteString(after.String())
	return "{\n" + out.String() + "}\n"
}
