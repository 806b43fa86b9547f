package export

import (
	"cmp"
	"fmt"
	"go/ast"
	"slices"
	"strconv"
	"strings"

	"github.com/hierml/notebook/kernel/internal/syntax"
)

// functionVersions records the functions to write for a cell: those that it declares, and those of
// earlier cells whose bodies mean something else from here on.
func (x *exporter) functionVersions(e *exportedCell) {
	for _, f := range e.k.Funcs {
		if f.Decl.Name.Name == "_" {
			continue
		}
		src, start := x.At(f.Decl.Type.Func)
		v := &version{cell: e, source: src, start: start}
		_, v.end = x.At(f.Decl.Body.End() - 1)
		v.end++
		_, v.nameAt = x.At(f.Decl.Name.Pos())
		v.uses = e.uses.between(src, v.start, v.end)
		if f.Decl.Name.Name == "init" && f.Decl.Recv == nil {
			v.symbol = x.add(&symbol{name: "setup", kind: functionSymbol})
			e.inits = append(e.inits, v)
			x.addVersion(v)
			continue
		}
		obj := f.Object
		fn := x.Session.FunctionOf(obj)
		if fn == nil || fn.Pending != nil {
			continue
		}
		v.symbol, v.signature = x.functionSymbol(fn, obj), obj.Signature()
		if old := v.symbol.versions; len(old) > 0 && old[len(old)-1].same(v) {
			continue
		}
		x.addVersion(v)
	}
}

func (x *exporter) addVersion(v *version) {
	v.symbol.versions = append(v.symbol.versions, v)
	at := sourcePlace{v.source, v.start}
	x.versions[at] = append(x.versions[at], v)
}

// same reports whether two versions of a function have the same text and meaning.
func (v *version) same(w *version) bool {
	if v.source.Cell.Source[v.start:v.end] != w.source.Cell.Source[w.start:w.end] {
		return false
	}
	return slices.EqualFunc(v.uses, w.uses, func(a, b occurrence) bool {
		return a.offset-v.start == b.offset-w.start && a.symbol == b.symbol
	})
}

// noteUses records for variables and functions where a cell mentions them.
func (x *exporter) noteUses(e *exportedCell) {
	var literals []span
	for _, s := range e.k.Body {
		ast.Inspect(s, func(n ast.Node) bool {
			if lit, ok := n.(*ast.FuncLit); ok {
				_, start := x.At(lit.Pos())
				literals = append(literals, span{start, start + int(lit.End()-lit.Pos())})
			}
			return true
		})
	}
	for src, list := range e.uses {
		for _, o := range list {
			if o.symbol == nil {
				continue
			}
			var in *piece
			if src == e.k.Source {
				in = e.pieceAt(o.offset)
			}
			statement := in != nil && in.Kind == syntax.ItemStatement
			switch o.symbol.kind {
			case variableSymbol:
				o.symbol.cells[e] = true
				o.symbol.packaged = o.symbol.packaged || !statement
			case functionSymbol:
				inLiteral := slices.ContainsFunc(literals, func(s span) bool { return s.start <= o.offset && o.offset < s.end })
				if !statement && !ownName(o, x.versions, src) || statement && inLiteral {
					o.symbol.indirect = true
				}
			}
		}
	}
}

// ownName reports whether a function mentions itself.
func ownName(o occurrence, versions map[sourcePlace][]*version, src *syntax.Source) bool {
	return slices.ContainsFunc(o.symbol.versions, func(v *version) bool {
		return v.source == src && v.start <= o.offset && o.offset < v.end
	})
}

func (e *exportedCell) pieceAt(offset int) *piece {
	i, _ := slices.BinarySearchFunc(e.pieces, offset+1, func(p piece, at int) int { return cmp.Compare(p.End, at) })
	if i < len(e.pieces) && e.pieces[i].Start <= offset {
		return &e.pieces[i]
	}
	return nil
}

// assignNames gives each symbol its name in the program. The user's names come before those of
// packages that need no import.
func (x *exporter) assignNames() error {
	if err := x.copyCallers(); err != nil {
		return err
	}
	for _, preloaded := range []bool{false, true} {
		for _, s := range x.symbols {
			switch {
			case s.preloaded != preloaded:
			case s.kind == methodSymbol:
				s.out = s.name
			case s.kind == labelSymbol:
				s.out = unusedName(s.name, func(name string) bool { return x.labels[name] || name != s.name && x.identifiers[name] })
				x.labels[s.out] = true
			case s.kind == stopSymbol, s.dotted && x.locals[s.name]:
				s.out = x.newName("", s.name)
			default:
				s.out = x.newName(s.name, s.name)
			}
		}
	}
	for _, s := range x.symbols {
		if s.kind == methodSymbol && len(s.versions) > 1 {
			owner := typeName(s.method.Signature().Recv().Type()).Name()
			s.out = x.newName("", strings.ToLower(owner[:1])+owner[1:]+s.name)
		}
		for i, v := range s.versions {
			v.out = s.out
			switch {
			case len(s.versions) > 1 && s.kind == methodSymbol:
				v.out = unusedName(strings.ToLower(s.name[:1])+s.name[1:]+strconv.Itoa(i+1), func(name string) bool { return x.identifiers[name] })
				v.cell.sets = append(v.cell.sets, v)
			case len(s.versions) > 1 && s.indirect && !s.generic():
				v.out = x.newName("", s.name+strconv.Itoa(i+1))
				v.cell.sets = append(v.cell.sets, v)
			case i > 0:
				v.out = x.newName("", s.name)
			}
		}
	}
	return nil
}

// newName returns a name that is unused in the program: the user's own, or one derived from base
// that no cell mentions.
func (x *exporter) newName(own, base string) string {
	name := unusedName(base, func(name string) bool { return x.taken[name] || name != own && x.identifiers[name] })
	x.taken[name] = true
	return name
}

// unusedName returns the name, or the first of name2, name3, ... that is not taken.
func unusedName(name string, taken func(string) bool) string {
	if !taken(name) {
		return name
	}
	if last := name[len(name)-1]; '0' <= last && last <= '9' {
		name += "_"
	}
	for n := 2; ; n++ {
		if numbered := fmt.Sprint(name, n); !taken(numbered) {
			return numbered
		}
	}
}

// pkg returns the name of a package in the program, which imports it.
func (x *exporter) pkg(path, name string) string {
	var found *symbol
	for _, s := range x.symbols {
		if s.kind == packageSymbol && s.path == path && (found == nil || s.used && !found.used) {
			found = s
		}
	}
	if found == nil {
		found = x.packageOf(path, name, true)
		found.out = x.newName("", name)
	}
	found.used = true
	return found.out
}

// name returns the name of a symbol for a mention in a version of a function, or in a cell.
func (x *exporter) name(s *symbol, in *version, e *exportedCell) string {
	if s.kind != functionSymbol || len(s.versions) < 2 {
		return s.out
	}
	if in != nil && in.symbol == s {
		return in.out
	}
	if s.indirect && !s.generic() {
		return s.out
	}
	if v := s.versionAt(e); v != nil {
		return v.out
	}
	return s.out
}

// versionAt returns the newest version of a function when a cell runs; nil if there is none yet.
func (s *symbol) versionAt(e *exportedCell) (newest *version) {
	for _, v := range s.versions {
		if v.cell.index <= e.index {
			newest = v
		}
	}
	return newest
}

// generic reports whether a function is generic, so that no variable can hold it.
func (s *symbol) generic() bool {
	return len(s.versions) > 0 && s.versions[0].signature != nil && s.versions[0].signature.TypeParams().Len() > 0
}

// maxCopied bounds how many bytes copies of functions may add to a program.
const maxCopied = 1 << 20

// copyCallers gives functions that mention a generic one a version for each of its versions.
func (x *exporter) copyCallers() error {
	copied := 0
	for changed := true; changed; {
		changed = false
		for _, s := range x.symbols {
			if len(s.versions) < 2 || !s.generic() {
				continue
			}
			for _, v := range s.versions[1:] {
				for _, caller := range x.symbols {
					old := caller.versionAt(v.cell)
					if caller == s || old == nil || old.signature == nil || old.cell == v.cell || !old.mentions(s) {
						continue
					}
					if copied += old.end - old.start; copied > maxCopied {
						return fmt.Errorf("cannot write the program: %s is generic and is declared %d times, and its callers would be written again for each. Declare it once, or skip the cells that declare it again", s.name, len(s.versions))
					}
					again := *old
					again.cell = v.cell
					x.addVersion(&again)
					slices.SortStableFunc(caller.versions, func(a, b *version) int { return cmp.Compare(a.cell.index, b.cell.index) })
					changed = true
				}
			}
		}
	}
	return nil
}

func (v *version) mentions(s *symbol) bool {
	return slices.ContainsFunc(v.uses, func(o occurrence) bool { return o.symbol == s })
}

// outs names the variables of the values that a cell shows.
func outs(e *exportedCell) string {
	if e == nil {
		return ""
	}
	names := make([]string, len(e.values))
	for i, v := range e.values {
		names[i] = v.out
	}
	return strings.Join(names, ", ")
}

// text returns a part of a source with the program's names.
func (x *exporter) text(src *syntax.Source, uses []occurrence, start, end int, in *version, e *exportedCell) string {
	var out strings.Builder
	at := start
	for _, o := range uses {
		if o.offset < at || o.offset >= end {
			continue
		}
		out.WriteString(src.Cell.Source[at:o.offset])
		at = o.offset + len(o.name)
		if o.symbol == nil {
			out.WriteString(o.literal + outs(o.cell))
			continue
		}
		name := x.name(o.symbol, in, e)
		if o.symbol.kind == packageSymbol {
			o.symbol.used = true
			if o.dotted {
				name += "." + o.name
			}
		}
		if o.within {
			o.symbol.used = true
			name += "("
		}
		out.WriteString(name)
	}
	out.WriteString(src.Cell.Source[at:end])
	return out.String()
}
