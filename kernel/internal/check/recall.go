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

// The statements at the top of a cell, and function literals in them, may refer to the values and
// sources of earlier cells:
//
//	_       the value shown last
//	Out[n]  what cell n showed: a value, or several as a call has them
//	In[n]   the source of cell n
//
// n must be a number literal, so that the type of the value is known; it is the execution count
// that the user sees. A cell that shows nothing has no value. A user's own declaration of Out or In
// takes precedence.
//
// In the tree a value is a call of an undeclared function, so that Go does not treat it as a
// variable. The lowered call asks the bridge, which keeps the values of all cells. A source is a
// literal.

// recalled is a value that a cell showed, as another cell refers to it.
type recalled struct {
	*state.Shown
	text   string // as the user writes it
	object *types.Func
}

// A Reading is a parsed cell, with its references to the values of others, by their names in the
// tree.
type Reading struct {
	*syntax.Parsed
	Recalled map[string]*recalled
}

// Recall replaces a cell's references to earlier cells.
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
				complain(n.Pos(), "undefined: %[1]s (write %[1]s[n], with the number of an earlier cell for n)", n.Name)
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
				complain(n.Index.Pos(), "%s needs the number of a cell as a literal, as in %s[1]", id.Name, id.Name)
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

// recalls reports whether Out or In has its predeclared meaning.
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

// cellNumber returns the number that an index is, or 0 for anything else.
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

// isOperand reports whether an identifier is used as a value.
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

// recallWording replaces the generated functions in a complaint by what the user wrote.
func (p *Reading) recallWording(msg string) string {
	for name, r := range p.Recalled {
		msg = strings.ReplaceAll(strings.ReplaceAll(msg, name+"()", r.text), name, r.text)
	}
	return msg
}
