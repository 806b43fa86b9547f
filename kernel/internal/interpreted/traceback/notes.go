package traceback

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/hierml/notebook/kernel/internal/check/typed"
	"github.com/hierml/notebook/kernel/internal/interpreted/shape"
	"github.com/hierml/notebook/kernel/internal/state"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// Notes are those of a function, function literal or cell that is being lowered, as far as it is
// written. A copy follows another way through the text.
type Notes struct {
	typed.Tree

	shapes *shape.Shapes
	frame  *frame
	// noted is the place that the frame's variable holds here, 0 if unknown; hoisted that of the
	// one line that can panic in the loop around.
	noted   int
	hoisted int
}

// A frame stands for one function, literal or cell in tracebacks.
type frame struct {
	id     int
	name   string
	cell   int
	marked bool // it can appear in a traceback
}

// firstFrame is larger than any line of lowered code, so that a line of a panic is a frame's or
// nothing.
const firstFrame = 1000000

func (f *frame) variable() string { return fmt.Sprintf("at__%d", f.id) }

// New returns the notes of a function of a cell, with an empty name those of the cell's statements
// at the top.
func New(shapes *shape.Shapes, tree typed.Tree, name string, cell int) Notes {
	n := Notes{Tree: tree, shapes: shapes}
	n.begin(name, cell)
	return n
}

func (n *Notes) begin(name string, cell int) {
	n.frame = &frame{id: firstFrame + 10*n.shapes.S.Unique(), name: name, cell: cell}
}

// Literal begins a function literal of the function.
func (n *Notes) Literal() {
	n.noted, n.hoisted = 0, 0
	n.begin(strings.TrimPrefix(n.frame.name+".func", "."), n.frame.cell)
}

// Iteration begins the body of a range over a function, which is a function of its own in the
// lowered text, and has the name of the one around.
func (n *Notes) Iteration() {
	n.noted, n.hoisted = 0, 0
	n.begin(n.frame.name, n.frame.cell)
}

// Cell returns the number of the cell that the function is of.
func (n *Notes) Cell() int { return n.frame.cell }

// Wrap returns the text of a function whose notes are complete, in braces, behind the line that
// identifies it.
func (n *Notes) Wrap(text string, first token.Pos) string {
	n.register()
	if !n.frame.marked {
		return "{\n" + text + "}"
	}
	return "{\n" + n.entry(first, text) + text + "}"
}

// Entry returns what comes first in a cell whose notes are complete, if it can appear in a
// traceback or has to.
func (n *Notes) Entry(first token.Pos, always bool) string {
	n.frame.marked = n.frame.marked || always
	n.register()
	if !n.frame.marked {
		return ""
	}
	return n.entry(first, "")
}

// register tells the interpreter about a frame that can appear in a traceback.
func (n *Notes) register() {
	f, l := n.frame, n.shapes
	if !f.marked {
		return
	}
	l.Vars = append(l.Vars, shape.Variable{Name: f.variable(), Typ: "int"})
	l.Temporary = append(l.Temporary, f.variable())
	l.Setup = append(l.Setup, fmt.Sprintf("%s.Frame(%d, %q, %d, &%s)", shape.Bridge, f.id, f.name, f.cell, f.variable()))
}

// entry is what comes first in a marked frame: the line that identifies it, and a note unless the
// text begins with one.
func (n *Notes) entry(first token.Pos, text string) string {
	directive := fmt.Sprintf("//line _.go:%d\n", n.frame.id)
	if strings.HasPrefix(text, n.frame.variable()+" = ") {
		return directive
	}
	return directive + n.text(n.place(first)/syntax.Columns*syntax.Columns)
}

// text is the note of a place.
func (n *Notes) text(place int) string { return fmt.Sprintf("%s = %d\n", n.frame.variable(), place) }

// place returns the note of a position: its line and column, the column 0 if it is too large.
func (n *Notes) place(pos token.Pos) int {
	src, offset := n.shapes.C.At(pos)
	if src == nil {
		return 0
	}
	line, column := src.Position(offset)
	if column >= syntax.Columns {
		column = 0
	}
	return line*syntax.Columns + column
}

// Mark writes the note of a statement, if an expression in its nodes can panic, unless it is noted
// already. Nodes may be nil.
func (n *Notes) Mark(nodes ...ast.Node) string {
	var ops []syntax.Operation
	start := token.NoPos
	for _, node := range nodes {
		if node == nil {
			continue
		}
		if !start.IsValid() {
			start = node.Pos()
		}
		ops = n.Operations(ops, node)
	}
	if len(ops) == 0 {
		return ""
	}
	return n.note(n.placeOf(ops, start))
}

// MarkAt writes the note of a position, unless it is noted already.
func (n *Notes) MarkAt(pos token.Pos) string { return n.note(n.place(pos)) }

func (n *Notes) note(place int) string {
	if place == 0 || n.noted == place || n.hoisted != 0 && n.hoisted/syntax.Columns == place/syntax.Columns {
		return ""
	}
	n.frame.marked = true
	n.noted = place
	return n.text(place)
}

// Forget says that the text which is written next may be reached by another way.
func (n *Notes) Forget() { n.noted = 0 }

// Aside begins text that seldom runs, such as a hook of the debugger, and after which the variable
// holds what it held before. end returns the note that says so again.
func (n *Notes) Aside() (end func() string) {
	noted := n.noted
	return func() string {
		n.noted = noted
		if place := cmp.Or(noted, n.hoisted); place != 0 {
			return n.text(place)
		}
		return ""
	}
}

// placeOf returns the note of a statement with operations: the position of the only one, or the
// statement's. Which of several it was is found out when it has failed.
func (n *Notes) placeOf(ops []syntax.Operation, start token.Pos) int {
	if len(ops) == 1 {
		return n.place(ops[0].Pos)
	}
	return n.remember(n.place(start), ops, start)
}

// remember keeps the operations that a note may mean.
func (n *Notes) remember(place int, ops []syntax.Operation, start token.Pos) int {
	if src, _ := n.shapes.C.At(start); src != nil {
		n.shapes.C.Remember(src.Cell.Number, place, ops)
	}
	return place
}

// CallsBack reports whether a node holds a call that may run other lowered code, which could note
// lines of the same function.
func (n *Notes) CallsBack(node ast.Node) bool {
	found := false
	ast.Inspect(node, func(node ast.Node) bool {
		if s, ok := node.(*ast.IfStmt); ok && n.Hook(s) {
			return false // it notes again what was noted
		}
		if e, ok := node.(*ast.CallExpr); ok && !found {
			tv := n.Info.Types[e.Fun]
			if tv.IsType() || tv.IsBuiltin() {
				return true
			}
			obj := n.CalleeObject(ast.Unparen(e.Fun))
			if obj == nil || state.IsSession(obj) {
				found = true
				return false
			}
			for _, a := range e.Args {
				if t := n.Info.TypeOf(a); t != nil {
					switch t.Underlying().(type) {
					case *types.Signature, *types.Interface:
						found = true
						return false
					}
				}
			}
		}
		return !found
	})
	return found
}

// Hoist begins a loop. If only one line in it can panic, Hoist returns its note, which stands
// before the loop; end says that the loop is written.
func (n *Notes) Hoist(loop ast.Stmt) (note string, end func()) {
	n.Counts(loop)
	place, only := n.onlyLine(loop)
	if !only || n.hoisted != 0 {
		return "", func() {}
	}
	if n.noted != place {
		note = n.text(place)
		n.frame.marked = true
	}
	n.hoisted = place
	return note, func() { n.hoisted = 0; n.noted = place }
}

// onlyLine returns the note of a loop in which only one line can panic, so that it is enough to
// note it before the loop.
func (n *Notes) onlyLine(loop ast.Stmt) (int, bool) {
	if n.CallsBack(loop) {
		return 0, false
	}
	var ops []syntax.Operation
	iterates := false // by a range over a function, whose body is another frame
	ast.Inspect(loop, func(node ast.Node) bool {
		if s, ok := node.(*ast.RangeStmt); ok {
			_, function := n.TypeOf(s.X).(*types.Signature)
			iterates = iterates || function
		}
		switch node := node.(type) {
		case nil, *ast.FuncLit:
			return false
		case *ast.IfStmt:
			return !n.Hook(node)
		case *ast.BlockStmt, *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt, *ast.CaseClause, *ast.CommClause, *ast.LabeledStmt:
			return true
		}
		ops = n.Operations(ops, node)
		return false
	})
	if iterates {
		return 0, false
	}
	line := 0
	for _, op := range ops {
		at := n.place(op.Pos) / syntax.Columns
		if at == 0 || line != 0 && at != line {
			return 0, false
		}
		line = at
	}
	if line == 0 {
		return 0, false
	}
	if len(ops) > 1 && n.place(loop.Pos())/syntax.Columns != line {
		// The statements are several, or the statement begins elsewhere.
		return n.remember(line*syntax.Columns, ops, loop.Pos()), true
	}
	return n.placeOf(ops, loop.Pos()), true
}
