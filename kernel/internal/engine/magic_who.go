package engine

import (
	"cmp"
	"context"
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/hierml/notebook/kernel/internal/check"
	"github.com/hierml/notebook/kernel/internal/magics"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/state"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// A whoRow is the line of %who for one name.
type whoRow struct {
	name, kind, typ string
	// value turns the answers to the looks into the text to show; nil if there is none.
	value func(shown []string) string
	looks []look
	cell  int
}

// whoKinds are the kinds of names in the order in which they are listed.
var whoKinds = []string{"variable", "constant", "function", "type", "import"}

// who shows what the session has declared.
func (e *Engine) who(ctx context.Context, cell program.Cell, out program.Output) error {
	rows, titles := e.whoRows()
	if len(rows) == 0 {
		out.Stream("stdout", "Nothing is declared.\n")
		return nil
	}
	values, err := e.whoValues(ctx, cell, rows, out)
	if err != nil {
		return err
	}
	var cells [][]string
	for _, r := range rows {
		value := ""
		if r.value != nil {
			value = brief(r.value(values[:len(r.looks)]))
		}
		values = values[len(r.looks):]
		cells = append(cells, []string{r.name, r.kind, r.typ, value, titles[r.cell]})
	}
	text, page := magics.Table([]string{"name", "kind", "type", "value", "declared in"}, cells, 0, 2, 3)
	out.Display(&program.Bundle{Data: map[string]any{"text/plain": text, "text/html": page}}, "", false)
	return nil
}

// whoRows returns the declared names, and the titles of the cells.
func (e *Engine) whoRows() (rows []whoRow, titles map[int]string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	titles = map[int]string{}
	for _, src := range e.checker.Sources {
		titles[src.Cell.Number] = src.Cell.Title()
	}
	for name, d := range e.checker.Session.Live {
		if d.Cell > 0 {
			rows = append(rows, newWhoRow(e.checker.Session, name, d))
		}
	}
	slices.SortFunc(rows, func(a, b whoRow) int {
		return cmp.Or(slices.Index(whoKinds, a.kind)-slices.Index(whoKinds, b.kind), cmp.Compare(a.name, b.name))
	})
	return rows, titles
}

func newWhoRow(s *state.Session, name string, d *state.Declaration) whoRow {
	qualify := func(pkg *types.Package) string {
		if pkg.Path() == state.PackagePath {
			return ""
		}
		return pkg.Name()
	}
	r := whoRow{name: name, cell: d.Cell}
	switch obj := d.Object.(type) {
	case *types.PkgName:
		r.kind, r.typ = "import", check.PlainPath(obj.Imported().Path())
		return r
	case *types.Const:
		r.kind, r.value = "constant", func([]string) string { return obj.Val().String() }
	case *types.Func:
		r.kind = "function"
	case *types.TypeName:
		r.kind = "type"
		r.typ = typeWord(obj)
		return r
	default:
		r.kind = "variable"
		if d.Lowered != "" {
			r.describe(s, obj)
		}
	}
	r.typ = brief(types.TypeString(d.Object.Type(), qualify))
	return r
}

// typeWord names the kind of a type.
func typeWord(obj *types.TypeName) string {
	word := ""
	if obj.IsAlias() {
		word = "alias of "
	}
	switch t := obj.Type().Underlying().(type) {
	case *types.Basic:
		return word + t.Name()
	case *types.Struct:
		return word + "struct"
	case *types.Interface:
		return word + "interface"
	case *types.Map:
		return word + "map"
	case *types.Slice:
		return word + "slice"
	case *types.Array:
		return word + "array"
	case *types.Signature:
		return word + "func"
	case *types.Chan:
		return word + "chan"
	case *types.Pointer:
		return word + "pointer"
	}
	return word
}

// describe decides how the value of a variable is shown. It uses only Go's own types, so that no
// user method is called and nothing is costly.
func (r *whoRow) describe(s *state.Session, v types.Object) {
	own := func(name string) bool { return s.Live[name] == nil }
	value := func(field string, t types.Type) (look, bool) {
		l := look{name: r.name, field: field, aspect: program.LookBrief}
		b, ok := t.Underlying().(*types.Basic)
		if !ok || b.Kind() == types.UnsafePointer {
			return l, false
		}
		named, ok := types.Unalias(t).(*types.Named)
		if !ok || !state.IsSession(named.Obj()) {
			return l, true
		}
		l.basic = b.Name()
		return l, own(b.Name())
	}
	switch t := v.Type().Underlying().(type) {
	case *types.Basic:
		if x, ok := value("", v.Type()); ok {
			r.value, r.looks = func(shown []string) string { return shown[0] }, []look{x}
		}
	case *types.Slice, *types.Map, *types.Chan:
		if own("len") {
			r.value = func(shown []string) string { return "len " + shown[0] }
			r.looks = []look{{name: r.name, aspect: program.LookLength}}
		}
	case *types.Pointer, *types.Signature, *types.Interface:
		if own("nil") {
			r.value = func(shown []string) string {
				if shown[0] == "true" {
					return "nil"
				}
				return ""
			}
			r.looks = []look{{name: r.name, aspect: program.LookNil}}
		}
	case *types.Struct:
		const most = 6
		var names []string
		more := ""
		for f := range t.Fields() {
			reachable := f.Exported() || f.Pkg().Path() == state.PackagePath
			x, ok := value(f.Name(), f.Type())
			if !reachable || !ok || f.Name() == "_" || len(names) == most {
				more = "…"
				break
			}
			names = append(names, f.Name())
			r.looks = append(r.looks, x)
		}
		r.value = func(shown []string) string {
			parts := make([]string, 0, len(names)+1)
			for i, name := range names {
				parts = append(parts, name+":"+shown[i])
			}
			if more != "" {
				parts = append(parts, more)
			}
			return "{" + strings.Join(parts, " ") + "}"
		}
	}
}

// briefLength is the maximum length of a value or a type in characters.
const briefLength = 60

func brief(text string) string {
	runes := []rune(text)
	if len(runes) > briefLength {
		return string(runes[:briefLength-1]) + "…"
	}
	return text
}

// whoBatch is how many values are requested at once. It keeps their texts below the limit of one
// output.
const whoBatch = 200

// whoValues asks for the values of all looks of the rows.
func (e *Engine) whoValues(ctx context.Context, cell program.Cell, rows []whoRow, out program.Output) ([]string, error) {
	var looks []look
	var values []string
	for _, r := range rows {
		looks = append(looks, r.looks...)
	}
	for part := range slices.Chunk(looks, whoBatch) {
		shown, err := e.brief(ctx, cell, part, out)
		if err != nil {
			return nil, err
		}
		values = append(values, shown...)
	}
	return values, nil
}

// brief returns the answers to the looks. The interpreter runs a cell for them.
func (e *Engine) brief(ctx context.Context, cell program.Cell, looks []look, out program.Output) ([]string, error) {
	e.mu.Lock()
	if e.compiled {
		there, questions := e.compiledLooks(looks)
		e.mu.Unlock()
		texts, err := e.lookAt(ctx, cell.Number, questions, out)
		if err != nil {
			return nil, err
		}
		values := make([]string, len(looks))
		for i, at := range there {
			values[at] = texts[i]
		}
		return values, nil
	}
	alias := magics.Alias(func(name string) bool { return e.checker.Session.Live[name] != nil })
	e.mu.Unlock()
	expressions := make([]string, len(looks))
	for i, l := range looks {
		expressions[i] = l.expression()
	}
	text := alias + ".Brief(" + strings.Join(expressions, ", ") + ")"
	bundle, err := e.run(ctx, syntax.NewLexed(&syntax.Source{Cell: cell, Translation: &syntax.Translation{Text: text, Alias: alias}}), out)
	if err != nil {
		return nil, err
	}
	text, _ = bundle.Data["text/plain"].(string)
	values := strings.Split(text, "\n")
	if len(values) != len(looks) {
		return nil, fmt.Errorf("%%who: %d values of %d", len(values), len(looks))
	}
	return values, nil
}
