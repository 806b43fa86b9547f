package engine

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ast/astutil"
)

// The statements at the top of a cell, and function literals in them, may
// mention what earlier cells showed and said:
//
//	_       the value that was shown last
//	Out[n]  what cell n showed: a value, or several as a call has them
//	In[n]   the source of cell n
//
// n is a number that is written out, so that the value has the type which it
// had; it is the execution count that the user sees. A cell that shows nothing
// has no value. What the user declares as Out or In wins over these.
//
// In the tree a value is a call of a function that nothing declares, so Go does
// not take it for a variable; the lowered call asks the bridge, which keeps
// the values of all cells. A source is a literal.

// An output is what a cell showed.
type output struct {
	cell  int // its number
	types []types.Type
	// lost says what became of the values; empty while they are there.
	lost string
}

// A recalled output is one that a cell mentions.
type recalled struct {
	*output
	text   string // as the user writes it
	object *types.Func
}

// A reading is a parsed cell, with what it mentions of what others showed, by
// the names that stand for it in the tree.
type reading struct {
	*parsed
	recalled map[string]*recalled
}

// parse parses a cell, and replaces what it mentions of earlier ones.
func (c *checker) parse(src *source) (*reading, []problem) {
	p, problems := c.files.parse(src)
	if len(problems) > 0 {
		return nil, problems
	}
	r := &reading{parsed: p}
	return r, c.recall(r)
}

// recall replaces what a cell mentions of earlier ones.
func (c *checker) recall(p *reading) []problem {
	if p.statements == nil || !strings.Contains(p.source.cell.Source, "_") && !p.mentioned["Out"] && !p.mentioned["In"] {
		return nil
	}
	var problems []problem
	complain := func(pos token.Pos, format string, args ...any) {
		problems = append(problems, c.problem(pos, fmt.Sprintf(format, args...)))
	}
	call := func(text, name string, out *output, pos, open, end token.Pos) ast.Node {
		if p.recalled == nil {
			p.recalled = map[string]*recalled{}
		}
		if p.recalled[name] == nil {
			results := make([]*types.Var, len(out.types))
			for i, t := range out.types {
				results[i] = types.NewParam(token.NoPos, nil, "", t)
			}
			sig := types.NewSignatureType(nil, nil, nil, nil, types.NewTuple(results...), false)
			p.recalled[name] = &recalled{out, text, types.NewFunc(token.NoPos, nil, name, sig)}
		}
		return &ast.CallExpr{Fun: &ast.Ident{NamePos: pos, Name: name}, Lparen: open, Rparen: end}
	}
	astutil.Apply(p.statements, func(at *astutil.Cursor) bool {
		switch n := at.Node().(type) {
		case *ast.Ident:
			switch {
			case n.Name == "_" && isOperand(at):
				out := c.session.lastOutput
				switch {
				case out == nil:
					complain(n.Pos(), "cannot use _ as value: no cell has shown one")
				case out.lost != "":
					complain(n.Pos(), "_: %s", out.lost)
				default:
					at.Replace(call("_", "_·", out, n.Pos(), n.Pos(), n.Pos()))
				}
			case n.Name == "Out" && c.recalls(p, n) && isOperand(at):
				complain(n.Pos(), "undefined: Out (of earlier cells there is Out[n], with a number for n)")
			case n.Name == "In" && c.recalls(p, n) && isOperand(at):
				complain(n.Pos(), "undefined: In (of earlier cells there is In[n], with a number for n)")
			}
		case *ast.IndexExpr:
			id, ok := n.X.(*ast.Ident)
			if !ok || id.Name != "Out" && id.Name != "In" || !c.recalls(p, id) {
				return true
			}
			number := cellNumber(n.Index)
			text := fmt.Sprintf("%s[%d]", id.Name, number)
			source, known := c.session.inputs[number]
			out := c.session.outputs[number]
			switch {
			case number <= 0:
				complain(n.Index.Pos(), "%s needs the number of a cell, written out, as in %s[1]", id.Name, id.Name)
				return false
			case !known:
				complain(n.Pos(), "%s: no cell %d has been run", text, number)
			case id.Name == "In":
				at.Replace(&ast.BasicLit{ValuePos: n.Pos(), Kind: token.STRING, Value: strconv.Quote(source)})
			case out == nil:
				complain(n.Pos(), "%s: cell %d showed no value", text, number)
			case out.lost != "":
				complain(n.Pos(), "%s: %s", text, out.lost)
			default:
				at.Replace(call(text, fmt.Sprintf("Out·%d·", number), out, n.Pos(), n.Lbrack, n.Rbrack))
			}
			return false
		}
		return true
	}, nil)
	return problems
}

// recalls reports whether Out or In has the meaning that it has by itself.
func (c *checker) recalls(p *reading, id *ast.Ident) bool {
	if id.Obj != nil || c.session.live[id.Name] != nil || c.session.gone[id.Name] != nil || p.declarations != nil && declaresTop(p.declarations, id.Name) {
		return false
	}
	for _, spec := range p.imports {
		if spec.Name != nil && spec.Name.Name == id.Name {
			return false
		}
	}
	return true
}

// cellNumber returns the number that an index is, 0 for what is not one.
func cellNumber(e ast.Expr) int {
	lit, ok := ast.Unparen(e).(*ast.BasicLit)
	if !ok || lit.Kind != token.INT {
		return 0
	}
	n, err := strconv.ParseInt(lit.Value, 0, 32)
	if err != nil {
		return 0
	}
	return int(n)
}

// isOperand reports whether an identifier stands where a value is used.
func isOperand(at *astutil.Cursor) bool {
	field := at.Name()
	switch at.Parent().(type) {
	case *ast.BinaryExpr, *ast.ParenExpr, *ast.StarExpr, *ast.UnaryExpr, *ast.CallExpr, *ast.SliceExpr, *ast.ReturnStmt, *ast.ExprStmt,
		*ast.SendStmt, *ast.IfStmt, *ast.ForStmt, *ast.SwitchStmt, *ast.CaseClause, *ast.IndexExpr:
		return true
	case *ast.SelectorExpr, *ast.TypeAssertExpr, *ast.RangeStmt:
		return field == "X"
	case *ast.AssignStmt:
		return field == "Rhs"
	case *ast.ValueSpec:
		return field == "Values"
	case *ast.CompositeLit:
		return field == "Elts"
	case *ast.KeyValueExpr:
		return field == "Value"
	}
	return false
}

// recallWording says what the user wrote for the functions in a complaint that
// stand for it.
func (p *reading) recallWording(msg string) string {
	for name, r := range p.recalled {
		msg = strings.ReplaceAll(strings.ReplaceAll(msg, name+"()", r.text), name, r.text)
	}
	return msg
}

// shows notes what the cell will show.
func (ch *change) shows(t ...types.Type) { ch.shown = t }

// keep has later cells find the value that the cell has shown.
func (ch *change) keep() {
	cell := ch.k.source.cell
	if ch.shown == nil || cell.Aside {
		return
	}
	out := &output{cell: cell.Number, types: ch.shown}
	ch.s.outputs[cell.ExecutionCount()] = out
	ch.s.lastOutput = out
}

// recall writes the values of an output.
func (b *body) recall(out *output) string {
	values := make([]string, len(out.types))
	for i, t := range out.types {
		value := fmt.Sprintf("%s.Kept(%d, %d)", bridge, out.cell, i)
		switch {
		case types.IsInterface(t):
			values[i] = b.convert(value, types.Universe.Lookup("any").Type(), t, b.l.pos)
		default:
			typ := b.l.typ(t)
			values[i] = fmt.Sprintf("func(x interface{}) %s { var v %s; %s.Take(x, &v); return v }(%s)", typ, typ, bridge, value)
		}
	}
	if len(values) == 1 {
		return values[0]
	}
	list := make([]string, len(values))
	for i, t := range out.types {
		list[i] = b.l.typ(t)
	}
	return "func() (" + strings.Join(list, ", ") + ") { return " + strings.Join(values, ", ") + " }()"
}
