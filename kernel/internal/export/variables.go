package export

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"
)

// targets says what the variables that a statement assigns to need.
type targets struct {
	fresh []*symbol // main's, declared by the statement
	first []*symbol // those that no statement before declared
	kept  bool      // all can be on the left side of :=
	names []string
	all   bool // all are declared by the statement, as main's
}

// targets looks at the variables that a statement declares or assigns to.
func (w *writing) targets(ids []*ast.Ident) targets {
	symbols := make([]*symbol, len(ids))
	for i, id := range ids {
		if id.Name != "_" {
			symbols[i] = w.variableOf(id)
		}
	}
	return w.targetsOf(symbols)
}

// targetsOf does so for the variables themselves; nil is a blank.
func (w *writing) targetsOf(symbols []*symbol) targets {
	t := targets{kept: true, all: true}
	for _, s := range symbols {
		if s == nil {
			t.names = append(t.names, "_")
			continue
		}
		t.names = append(t.names, s.out)
		inside := !s.packaged && (!w.e.wrapped || len(s.cells) == 1)
		t.kept = t.kept && inside
		if s.declared {
			t.all = false
			continue
		}
		t.first = append(t.first, s)
		if inside {
			t.fresh = append(t.fresh, s)
		} else {
			t.all = false
		}
	}
	return t
}

// define writes an assignment that declares those of its variables which were not declared yet. The
// error of a checked one is left out of left.
func (w *writing) define(t targets, left, right string, checked bool) (text, after string) {
	w.declare(t)
	op, before := ":=", ""
	fresh := len(t.fresh) > 0
	if checked {
		left = strings.TrimSpace(left) + ", " + w.errorName()
		fresh = fresh || !w.errorKnown()
		after = "if " + w.errorName() + " != nil {\n" + w.fail(w.errorName()) + "}\n"
	}
	switch {
	case !fresh:
		op = "="
	case !t.kept:
		op, before = "=", w.mainVariables(t)
		if checked {
			before += w.errorVariable()
		}
	}
	if checked {
		w.knowError()
	}
	return before + strings.TrimSpace(left) + " " + op + " " + strings.TrimSpace(right), after + t.used()
}

// errorName is the name of the variable for errors that cells leave out.
func (w *writing) errorName() string {
	if w.err == "" {
		w.err = w.newName("err", "err")
	}
	return w.err
}

// errorVariable declares that variable where it is not known.
func (w *writing) errorVariable() string {
	if w.errorKnown() {
		return ""
	}
	w.knowError()
	return "var " + w.errorName() + " error\n"
}

func (w *writing) errorKnown() bool { return w.mainError || w.e.wrapped && w.cellError }

func (w *writing) knowError() {
	if w.e.wrapped {
		w.cellError = true
		return
	}
	w.mainError = true
}

// declare notes that the variables of a statement are declared from here on, and declares those
// that the statement itself does not.
func (w *writing) declare(t targets) {
	for _, s := range t.first {
		s.declared = true
		switch {
		case s.packaged:
			w.hoisted = append(w.hoisted, s.out+" "+w.Typ(s.typ))
		case w.e.wrapped && len(s.cells) > 1:
			w.before = append(w.before, fmt.Sprintf("var %s %s\n", s.out, w.Typ(s.typ)))
		}
	}
}

// used uses variables that nothing else does.
func (t targets) used() string {
	var out strings.Builder
	for _, s := range t.first {
		if s.unused {
			fmt.Fprintf(&out, "_ = %s\n", s.out)
		}
	}
	return out.String()
}

func (w *writing) variableOf(id *ast.Ident) *symbol {
	info := w.e.k.Info
	obj := info.Defs[id]
	if obj == nil {
		obj = info.Uses[id]
	}
	if obj == nil {
		return nil
	}
	return w.symbolOf(obj)
}

// mainVariables declares the variables of main that the statement would.
func (w *writing) mainVariables(t targets) string {
	var out strings.Builder
	for _, s := range t.fresh {
		fmt.Fprintf(&out, "var %s %s\n", s.out, w.Typ(s.typ))
	}
	return out.String()
}

// variables writes a declaration of variables. It is whole unless it became several statements.
func (w *writing) variables(p *piece, s *ast.DeclStmt, whole bool) (text, after string) {
	g, ok := s.Decl.(*ast.GenDecl)
	if !ok || g.Tok != token.VAR {
		return w.part(p.Start, p.End), ""
	}
	var ids []*ast.Ident
	plain := true
	for _, spec := range g.Specs {
		v := spec.(*ast.ValueSpec)
		ids = append(ids, v.Names...)
		whole = whole && !w.e.k.Remembered[v]
		plain = plain && (len(v.Values) == 0 || w.initializes(w.targets(v.Names), v.Values))
	}
	t := w.targets(ids)
	switch {
	case whole && t.all:
		w.declare(t)
		return w.part(p.Start, p.End), t.used()
	case whole && plain && w.initializes(t, make([]ast.Expr, len(ids))):
		for _, s := range t.first {
			s.declared = true
		}
		w.local = append(w.local, p.around(w.part(p.Start, p.End)))
		return "", ""
	}
	var out strings.Builder
	for _, spec := range g.Specs {
		v := spec.(*ast.ValueSpec)
		text, more := w.variableSpec(v)
		text = strings.TrimSuffix(text, "\n")
		if text == "" {
			continue
		}
		out.WriteString(commentText(v.Doc) + text)
		if v.Comment != nil {
			out.WriteString(" " + strings.TrimSuffix(commentText(v.Comment), "\n"))
		}
		out.WriteString("\n" + more)
	}
	return out.String(), ""
}

func commentText(g *ast.CommentGroup) string {
	if g == nil {
		return ""
	}
	var out strings.Builder
	for _, c := range g.List {
		out.WriteString(c.Text + "\n")
	}
	return out.String()
}

// variableSpec writes one line of a declaration of variables of which some are declared elsewhere.
func (w *writing) variableSpec(v *ast.ValueSpec) (text, after string) {
	names := v.Names
	if w.e.k.Remembered[v] {
		names = names[:len(names)-1]
	}
	t := w.targets(names)
	if len(v.Values) > 0 {
		_, start := w.At(v.Values[0].Pos())
		last := v.Values[len(v.Values)-1]
		_, end := w.At(last.Pos())
		right := w.part(start, end+int(last.End()-last.Pos()))
		if t.all && !w.e.k.Remembered[v] {
			w.declare(t)
			return "var " + w.node(v) + "\n", t.used()
		}
		if v.Type != nil && len(t.fresh) > 0 {
			t.kept = false // the variables have another type than the values
		}
		return w.define(t, strings.Join(t.names, ", "), right, w.e.k.Remembered[v])
	}
	for _, id := range names {
		if s := w.variableOf(id); s != nil && s.declared {
			text += fmt.Sprintf("%s = %s\n", s.out, w.Zero(s.typ))
		}
	}
	w.declare(t)
	return w.mainVariables(t) + text, t.used()
}
