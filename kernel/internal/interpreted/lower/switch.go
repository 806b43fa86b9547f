package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/hierml/notebook/kernel/internal/interpreted/conversion"
)

func (b *body) switchStmt(s *ast.SwitchStmt, label string) string {
	nodes := []ast.Node{s.Init, s.Tag}
	for _, c := range s.Body.List {
		for _, e := range c.(*ast.CaseClause).List {
			nodes = append(nodes, e)
		}
	}
	mark := b.Mark(nodes...)
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
		fmt.Fprintf(&out, "%s := %s\n", name, conversion.Unwrapped(b.initial(s.Tag, tag), tag))
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
		if subject != "" && !types.IsInterface(tag) {
			return b.concreteCase(subject, tag, e)
		}
		if subject != "" {
			return subject + " == " + conversion.Unwrapped(b.inInterface(e, tag), tag)
		}
		return b.to(e, tag)
	}))
	if out.Len() == 0 {
		return mark + text
	}
	return mark + "{\n" + out.String() + text + "}\n"
}

// concreteCase writes the condition that a value of a case is that of a variable of type tag, which
// is no interface.
func (b *body) concreteCase(subject string, tag types.Type, e ast.Expr) string {
	tv := b.Info.Types[e]
	value := b.operand(e)
	switch common := conversion.CommonType(types.TypeAndValue{Type: tag}, tv); {
	case tv.IsNil():
	case types.IsInterface(tv.Type):
		return b.l.Compared(b.l.Convert(subject, tag, tv.Type, e.Pos()), tag, tv.Type) + " == " + conversion.Unwrapped(value, tv.Type)
	case common == nil:
	case common == tag:
		value = b.l.Parenthesized(common) + "(" + value + ")"
	default:
		subject = b.l.Parenthesized(common) + "(" + subject + ")"
	}
	return subject + " == " + value
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
	return b.withTarget(&target{label: label}, func() string {
		var out strings.Builder
		out.WriteString("{\n")
		for i, c := range block.List {
			c := c.(*ast.CaseClause)
			if c.List == nil && i < len(block.List)-1 && fallsThrough(block) {
				b.l.Refuse(c.Pos(), "fallthrough in a switch whose default is not its last case: the interpreter would move the default to the end")
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
			b.Forget()
			out.WriteString(b.stmts(c.Body))
			b.Forget()
		}
		out.WriteString("}\n")
		return out.String()
	})
}

// caseCondition writes a condition of a case that others follow. The interpreter takes the start of
// a literal, or of a conversion to an interface, for the condition.
func (b *body) caseCondition(e ast.Expr, text string) string {
	if strings.Contains(text, "interface{}(") || holdsLiteral(e) {
		return "func() bool { return " + text + " }()"
	}
	return text
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
