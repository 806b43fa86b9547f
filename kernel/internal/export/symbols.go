package export

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/hierml/notebook/kernel/internal/check/typed"
	"github.com/hierml/notebook/kernel/internal/state"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// survey creates symbols for the names of a cell, and versions of its functions.
func (x *exporter) survey(e *exportedCell) {
	k := e.k
	e.pieces = piecesOf(e.k)
	for _, l := range syntax.Lex(e.Source) {
		if l.Tok == token.IDENT {
			x.identifiers[l.Lit] = true
		}
	}
	e.wrapped = e.Fails || typed.Defers(k.Body) || jumps(k.Body)
	x.keepConstants(e)
	x.occurrences(e)
	x.recalls(e)
	for _, list := range e.uses {
		for _, o := range list {
			if o.symbol != nil && o.symbol.kind == packageSymbol {
				x.noteComment(e, o.symbol)
			}
		}
	}
	x.functionVersions(e)
	x.noteUses(e)
	if e.shown() != nil {
		if results, ok := k.LastError(k.Value.X); ok {
			for _, v := range x.valuesOf(e, results[:len(results)-1]) {
				v.name = "value"
			}
		}
	}
}

// noteComment records the comment after the import of a package.
func (x *exporter) noteComment(e *exportedCell, s *symbol) {
	for _, spec := range e.k.Imports {
		if spec.Comment != nil && spec.Path.Value == fmt.Sprintf("%q", s.path) {
			s.comment = spec.Comment.List[0].Text
		}
	}
}

// occurrences finds the symbols in the checked code of a cell.
func (x *exporter) occurrences(e *exportedCell) {
	type found struct {
		src    *syntax.Source
		offset int
		id     *ast.Ident
		obj    types.Object
	}
	var all []found
	add := func(id *ast.Ident, obj types.Object) {
		if src, offset := x.At(id.Pos()); src != nil && obj != nil {
			all = append(all, found{src, offset, id, obj})
		}
	}
	for id, obj := range e.k.Info.Defs {
		add(id, obj)
	}
	for id, obj := range e.k.Info.Uses {
		add(id, obj)
	}
	slices.SortFunc(all, func(a, b found) int {
		return cmp.Or(cmp.Compare(a.src.Cell.Number, b.src.Cell.Number), cmp.Compare(a.offset, b.offset))
	})
	for _, f := range all {
		if f.obj.Parent() == types.Universe {
			x.taken[f.obj.Name()] = true
			continue
		}
		text := f.src.Cell.Source
		if f.offset+len(f.id.Name) > len(text) || text[f.offset:f.offset+len(f.id.Name)] != f.id.Name {
			continue // a name from the check
		}
		o := occurrence{offset: f.offset, name: f.id.Name}
		if o.symbol = x.symbolOf(f.obj); o.symbol == nil {
			x.locals[f.obj.Name()] = true
			if pkg := f.obj.Pkg(); pkg != nil && !state.IsSession(f.obj) && f.obj.Parent() == pkg.Scope() && !qualified(text, f.offset) {
				o.symbol, o.dotted = x.packageOf(pkg.Path(), pkg.Name(), true), true
				o.symbol.dotted = true
			}
		}
		if o.symbol != nil {
			e.uses[f.src] = append(e.uses[f.src], o)
		}
	}
}

// recalls adds a cell's references to values and sources of other cells.
func (x *exporter) recalls(e *exportedCell) {
	src, text := e.k.Source, e.Source
	add := func(o occurrence, end int) {
		o.name = text[o.offset:end]
		e.uses[src] = append(e.uses[src], o)
	}
	for _, s := range e.k.Body {
		ast.Inspect(s, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if call, ok := typed.Stops(n); ok {
					_, start := x.At(call.Pos())
					end := start + int(call.End()-call.Pos())
					add(occurrence{offset: start, symbol: x.stop(e.k.Info.TypeOf(call).(*types.Tuple).Len() - 1), within: true}, start)
					add(occurrence{offset: end - 1, literal: "))"}, end)
					return true
				}
				id, ok := n.Fun.(*ast.Ident)
				if !ok || e.k.Recalled[id.Name] == nil {
					return true
				}
				_, start := x.At(n.Pos())
				from := x.cellOf(e.k.Recalled[id.Name].Cell)
				for _, v := range x.valuesOf(from, e.k.Recalled[id.Name].Types) {
					v.name = fmt.Sprintf("out%d", from.ExecutionCount())
					v.cells[e] = true
				}
				add(occurrence{offset: start, cell: from}, start+int(n.End()-n.Pos()))
			case *ast.BasicLit:
				_, start := x.At(n.Pos())
				if !strings.HasPrefix(text[start:], "In") {
					return true
				}
				said, err := strconv.Unquote(n.Value)
				if err == nil && strings.Contains(said, "\n") && strconv.CanBackquote(strings.ReplaceAll(said, "\n", "")) {
					n.Value = "`" + said + "`"
				}
				add(occurrence{offset: start, literal: n.Value}, start+strings.IndexByte(text[start:], ']')+1)
			}
			return true
		})
	}
	slices.SortStableFunc(e.uses[src], func(a, b occurrence) int {
		return cmp.Or(cmp.Compare(a.offset, b.offset), cmp.Compare(len(a.name), len(b.name)))
	})
}

// stop returns the function around calls with n values that leave out errors within expressions.
func (x *exporter) stop(n int) *symbol {
	s := &x.stops[n-1]
	if *s == nil {
		*s = x.add(&symbol{name: "must", kind: stopSymbol, preloaded: true})
	}
	return *s
}

func (x *exporter) cellOf(number int) *exportedCell {
	for _, e := range x.cells {
		if e.k != nil && e.Number == number {
			return e
		}
	}
	return nil
}

// valuesOf returns the variables of the values that a cell shows.
func (x *exporter) valuesOf(e *exportedCell, list []types.Type) []*symbol {
	if e.values == nil {
		for _, t := range list {
			s := &symbol{name: fmt.Sprintf("out%d", e.ExecutionCount()), kind: variableSymbol, typ: t, cells: map[*exportedCell]bool{e: true}}
			e.values = append(e.values, x.add(s))
		}
	}
	return e.values
}

// qualified reports whether a period stands before an offset.
func qualified(text string, offset int) bool {
	for offset--; offset >= 0; offset-- {
		switch text[offset] {
		case ' ', '\t', '\n', '\r':
		default:
			return text[offset] == '.'
		}
	}
	return false
}

// symbolOf returns the symbol of an object, or nil if it is not at the top level of a cell.
func (x *exporter) symbolOf(obj types.Object) *symbol {
	switch o := obj.(type) {
	case *types.PkgName:
		if o.Imported().Path() == syntax.MagicPath && !o.Pos().IsValid() {
			return x.packageOf(syntax.MagicPath, o.Imported().Name(), true)
		}
		return x.packageOf(o.Imported().Path(), o.Name(), !o.Pos().IsValid())
	case *types.Label:
		return x.objectSymbol(obj, labelSymbol)
	case *types.Func:
		if !state.IsSession(obj) || o.Signature().Recv() != nil {
			return nil
		}
		if fn := x.Session.FunctionOf(obj); fn != nil {
			return x.functionSymbol(fn, o)
		}
		return nil
	case *types.Var:
		if o.IsField() {
			// An embedded field has the name of its type.
			if tn := typeName(o.Type()); o.Embedded() && state.IsSession(o) && tn != nil && state.IsSession(tn) {
				return x.symbolOf(tn)
			}
			return nil
		}
		d := x.Session.ByObject[obj]
		if d == nil {
			return nil
		}
		s := x.variables[d.Lowered]
		if s == nil {
			s = x.add(&symbol{name: d.Name, kind: variableSymbol, typ: o.Type(), cells: map[*exportedCell]bool{}})
			x.variables[d.Lowered] = s
		}
		return s
	}
	if x.Session.ByObject[obj] == nil {
		return nil
	}
	return x.objectSymbol(obj, otherSymbol)
}

// typeName returns the declared name of a type, or of the type that it points to.
func typeName(t types.Type) *types.TypeName {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	switch t := t.(type) {
	case *types.Alias:
		return t.Origin().Obj()
	case *types.Named:
		return t.Origin().Obj()
	}
	return nil
}

func (x *exporter) add(s *symbol) *symbol {
	x.symbols = append(x.symbols, s)
	return s
}

func (x *exporter) objectSymbol(obj types.Object, kind symbolKind) *symbol {
	s := x.objects[obj]
	if s == nil {
		s = x.add(&symbol{name: obj.Name(), kind: kind})
		x.objects[obj] = s
	}
	return s
}

func (x *exporter) functionSymbol(fn *state.Function, obj *types.Func) *symbol {
	s := x.functions[fn]
	if s == nil {
		s = x.add(&symbol{name: obj.Name(), kind: functionSymbol})
		if obj.Signature().Recv() != nil {
			s.kind, s.method = methodSymbol, obj
		}
		x.functions[fn] = s
	}
	return s
}

// packageOf returns the symbol of a package under a name.
func (x *exporter) packageOf(path, name string, preloaded bool) *symbol {
	key := [2]string{path, name}
	s := x.packages[key]
	if s == nil {
		s = x.add(&symbol{name: name, kind: packageSymbol, path: path, preloaded: preloaded})
		x.packages[key] = s
	}
	s.preloaded = s.preloaded && preloaded
	return s
}

// keepConstants gives constants that a cell declares unchanged their existing symbols, and drops
// the declaration.
func (x *exporter) keepConstants(e *exportedCell) {
	declarations := map[*piece][]*types.Const{}
	for id, obj := range e.k.Info.Defs {
		c, ok := obj.(*types.Const)
		if src, offset := x.At(id.Pos()); ok && src == e.k.Source && id.Name != "_" {
			p := e.pieceAt(offset)
			declarations[p] = append(declarations[p], c)
		}
	}
	for i := range e.pieces {
		p := &e.pieces[i]
		if p.Kind != syntax.ItemConst {
			continue
		}
		declared := declarations[p]
		same := func(c *types.Const) bool {
			old := x.constants[c.Name()]
			return old != nil && types.Identical(old.Type(), c.Type()) && old.Val().ExactString() == c.Val().ExactString()
		}
		p.dropped = len(declared) > 0 && !slices.ContainsFunc(declared, func(c *types.Const) bool { return !same(c) })
		for _, c := range declared {
			if p.dropped {
				x.objects[c] = x.objects[x.constants[c.Name()]]
			}
			x.constants[c.Name()] = c
		}
	}
}
