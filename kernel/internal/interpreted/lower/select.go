package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/hierml/notebook/kernel/internal/interpreted/shape"
)

// The interpreter keeps the channels of a select statement with the statement, where goroutines
// that carry it out at the same time write over one another's. It evaluates a channel again, and
// elsewhere, and of a value the outermost operation only. So the bridge selects, and a switch on
// the number of the clause it has chosen follows. What is no variable is evaluated before, in the
// order of the clauses.

func (b *body) selectStmt(s *ast.SelectStmt, label string) string {
	if len(s.Body.List) == 0 {
		return labelled(label, "select {\n}\n")
	}
	var nodes []ast.Node
	for _, c := range s.Body.List {
		if comm := c.(*ast.CommClause).Comm; comm != nil {
			nodes = append(nodes, comm)
		}
	}
	var before strings.Builder
	before.WriteString(b.Mark(nodes...))
	kinds, later := "", nodes
	var operands []string
	for _, c := range s.Body.List {
		comm := c.(*ast.CommClause).Comm
		if comm == nil {
			kinds += "d"
			continue
		}
		later = later[1:]
		switch comm := comm.(type) {
		case *ast.SendStmt:
			kinds += "s"
			channel := b.selectedChannel(comm.Chan, append([]ast.Node{comm.Value}, later...), &before)
			operands = append(operands, channel, b.selectedValue(comm, later, &before))
		default:
			kinds += "r"
			operands = append(operands, b.selectedChannel(channelOf(receiveOf(comm)), later, &before))
		}
	}
	n := b.l.S.Unique()
	chosen, value, ok := fmt.Sprintf("n__%d", n), fmt.Sprintf("v__%d", n), fmt.Sprintf("ok__%d", n)
	text := b.withTarget(&target{label: label}, func() string {
		var out strings.Builder
		for i, c := range s.Body.List {
			c := c.(*ast.CommClause)
			if i == len(s.Body.List)-1 {
				out.WriteString("default:\n") // where all clauses return, nothing is missing
			} else {
				fmt.Fprintf(&out, "case %d:\n", i)
			}
			b.Forget()
			if assign, received := c.Comm.(*ast.AssignStmt); received {
				out.WriteString(b.receive(assign, c, value, ok))
			}
			out.WriteString(b.stmts(c.Body))
			b.Forget()
		}
		return "switch " + chosen + " {\n" + out.String() + "}\n"
	})
	fmt.Fprintf(&before, "%s, %s, %s := %s.Select(%s)\n", chosen, value, ok, shape.Bridge, strings.Join(append([]string{fmt.Sprintf("%q", kinds)}, operands...), ", "))
	return "{\n" + before.String() + labelled(label, text) + "}\n"
}

// receiveOf returns the receive of a clause, and channelOf its channel.
func receiveOf(comm ast.Stmt) ast.Expr {
	if assign, ok := comm.(*ast.AssignStmt); ok {
		return assign.Rhs[0]
	}
	return comm.(*ast.ExprStmt).X
}

func channelOf(receive ast.Expr) ast.Expr { return ast.Unparen(receive).(*ast.UnaryExpr).X }

// selectedChannel writes the channel of a clause that others follow, and what comes before the
// statement.
func (b *body) selectedChannel(x ast.Expr, later []ast.Node, before *strings.Builder) string {
	channel := b.operand(x)
	if token.IsIdentifier(channel) && !b.Info.Types[x].IsNil() && !b.runsAny(later) {
		return channel
	}
	return b.selected(x, channel, b.Info.TypeOf(x), before)
}

// selectedValue writes what a clause sends, and what comes before the statement.
func (b *body) selectedValue(s *ast.SendStmt, later []ast.Node, before *strings.Builder) string {
	elem := b.TypeOf(s.Chan).(*types.Chan).Elem()
	value := b.functionAs(s.Value, elem)
	if id, ok := ast.Unparen(s.Value).(*ast.Ident); ok && token.IsIdentifier(value) && types.Identical(b.Info.TypeOf(id), elem) && !b.runsAny(later) {
		if _, variable := b.Info.Uses[id].(*types.Var); variable {
			return value
		}
	}
	return b.selected(s.Value, value, elem, before)
}

// selected writes a variable for what a clause mentions.
func (b *body) selected(e ast.Expr, text string, t types.Type, before *strings.Builder) string {
	temp := b.l.temp()
	fmt.Fprintf(before, "var %s %s", temp, b.l.Typ(t))
	if !b.Info.Types[e].IsNil() {
		before.WriteString(" = " + text)
	}
	before.WriteByte('\n')
	return temp
}

// receive writes how a clause that was chosen gives its variables what it received. A variable that
// may outlive the clause is a new one whenever it is chosen.
func (b *body) receive(s *ast.AssignStmt, c *ast.CommClause, value, ok string) string {
	elem := b.TypeOf(channelOf(s.Rhs[0])).(*types.Chan).Elem()
	ts := []types.Type{elem, types.Typ[types.Bool]}
	var places, sets strings.Builder
	for i, e := range s.Lhs {
		if isBlank(e) {
			continue
		}
		held := ok
		if i == 0 {
			held = "c__" + strings.TrimPrefix(b.l.temp(), "t__")
		}
		if s.Tok == token.DEFINE {
			id := e.(*ast.Ident)
			name := b.define(id)
			if v := b.Info.Defs[id].(*types.Var); i == 0 && !b.Outlives(v, c) {
				held = name
			} else {
				sets.WriteString(name + " := " + held + "\n")
			}
		} else {
			to := place{text: b.placed(e), t: b.Info.TypeOf(e)}
			if len(s.Lhs) > 1 {
				to = b.evaluated(e, func(text string) string {
					temp := b.l.temp()
					places.WriteString(temp + " := " + text + "\n")
					return temp
				})
			}
			sets.WriteString(to.text + " = " + b.l.Convert(held, ts[i], to.t, e.Pos()) + "\n")
		}
		if i == 0 {
			fmt.Fprintf(&places, "var %s %s\n%s.Get(%s, &%s)\n", held, b.l.Typ(elem), shape.Bridge, value, held)
		}
	}
	return places.String() + sets.String()
}
