package check

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ast/astutil"

	"github.com/hierml/notebook/kernel/internal/state"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// The statements at the top of a cell, and function literals in them, may mention what earlier
// cells showed and said:
//
//	_       the value that was shown last
//	Out[n]  what cell n showed: a value, or several as a call has them
//	In[n]   the source of cell n
//
// n is a number that is written out, so that the value has the type which it had; it is the
// execution count that the user sees. A cell that shows nothing has no value. What the user
// declares as Out or In wins over these.
//
// In the tree a value is a call of a function that nothing declares, so Go does not take it for a
// variable; the lowered call asks the bridge, which keeps the values of all cells. A source is a
// literal.

// Recalled is what a cell showed, as another one mentions it.
type recalled struct {
	*state.Shown
	text   string // as the user writes it
	object *types.Func
}

// A Reading is a parsed cell, with what it mentions of what others showed, by the names that stand
// for it in the tree.
type Reading struct {
	*syntax.Parsed
	Recalled map[string]*recalled
}

// Recall replaces what a cell mentions of earlier ones.
func (c *Checker) Recall(p *Reading) []syntax.Problem {
	if p.Statements == nil || !strings.Contains(p.Source.Cell.Source, "_") && !p.Mentioned["Out"] && !p.Mentioned["In"] {
		return nil
	}
	var problems []syntax.Problem
	complain := func(pos token.Pos, format string, args ...any) {
		problems = append(problems, c.Problem(pos, fmt.Sprintf(format, args...)))
	}
	call := func(text, name string, out *state.Shown, pos, open, end token.Pos) ast.Node {
		if p.Recalled == nil {
			p.Recalled = map[string]*recalled{}
		}
		if p.Recalled[name] == nil {
			results := make([]*types.Var, len(out.Types))
			for i, t := range out.Types {
				results[i] = types.NewParam(token.NoPos, nil, "", t)
			}
			sig := types.NewSignatureType(nil, nil, nil, nil, types.NewTuple(results...), false)
			p.Recalled[name] = &recalled{out, text, types.NewFunc(token.NoPos, nil, name, sig)}
		}
		return &ast.CallExpr{Fun: &ast.Ident{NamePos: pos, Name: name}, Lparen: open, Rparen: end}
	}
	astutil.Apply(p.Statements, func(at *astutil.Cursor) bool {
		switch n := at.Node().(type) {
		case *ast.Ident:
			switch {
			case n.Name == "_" && isOperand(at):
				out := c.Transcript.Last
				switch {
				case out == nil:
					complain(n.Pos(), "cannot use _ as value: no cell has shown one")
				case out.Lost != "":
					complain(n.Pos(), "_: %s", out.Lost)
				default:
					at.Replace(call("_", "_·", out, n.Pos(), n.Pos(), n.Pos()))
				}
			case (n.Name == "Out" || n.Name == "In") && c.recalls(p, n) && isOperand(at):
				complain(n.Pos(), "undefined: %[1]s (of earlier cells there is %[1]s[n], with a number for n)", n.Name)
			}
		case *ast.IndexExpr:
			id, ok := n.X.(*ast.Ident)
			if !ok || id.Name != "Out" && id.Name != "In" || !c.recalls(p, id) {
				return true
			}
			number := cellNumber(n.Index)
			text := fmt.Sprintf("%s[%d]", id.Name, number)
			source, known := c.Transcript.Inputs[number]
			out := c.Transcript.Shown[number]
			switch {
			case number <= 0:
				complain(n.Index.Pos(), "%s needs the number of a cell, written out, as in %s[1]", id.Name, id.Name)
				return false
			case !known:
				complain(n.Pos(), "%s: no cell %d has been run", text, number)
			case id.Name == "In":
				at.Replace(&ast.BasicLit{ValuePos: n.Pos(), ValueEnd: n.End(), Kind: token.STRING, Value: strconv.Quote(source)})
			case out == nil:
				complain(n.Pos(), "%s: cell %d showed no value", text, number)
			case out.Lost != "":
				complain(n.Pos(), "%s: %s", text, out.Lost)
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
func (c *Checker) recalls(p *Reading, id *ast.Ident) bool {
	if id.Obj != nil || c.Session.Live[id.Name] != nil || c.Session.Gone[id.Name] != nil || p.Declarations != nil && syntax.DeclaresTop(p.Declarations, id.Name) {
		return false
	}
	for _, spec := range p.Imports {
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

// recallWording says what the user wrote for the functions in a complaint that stand for it.
func (p *Reading) recallWording(msg string) string {
	for name, r := range p.Recalled {
		msg = strings.ReplaceAll(strings.ReplaceAll(msg, name+"()", r.text), name, r.text)
	}
	return msg
}
