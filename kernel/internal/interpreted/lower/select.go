package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// Of what a select statement sends and receives the interpreter takes no more than variables as Go
// does: it evaluates a channel again, and elsewhere, and of a value the outermost operation only.
// Everything else is evaluated before the statement, in the order of the clauses.

func (b *body) selectStmt(s *ast.SelectStmt, label string) string {
	var nodes []ast.Node
	for _, c := range s.Body.List {
		if comm := c.(*ast.CommClause).Comm; comm != nil {
			nodes = append(nodes, comm)
		}
	}
	before := b.mark(nodes...)
	sends, received := map[*ast.SendStmt]string{}, map[ast.Stmt]string{}
	for i, n := range nodes {
		text, temps := "", ""
		switch n := n.(type) {
		case *ast.SendStmt:
			text, temps = b.selectedSend(n, nodes[i+1:])
			sends[n] = text
		case *ast.AssignStmt:
			received[n], temps = b.selectedChannel(channelOf(n.Rhs[0]), nodes[i+1:])
		case *ast.ExprStmt:
			received[n], temps = b.selectedChannel(channelOf(n.X), nodes[i+1:])
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
			var after string
			switch comm := c.Comm.(type) {
			case nil:
				out.WriteString("default:\n")
			case *ast.AssignStmt:
				var clause string
				clause, after = b.receiveClause(comm, received[comm], c)
				out.WriteString(clause)
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
			out.WriteString("{\n" + after + b.stmts(c.Body) + "}\n")
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

// channelOf returns the channel of a receive.
func channelOf(receive ast.Expr) ast.Expr { return ast.Unparen(receive).(*ast.UnaryExpr).X }

// selectedSend writes the send of a clause that others follow, and what comes before the statement.
func (b *body) selectedSend(s *ast.SendStmt, later []ast.Node) (send, before string) {
	elem := b.TypeOf(s.Chan).(*types.Chan).Elem()
	channel, before := b.selectedChannel(s.Chan, append([]ast.Node{s.Value}, later...))
	value := b.to(s.Value, elem)
	if !b.sentAsIs(s.Value, value, elem, later) {
		temp := b.l.temp()
		before += fmt.Sprintf("var %s %s", temp, b.l.Typ(elem))
		if !b.Info.Types[s.Value].IsNil() {
			before += " = " + value
		}
		before += "\n"
		value = temp
	}
	return channel + " <- " + value, before
}

// sentAsIs reports whether a value can stand in a clause: a variable of the channel's type that
// nothing later changes, or a constant that has the type by itself.
func (b *body) sentAsIs(e ast.Expr, text string, elem types.Type, later []ast.Node) bool {
	if b.Info.Types[e].Value != nil {
		basic, ok := types.Unalias(elem).(*types.Basic)
		return ok && (basic.Kind() == types.Int || basic.Kind() == types.String || basic.Kind() == types.Bool || basic.Kind() == types.Float64)
	}
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return false
	}
	_, variable := b.Info.Uses[id].(*types.Var)
	return variable && token.IsIdentifier(text) && types.Identical(b.Info.TypeOf(e), elem) && !b.runsAny(later)
}

// selectedChannel writes the channel of a clause that others follow, and what comes before the
// statement.
func (b *body) selectedChannel(x ast.Expr, later []ast.Node) (channel, before string) {
	channel = b.operand(x)
	if token.IsIdentifier(channel) && !b.runsAny(later) {
		return channel, ""
	}
	temp := b.l.temp()
	if b.Info.Types[x].IsNil() {
		return temp, fmt.Sprintf("var %s %s\n", temp, b.l.Typ(b.Info.TypeOf(x)))
	}
	return temp, fmt.Sprintf("var %s %s = %s\n", temp, b.l.Typ(b.Info.TypeOf(x)), channel)
}

// receiveClause writes a clause that receives into variables, and what its statements begin with:
// it receives always into new ones, from which those that are assigned to get their values, and
// those that may outlive the clause, which would be the same whenever it is chosen.
func (b *body) receiveClause(s *ast.AssignStmt, channel string, c *ast.CommClause) (clause, after string) {
	elem := b.TypeOf(channelOf(s.Rhs[0])).(*types.Chan).Elem()
	ts := []types.Type{elem, types.Typ[types.Bool]}
	names := make([]string, len(s.Lhs))
	places, sets := "", ""
	for i, e := range s.Lhs {
		names[i] = "_"
		if id, ok := e.(*ast.Ident); ok && id.Name == "_" {
			continue
		}
		if s.Tok == token.DEFINE {
			names[i] = b.define(e.(*ast.Ident))
			if v := b.Info.Defs[e.(*ast.Ident)].(*types.Var); !b.Outlives(v, c) {
				continue
			}
			sets += names[i] + " := "
		}
		held := "c__" + strings.TrimPrefix(b.l.temp(), "t__")
		if s.Tok == token.DEFINE {
			sets += held + "\n"
		} else {
			to := place{text: b.placed(e), t: b.Info.TypeOf(e)}
			if len(s.Lhs) > 1 {
				to = b.evaluated(e, func(text string) string {
					temp := b.l.temp()
					places += temp + " := " + text + "\n"
					return temp
				})
			}
			sets += to.text + " = " + b.convert(held, ts[i], to.t, e.Pos()) + "\n"
		}
		names[i] = held
	}
	if names[0] == "_" && names[len(names)-1] == "_" {
		return "case <-" + channel + ":\n", ""
	}
	return "case " + strings.Join(names, ", ") + " := <-" + channel + ":\n", places + sets
}
