package lower

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"github.com/hierml/notebook/kernel/internal/check/typed"
	"github.com/hierml/notebook/kernel/internal/interpreted/shape"
	"github.com/hierml/notebook/kernel/internal/state"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// cellBody lowers the statements at the top of the cell and the display of its value.
func (l *lowering) cellBody() string {
	if len(l.K.Body) == 0 {
		return l.initsBefore(len(l.K.Source.Text) + 1)
	}
	b := &body{l: l, Notes: l.notes(l.K.Info, "", l.K.Source.Cell.Number), locals: map[types.Object]string{}, results: types.NewTuple()}
	write, defers := b.cellStatements, typed.Defers(l.K.Body)
	if defers {
		write = func() string { return b.protected(b.cellStatements) }
	}
	text := write()
	l.entry = b.Entry(l.K.Body[0].Pos(), defers)
	return text
}

func (b *body) cellStatements() string {
	l := b.l
	var out strings.Builder
	for i, s := range l.K.Body {
		if i > 0 && l.DeclaresBetween(i) {
			fmt.Fprintf(&out, "%s.Reached(%d)\n", shape.Bridge, i)
		}
		_, offset := l.C.Within(s.Pos())
		if syntax.Variables(s) == nil {
			out.WriteString(l.initsBefore(offset))
		}
		if s == ast.Stmt(l.K.Value) && !l.K.Silent {
			out.WriteString(b.valueText(l.K.Value))
			continue
		}
		if es, ok := s.(*ast.ExprStmt); ok {
			if text, ok := b.checkedCall(es); ok {
				b.Forget()
				out.WriteString(text)
				continue
			}
			if s == ast.Stmt(l.K.Value) {
				out.WriteString(b.discarded(es))
				continue
			}
		}
		if l.K.Initial[s] {
			continue
		}
		if r, ok := s.(*ast.ReturnStmt); ok {
			l.Refuse(r.Pos(), "return outside a function")
		}
		if text, ok := b.whole(s, i+1); ok {
			out.WriteString(text)
			continue
		}
		out.WriteString(b.stmt(s, ""))
	}
	out.WriteString(b.endMeasurement())
	out.WriteString(l.initsBefore(len(l.K.Source.Text) + 1))
	if len(l.Variables) > 0 {
		fmt.Fprintf(&out, "%s.Reached(%d)\n", shape.Bridge, len(l.K.Body))
	}
	return out.String()
}

// initsBefore writes the calls of init functions before an offset that were not written yet: they
// run when the variables above them exist.
func (l *lowering) initsBefore(offset int) string {
	text := ""
	for len(l.Inits) > 0 && l.Inits[0].Offset < offset {
		text += l.Inits[0].Text
		l.Inits = l.Inits[1:]
	}
	return text
}

// endMeasurement writes the end of the measurement of the cell's last statement, unless it is
// written already.
func (b *body) endMeasurement() string {
	if b.l.K.Stop == nil || b.l.measured {
		return ""
	}
	b.l.measured = true
	return b.stmt(b.l.K.Stop, "")
}

// valueText shows the value of the last expression, if it has one.
func (b *body) valueText(s *ast.ExprStmt) string {
	t := b.Info.TypeOf(s.X)
	tv := b.Info.Types[s.X]
	mark := b.Mark(s)
	if tv.IsVoid() || b.Writes(s.X) {
		return mark + b.expr(s.X) + "\n"
	}
	results, checked := b.l.K.LastError(s.X)
	if checked && len(results) == 1 {
		err := b.l.temp()
		return mark + err + " := " + b.expr(s.X) + "\n" + b.stop(err, s.X)
	}
	b.l.Shows(b.l.K.ShownTypes(s)...)
	if tuple, ok := t.(*types.Tuple); ok {
		if tuple.Len() == 0 {
			return mark + b.expr(s.X) + "\n"
		}
		n := b.l.S.Unique()
		names := make([]string, tuple.Len())
		values := make([]string, tuple.Len())
		for i := range names {
			names[i] = fmt.Sprintf("v__%d_%d", n, i)
			values[i] = b.shownText(names[i], tuple.At(i).Type(), s)
		}
		before := mark + strings.Join(names, ", ") + " := " + b.expr(s.X) + "\n"
		if checked {
			last := len(names) - 1
			return before + b.stop(names[last], s.X) + b.endMeasurement() + fmt.Sprintf("%s.Show(false, %s)\n", shape.Bridge, strings.Join(values[:last], ", "))
		}
		last := typed.IsError(tuple.At(tuple.Len() - 1).Type())
		return before + b.endMeasurement() +
			fmt.Sprintf("%s.Show(%v, %s)\n", shape.Bridge, last, strings.Join(values, ", "))
	}
	if tv.Value != nil {
		return b.endMeasurement() + fmt.Sprintf("%s.Show(false, %s)\n", shape.Bridge, b.shownText(b.l.Constant(tv.Value, tv.Type), types.Default(tv.Type), s))
	}
	value := b.shownText(b.expr(s.X), types.Default(t), s)
	if l := b.l; l.K.Stop != nil && !tv.IsNil() {
		// To show the value may take longer than to have it.
		name := l.temp()
		return mark + name + " := " + value + "\n" + b.endMeasurement() + fmt.Sprintf("%s.Show(false, %s)\n", shape.Bridge, name)
	}
	return mark + fmt.Sprintf("%s.Show(false, %s)\n", shape.Bridge, value)
}

// shownText writes a value for display.
func (b *body) shownText(text string, t types.Type, s *ast.ExprStmt) string {
	if types.IsInterface(t) || b.l.Native(t) {
		return text
	}
	return b.l.Carried(text, t, s.Pos())
}

// discarded writes an expression whose value a semicolon keeps from showing.
func (b *body) discarded(s *ast.ExprStmt) string {
	if _, ok := ast.Unparen(s.X).(*ast.CallExpr); ok || b.Info.Types[s.X].IsVoid() {
		return b.stmt(s, "")
	}
	return b.Mark(s) + "_ = " + b.blanked(s.X) + "\n"
}

// stop writes what ends the cell if an error is not nil.
func (b *body) stop(err string, call ast.Expr) string {
	line, column := 0, 0
	if src, offset := b.l.C.At(call.Pos()); src != nil {
		line, column = src.Position(offset)
	}
	return fmt.Sprintf("%s.Stop(%s, %d, %d, %d)\n", shape.Bridge, err, b.Cell(), line, column)
}

// stopping writes a call within an expression that leaves out its error; sig has its other results.
func (b *body) stopping(call ast.Expr, sig *types.Signature) string {
	names := make([]string, sig.Results().Len())
	for i := range names {
		names[i] = b.l.temp()
	}
	values := strings.Join(names, ", ")
	err := b.l.temp()
	return "func()" + b.l.Results(sig) + " { " + values + ", " + err + " := " + b.expr(call) + "; " +
		strings.TrimSuffix(b.stop(err, call), "\n") + "; return " + values + " }()"
}

// checkedCall writes a statement of a cell that is a call with an error.
func (b *body) checkedCall(s *ast.ExprStmt) (text string, ok bool) {
	results, ok := b.l.K.LastError(s.X)
	if !ok {
		return "", false
	}
	left := ""
	for range len(results) - 1 {
		left += "_, "
	}
	err := b.l.temp()
	return b.Mark(s) + left + err + " := " + b.expr(s.X) + "\n" + b.stop(err, s.X), true
}

// recall writes the values of an output.
func (b *body) recall(out *state.Shown) string {
	values := make([]string, len(out.Types))
	for i, t := range out.Types {
		value := fmt.Sprintf("%s.Kept(%d, %d)", shape.Bridge, out.Cell, i)
		switch {
		case types.IsInterface(t):
			values[i] = b.l.Convert(value, types.Universe.Lookup("any").Type(), t, b.l.Pos)
		default:
			typ := b.l.Typ(t)
			values[i] = fmt.Sprintf("func(x interface{}) %s { var v %s; %s.Take(x, &v); return v }(%s)", typ, typ, shape.Bridge, value)
		}
	}
	if len(values) == 1 {
		return values[0]
	}
	list := make([]string, len(values))
	for i, t := range out.Types {
		list[i] = b.l.Typ(t)
	}
	return "func() (" + strings.Join(list, ", ") + ") { return " + strings.Join(values, ", ") + " }()"
}
