package assist

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
	"unicode/utf8"

	"github.com/hierml/notebook/kernel/internal/check"
	"github.com/hierml/notebook/kernel/internal/magics"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// Inspect describes the name at the cursor, or the one that ends before it. The cursor is a
// position in Unicode code points of the source. The result has the declaration and documentation
// of the name, with detail 1 also its source if a cell declares it. If the name is unknown, Inspect
// describes the function whose arguments contain the cursor. It ignores question marks at the end
// of the source, which front ends add. It shows the value of a variable while no cell runs, if that
// needs no user code. Inspect returns nil if nothing is known.
func (a *Assistant) Inspect(source string, cursor, detail int) (found *program.Bundle) {
	defer func() {
		// If the engine fails, only the answer is lost, not the kernel.
		if r := recover(); r != nil {
			reportFault("inspection", r)
			found = nil
		}
	}()
	source = strings.TrimRight(strings.TrimRight(source, " \t\r\n"), "?")
	at := syntax.ByteOffset(source, max(0, min(cursor, utf8.RuneCountInString(source))))
	if b, ok := a.inspectMagic(source, at); ok {
		return b
	}
	d := a.describe(source, at, detail)
	if d == nil {
		return nil
	}
	if d.variable != nil {
		d.value = a.Value(d.variable)
	}
	return d.bundle()
}

// describe describes the code at an offset.
func (a *Assistant) describe(source string, at, detail int) *description {
	source = magics.Without(source, a.known)
	a.Mutex.Lock()
	defer a.Mutex.Unlock()
	q := &inspector{Checker: a.Checker, source: source, detail: detail}
	switch tok, open := syntax.Unended(source[:at]); tok {
	case token.COMMENT:
		return nil
	case token.STRING, token.CHAR:
		if inImport(source, open) {
			path, _, _ := strings.Cut(source[open+1:], source[open:open+1])
			return q.importPath(path)
		}
		return q.call(open)
	}
	start, end := syntax.WordAround(source, at)
	if start == end && strings.HasSuffix(source[:at], ".") {
		start, end = syntax.WordAround(source, at-1)
	}
	if start < end {
		if d := q.keyword(start, end); d != nil {
			return d
		}
		if d := q.name(start, end); d != nil {
			return d
		}
	}
	return q.call(start)
}

// An inspector describes one place of a cell.
type inspector struct {
	*check.Checker
	source string
	detail int
}

// name describes the name at source[start:end].
func (q *inspector) name(start, end int) (found *description) {
	// Use the whole cell, or the part up to the name if the cell does not make sense.
	before := syntax.Mend(q.source[:end])
	for _, text := range []string{q.source, syntax.Cut(before, "", syntax.Following(q.source, end))} {
		if text != q.source {
			start, end = start+len(before)-end, len(before)
		}
		show(q.Checker, text, start, func(v *view) {
			path := v.pathTo(start)
			obj := v.objectAt(path)
			if obj == nil && !strings.HasSuffix(strings.TrimSpace(text[:start]), ".") {
				obj = v.lookup(text[start:end], v.position(start))
			}
			found = q.describe(v, obj, path)
		})
		if found != nil {
			return found
		}
	}
	return nil
}

// call describes the function whose arguments contain an offset.
func (q *inspector) call(at int) (found *description) {
	before := syntax.Mend(q.source[:at])
	names := callsAround(before)
	if len(names) == 0 {
		return nil
	}
	show(q.Checker, syntax.Cut(before, placeholder, syntax.Following(q.source, at)), len(before), func(v *view) {
		for _, start := range names {
			path := v.pathTo(start)
			if found = q.describe(v, v.objectAt(path), path); found != nil {
				return
			}
		}
	})
	return found
}

// callsAround returns the offsets of the function names whose arguments contain the end of the
// text, the innermost first. It omits those around a block of statements.
func callsAround(text string) []int {
	lexemes := syntax.Lex(text)
	var open []int
	for i, l := range lexemes {
		switch l.Tok {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			open = append(open, i)
		case token.RPAREN, token.RBRACK, token.RBRACE:
			open = open[:max(0, len(open)-1)]
		}
	}
	var names []int
	for n := len(open) - 1; n >= 0; n-- {
		i := open[n]
		switch lexemes[i].Tok {
		case token.LBRACE:
			if syntax.Block(lexemes[:i]) {
				return names
			}
		case token.LPAREN:
			if i > 0 && lexemes[i-1].Tok == token.IDENT && (i < 2 || lexemes[i-2].Tok != token.FUNC) {
				names = append(names, lexemes[i-1].Pos)
			}
		}
	}
	return names
}

// inImport reports whether an offset is in an import declaration.
func inImport(source string, at int) bool {
	for _, it := range syntax.Split(source) {
		if it.Start <= at && at < it.End {
			return it.Kind == syntax.ItemImport
		}
	}
	return false
}

// importPath describes the package of an import path.
func (q *inspector) importPath(path string) (found *description) {
	pkg, err := q.Importer.Import(path)
	if err != nil {
		return nil // the cell reports that when it runs
	}
	show(q.Checker, "", 0, func(v *view) {
		found = q.describe(v, types.NewPkgName(token.NoPos, nil, pkg.Name(), pkg), nil)
	})
	return found
}

// describe describes the object of the identifier at the end of a path; nil describes nil.
func (q *inspector) describe(v *view, obj types.Object, path []ast.Node) *description {
	if obj == nil || obj.Name() == "_" {
		return nil
	}
	d := &description{declaration: v.declare(obj, q.detail > 0)}
	if d.declaration == "" {
		return nil
	}
	if len(path) > 0 {
		if inst, ok := v.k.Info.Instances[path[len(path)-1].(*ast.Ident)]; ok {
			if s, ok := inst.Type.(*types.Signature); ok {
				d.instance = "func" + v.signature(s)
			}
		}
	}
	if live := q.Session.Live[obj.Name()]; live != nil && live.Object == obj {
		d.variable, _ = obj.(*types.Var)
	}
	pkg, isPackage := obj.(*types.PkgName)
	switch {
	case isPackage:
		d.documentation = v.doc(pkg.Imported().Path(), "")
		d.exports = v.exports(pkg.Imported())
	case obj.Pkg() == nil:
		d.documentation = v.doc("builtin", docName(obj))
	case obj.Pkg() == v.k.Pkg:
		src, offset := v.sourceOf(obj)
		if src == nil {
			break
		}
		d.place = src.Cell.Title()
		d.documentation = commentAt(src.Cell.Source, offset)
		if q.detail > 0 {
			d.source = itemAt(src.Cell.Source, offset)
		}
	default:
		d.place = "package " + check.PlainPath(obj.Pkg().Path())
		d.documentation = v.doc(obj.Pkg().Path(), docName(obj))
	}
	if variable, ok := obj.(*types.Var); ok && !variable.IsField() {
		d.typeDeclaration, d.typeDocumentation = v.typeOfVariable(variable, q.detail > 0)
	}
	return d
}

// sourceOf returns where an object of the session, or of the cell, is declared; nil for others.
func (v *view) sourceOf(obj types.Object) (*syntax.Source, int) {
	if src, offset := v.earlier.At(obj.Pos()); src != nil {
		return src, offset
	}
	return v.At(obj.Pos())
}

// commentOn returns the comment on an object of the session; empty if there is none.
func (v *view) commentOn(obj types.Object) string {
	src, offset := v.sourceOf(obj)
	if src == nil {
		return ""
	}
	return commentAt(src.Cell.Source, offset)
}

// typeOfVariable returns the declaration and comment of the type of a variable, or of the type that
// it points to; nothing for types without a declaration.
func (v *view) typeOfVariable(variable *types.Var, all bool) (declaration, documentation string) {
	t := types.Unalias(variable.Type())
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	named, ok := t.(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return "", ""
	}
	obj := named.Obj()
	if obj.Pkg() == v.k.Pkg {
		documentation = v.commentOn(obj)
	} else {
		documentation = v.doc(obj.Pkg().Path(), obj.Name())
	}
	return v.typeDeclaration(named.Origin().Obj(), all), documentation
}
