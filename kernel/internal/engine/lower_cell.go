package engine

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// cellBody lowers the statements at the top of the cell and the display of
// its value.
func (l *lowering) cellBody() string {
	if len(l.k.body) == 0 {
		return l.initsBefore(len(l.k.source.cell.Source))
	}
	b := &body{l: l, tree: l.tree(l.k.info), locals: map[types.Object]string{}, results: types.NewTuple()}
	b.frame = l.newFrame("", l.k.source.cell.Number)
	if !defers(l.k.body) {
		text := b.cellStatements()
		l.registerFrame(b.frame)
		if b.frame.marked {
			l.entry = b.frame.entry(b.line(l.k.body[0].Pos()), "")
		}
		return text
	}
	text := b.protected(types.NewSignatureType(nil, nil, nil, nil, nil, false), b.cellStatements)
	b.frame.marked = true
	l.registerFrame(b.frame)
	l.entry = b.frame.entry(b.line(l.k.body[0].Pos()), "")
	return text
}

func (b *body) cellStatements() string {
	l := b.l
	var out strings.Builder
	for i, s := range l.k.body {
		if i > 0 && l.declaresBetween(i) {
			fmt.Fprintf(&out, "%s.Reached(%d)\n", bridge, i)
		}
		_, offset := l.c.at(s.Pos())
		if !l.k.program || variables(s) == nil {
			out.WriteString(l.initsBefore(offset))
		}
		if s == ast.Stmt(l.k.value) && !l.k.silent {
			out.WriteString(b.valueText(l.k.value))
			continue
		}
		if es, ok := s.(*ast.ExprStmt); ok {
			if text, ok := b.checkedCall(es); ok {
				b.noted = 0
				out.WriteString(text)
				continue
			}
			if s == ast.Stmt(l.k.value) {
				out.WriteString(b.discarded(es))
				continue
			}
		}
		if l.k.initial[s] {
			continue
		}
		if r, ok := s.(*ast.ReturnStmt); ok {
			l.refuseAnywhere(r.Pos(), "return outside a function")
		}
		out.WriteString(b.stmt(s, ""))
	}
	out.WriteString(b.endMeasurement())
	out.WriteString(l.initsBefore(len(l.k.source.cell.Source)))
	if len(l.variables) > 0 {
		fmt.Fprintf(&out, "%s.Reached(%d)\n", bridge, len(l.k.body))
	}
	return out.String()
}

// initsBefore writes the calls of init functions that stand before an offset
// and were not made yet: they run when the variables above them are there.
func (l *lowering) initsBefore(offset int) string {
	text := ""
	for len(l.inits) > 0 && l.inits[0].offset < offset {
		text += l.inits[0].text
		l.inits = l.inits[1:]
	}
	return text
}

// declaresBetween reports whether the statement before index i declares
// variables, so that a failure later has to keep them.
func (ch *change) declaresBetween(i int) bool {
	for _, v := range ch.variables {
		if v.statement == i-1 {
			return true
		}
	}
	return false
}

// endMeasurement writes the end of the measurement of the cell's last
// statement, unless it is written already.
func (b *body) endMeasurement() string {
	if b.l.k.stop == nil || b.l.measured {
		return ""
	}
	b.l.measured = true
	return b.stmt(b.l.k.stop, "")
}

// valueText shows the value of the last expression, if it has one.
func (b *body) valueText(s *ast.ExprStmt) string {
	t := b.info.TypeOf(s.X)
	tv := b.info.Types[s.X]
	mark := b.mark(s)
	if tv.IsVoid() || b.writes(s.X) {
		return mark + b.expr(s.X) + "\n"
	}
	results, checked := b.l.k.lastError(s.X)
	if checked && len(results) == 1 {
		err := b.l.temp()
		return mark + err + " := " + b.expr(s.X) + "\n" + b.stop(err, s.X)
	}
	if tuple, ok := t.(*types.Tuple); ok {
		if tuple.Len() == 0 {
			return mark + b.expr(s.X) + "\n"
		}
		n := b.l.s.unique()
		names := make([]string, tuple.Len())
		values := make([]string, tuple.Len())
		for i := range names {
			names[i] = fmt.Sprintf("v__%d_%d", n, i)
			values[i] = b.shownText(names[i], tuple.At(i).Type(), s)
		}
		before := mark + strings.Join(names, ", ") + " := " + b.expr(s.X) + "\n"
		if checked {
			last := len(names) - 1
			b.l.shows(results[:last]...)
			return before + b.stop(names[last], s.X) + b.endMeasurement() + fmt.Sprintf("%s.Show(false, %s)\n", bridge, strings.Join(values[:last], ", "))
		}
		for i := range tuple.Len() {
			b.l.shown = append(b.l.shown, tuple.At(i).Type())
		}
		last := isError(tuple.At(tuple.Len() - 1).Type())
		return before + b.endMeasurement() +
			fmt.Sprintf("%s.Show(%v, %s)\n", bridge, last, strings.Join(values, ", "))
	}
	b.l.shows(types.Default(t))
	if tv.Value != nil {
		return b.endMeasurement() + fmt.Sprintf("%s.Show(false, %s)\n", bridge, b.shownText(b.l.constant(tv.Value, tv.Type), types.Default(tv.Type), s))
	}
	value := b.shownText(b.expr(s.X), types.Default(t), s)
	if l := b.l; l.k.stop != nil && !tv.IsNil() {
		// To show the value may take longer than to have it.
		name := l.temp()
		return mark + name + " := " + value + "\n" + b.endMeasurement() + fmt.Sprintf("%s.Show(false, %s)\n", bridge, name)
	}
	return mark + fmt.Sprintf("%s.Show(false, %s)\n", bridge, value)
}

// writes reports a call of a function that prints, or of one that reads what
// somebody types, who need not type what is asked for: what it returns is not what
// it is called for.
func (t tree) writes(e ast.Expr) bool {
	c, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return false
	}
	obj := t.calleeObject(ast.Unparen(c.Fun))
	if obj != nil {
		switch obj.FullName() {
		case "fmt.Scan", "fmt.Scanln", "fmt.Scanf", "fmt.Print", "fmt.Println", "fmt.Printf", "fmt.Fprint", "fmt.Fprintln", "fmt.Fprintf":
			return true
		}
	}
	return false
}

// shownText writes a value for display.
func (b *body) shownText(text string, t types.Type, s *ast.ExprStmt) string {
	if types.IsInterface(t) || b.l.native(t) {
		return text
	}
	return b.l.carried(text, t, s.Pos())
}

// discarded writes an expression whose value a semicolon keeps from showing.
func (b *body) discarded(s *ast.ExprStmt) string {
	if _, ok := ast.Unparen(s.X).(*ast.CallExpr); ok || b.info.Types[s.X].IsVoid() {
		return b.stmt(s, "")
	}
	return b.mark(s) + "_ = " + b.expr(s.X) + "\n"
}
