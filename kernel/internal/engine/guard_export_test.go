package engine

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"runtime"
	"slices"
	"strings"

	"github.com/hierml/notebook/kernel/internal/check"
	"github.com/hierml/notebook/kernel/internal/compiled/emit"
	"github.com/hierml/notebook/kernel/internal/state"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// Guarded returns the text of a whole program with guards, as a package of
// another name.
func Guarded(source, name string, importer types.Importer) (string, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "main.go", source, parser.SkipObjectResolution)
	if err != nil {
		return "", err
	}
	info := check.NewInfo()
	conf := &types.Config{Importer: importer, GoVersion: check.GoVersion, Sizes: types.SizesFor("gc", runtime.GOARCH)}
	if _, err := conf.Check(state.PackagePath, fset, []*ast.File{file}, info); err != nil {
		return "", err
	}
	offset := func(pos token.Pos) int { return fset.Position(pos).Offset }
	imported := map[string]bool{}
	function := func(path, name string) func(string) string {
		return func(function string) string {
			imported[name+" \""+path+"\""] = true
			return name + "." + function
		}
	}
	g := &emit.Guard{
		Info:     info,
		Source:   source,
		Offset:   offset,
		Cell:     function(emit.CellPath, "cell"+emit.Mark),
		Standard: function(emit.StandardPath, "standard"+emit.Mark),
		Name:     func(*ast.Ident) string { return "" },
		Unchecked: func(f *types.Func) bool {
			for _, d := range file.Decls {
				if d, ok := d.(*ast.FuncDecl); ok && info.Defs[d.Name] == f {
					return !emit.Checks(d, info)
				}
			}
			return false
		},
		Signature: (&emit.Unit{Spelling: state.Spelling{
			TypeName:    func(obj *types.TypeName) string { return obj.Name() },
			PackageName: func(path, name string) string { return name },
		}}).Spelled,
	}
	for _, d := range file.Decls {
		g.Add(d)
	}
	all := g.Edits
	all.Replace(offset(file.Name.Pos()), offset(file.Name.End()), name+"; import ("+strings.Join(slices.Sorted(keys(imported)), "; ")+")")
	all = append(all, blankImports(file, info, all, offset)...)
	all.Sort()
	return all.Apply(source, 0), nil
}

func keys(set map[string]bool) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range set {
			if !yield(k) {
				return
			}
		}
	}
}

// blankImports returns the edits that make blank what a program imports and no
// longer names.
func blankImports(file *ast.File, info *types.Info, all syntax.Edits, offset func(token.Pos) int) syntax.Edits {
	used := map[*types.Package]bool{}
	selected := map[*ast.Ident]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			selected[sel.Sel] = true
		}
		id, ok := n.(*ast.Ident)
		if !ok || selected[id] || emit.Covered(all, offset(id.Pos()), offset(id.End())) {
			return true
		}
		switch obj := info.Uses[id].(type) {
		case nil:
		case *types.PkgName:
			used[obj.Imported()] = true
		default:
			used[obj.Pkg()] = true
		}
		return true
	})
	var blank syntax.Edits
	for _, spec := range file.Imports {
		obj := info.Implicits[spec]
		if spec.Name != nil {
			obj = info.Defs[spec.Name]
		}
		if pkg, ok := obj.(*types.PkgName); ok && used[pkg.Imported()] {
			continue
		}
		from := spec.Pos()
		blank.Replace(offset(from), offset(spec.Path.Pos())+1, "_ \"")
	}
	return blank
}
