package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

func (b *body) switchStmt(s *ast.SwitchStmt, label string) string {
	var nodes []ast.Node
	if s.Init != nil {
		nodes = append(nodes, s.Init)
	}
	if s.Tag != nil {
		nodes = append(nodes, s.Tag)
	}
	for _, c := range s.Body.List {
		for _, e := range c.(*ast.CaseClause).List {
			nodes = append(nodes, e)
		}
	}
	mark := b.mark(nodes...)
	var out strings.Builder
	if s.Init != nil {
		out.WriteString(b.ahead(s.Init))
	}
	head := "switch "
	var tag types.Type
	subject := "" // of interface type, compared case by case
	if s.Tag != nil {
		// The interpreter takes the tag for the value of the cases unless it is a variable.
		tag = types.Default(b.Info.TypeOf(s.Tag))
		name := b.l.temp()
		fmt.Fprintf(&out, "%s := %s\n", name, unwrapped(b.initial(s.Tag, tag), tag))
		if types.IsInterface(tag) {
			subject = name
		} else {
			head += name + " "
		}
	}
	if subject == "" && tag != nil && !b.constantCases(s.Body) {
		// Of the values of a case that are not constant the interpreter would compare the first
		// only.
		subject, head = strings.TrimSuffix(strings.TrimPrefix(head, "switch "), " "), "switch "
	}
	text := labelled(label, head+b.clauses(s.Body, label, tag == nil || subject != "", func(e ast.Expr) string {
		if tag == nil {
			return b.expr(e)
		}
		if types.IsInterface(b.Info.TypeOf(e)) && !types.IsInterface(tag) && !b.Info.Types[e].IsNil() {
			b.l.Refuse(e.Pos(), "a case of interface type in a switch on a concrete one")
		}
		if subject != "" && !types.IsInterface(tag) {
			return subject + " == " + b.operand(e)
		}
		if subject != "" {
			return subject + " == " + unwrapped(b.inInterface(e, tag), tag)
		}
		return b.to(e, tag)
	}))
	if out.Len() == 0 {
		return mark + text
	}
	return mark + "{\n" + out.String() + text + "}\n"
}

// constantCases reports whether all values of a switch's cases are constant.
func (b *body) constantCases(block *ast.BlockStmt) bool {
	for _, c := range block.List {
		for _, e := range c.(*ast.CaseClause).List {
			if b.Info.Types[e].Value == nil {
				return false
			}
		}
	}
	return true
}

// clauses writes the cases of a switch. conditions says that expr makes conditions of their values.
func (b *body) clauses(block *ast.BlockStmt, label string, conditions bool, expr func(ast.Expr) string) string {
	return b.within(&target{label: label}, func() string {
		var out strings.Builder
		out.WriteString("{\n")
		for i, c := range block.List {
			c := c.(*ast.CaseClause)
			if c.List == nil && i < len(block.List)-1 && fallsThrough(block) {
				b.l.Refuse(c.Pos(), "fallthrough in a switch whose default is not its last case: the interpreter would move it there")
			}
			if c.List == nil {
				out.WriteString("default:\n")
			} else {
				list := make([]string, len(c.List))
				for i, e := range c.List {
					list[i] = expr(e)
					if conditions && i < len(c.List)-1 {
						list[i] = b.caseCondition(e, list[i])
					}
				}
				separator := ", "
				if conditions {
					separator = " || "
				}
				out.WriteString("case " + strings.Join(list, separator) + ":\n")
			}
			b.noted = 0
			out.WriteString(b.stmts(c.Body))
			b.noted = 0
		}
		out.WriteString("}\n")
		return out.String()
	})
}

func (b *body) selectStmt(s *ast.SelectStmt, label string) string {
	var nodes []ast.Node
	for _, c := range s.Body.List {
		if comm := c.(*ast.CommClause).Comm; comm != nil {
			nodes = append(nodes, comm)
		}
	}
	before := b.mark(nodes...)
	sends, received := map[*ast.SendStmt]string{}, map[ast.Stmt]string{}
	for _, n := range nodes {
		text, temps := "", ""
		switch n := n.(type) {
		case *ast.SendStmt:
			text, temps = b.selectedSend(n)
			sends[n] = text
		case *ast.AssignStmt:
			received[n], temps = b.selectedChannel(n.Rhs[0])
		case *ast.ExprStmt:
			received[n], temps = b.selectedChannel(n.X)
		}
		before += temps
	}
	exit := label
	if exit == "" {
		exit = fmt.Sprintf("select%d", b.l.S.Unique())
	}
	text := "select " + b.within(&target{label: label, exit: exit}, func() string {
		var out strings.Builder
		out.WriteString("{\n")
		for _, c := range s.Body.List {
			c := c.(*ast.CommClause)
			switch comm := c.Comm.(type) {
			case nil:
				out.WriteString("default:\n")
			case *ast.AssignStmt:
				out.WriteString(b.receiveClause(comm, received[comm]))
			case *ast.SendStmt:
				out.WriteString("case " + sends[comm] + ":\n")
			case *ast.ExprStmt:
				out.WriteString("case <-" + received[comm] + ":\n")
			default:
				out.WriteString("case " + b.simple(comm) + ":\n")
			}
			b.noted = 0
			// In a block, because the interpreter takes a branch that is the last statement of a
			// clause for the end of the function.
			out.WriteString("{\n" + b.stmts(c.Body) + "}\n")
			b.noted = 0
		}
		out.WriteString("}\n")
		return out.String()
	})
	if label == "" && !strings.Contains(text, "break "+labelName(exit)) {
		exit = ""
	}
	return before + labelled(exit, text)
}

// selectedSend writes the send of a clause, and what comes before the statement: the value, of
// which the interpreter would compute the outermost operation only.
func (b *body) selectedSend(s *ast.SendStmt) (send, before string) {
	elem := b.TypeOf(s.Chan).(*types.Chan).Elem()
	channel := b.expr(s.Chan)
	if _, ok := ast.Unparen(s.Chan).(*ast.CallExpr); ok {
		temp := b.l.temp()
		before = fmt.Sprintf("var %s %s = %s\n", temp, b.l.Typ(b.Info.TypeOf(s.Chan)), channel)
		channel = temp
	}
	value := b.to(s.Value, elem)
	switch ast.Unparen(s.Value).(type) {
	case *ast.Ident, *ast.BasicLit:
	default:
		temp := b.l.temp()
		before += fmt.Sprintf("var %s %s = %s\n", temp, b.l.Typ(elem), value)
		value = temp
	}
	return channel + " <- " + value, before
}

// selectedChannel writes the channel that a clause receives from, and what comes before the
// statement: the interpreter would ask again, and elsewhere, for one that is computed.
func (b *body) selectedChannel(receive ast.Expr) (channel, before string) {
	x := ast.Unparen(receive).(*ast.UnaryExpr).X
	channel = b.operand(x)
	if _, ok := ast.Unparen(x).(*ast.CallExpr); ok {
		temp := b.l.temp()
		before = fmt.Sprintf("var %s %s = %s\n", temp, b.l.Typ(b.Info.TypeOf(x)), channel)
		channel = temp
	}
	return channel, before
}

// receiveClause writes a clause that receives into variables: always into new ones, from which
// those that are assigned to get their values.
func (b *body) receiveClause(s *ast.AssignStmt, channel string) string {
	recv := ast.Unparen(s.Rhs[0]).(*ast.UnaryExpr)
	elem := b.TypeOf(recv.X).(*types.Chan).Elem()
	ts := []types.Type{elem, types.Typ[types.Bool]}
	names := make([]string, len(s.Lhs))
	after := ""
	for i, e := range s.Lhs {
		id, ok := e.(*ast.Ident)
		switch {
		case ok && id.Name == "_":
			names[i] = "_"
		case s.Tok == token.DEFINE:
			names[i] = b.define(id)
		default:
			names[i] = "c__" + strings.TrimPrefix(b.l.temp(), "t__")
			after += b.expr(e) + " = " + b.convert(names[i], ts[i], b.Info.TypeOf(e), e.Pos()) + "\n"
		}
	}
	if len(names) == 1 && names[0] == "_" || len(names) == 2 && names[0] == "_" && names[1] == "_" {
		return "case <-" + channel + ":\n"
	}
	return "case " + strings.Join(names, ", ") + " := <-" + channel + ":\n" + after
}

// caseCondition writes a condition of a case that others follow. The interpreter takes the start of
// a literal, or of a conversion to an interface, for the condition.
func (b *body) caseCondition(e ast.Expr, text string) string {
	begins := strings.Contains(text, "interface{}(")
	ast.Inspect(e, func(n ast.Node) bool {
		_, literal := n.(*ast.CompositeLit)
		begins = begins || literal
		return !begins
	})
	if !begins {
		return text
	}
	return "func() bool { return " + text + " }()"
}

// fallsThrough reports whether a case of a switch ends with fallthrough.
func fallsThrough(block *ast.BlockStmt) bool {
	for _, c := range block.List {
		if body := c.(*ast.CaseClause).Body; len(body) > 0 {
			if s, ok := body[len(body)-1].(*ast.BranchStmt); ok && s.Tok == token.FALLTHROUGH {
				return true
			}
		}
	}
	return false
}
