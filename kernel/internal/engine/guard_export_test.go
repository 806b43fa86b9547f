package engine

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"runtime"
	"slices"
	"strings"
)

// Guarded returns the text of a whole program with guards, as a package of
// another name.
func Guarded(source, name string, importer types.Importer) (string, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "main.go", source, parser.SkipObjectResolution)
	if err != nil {
		return "", err
	}
	info := newInfo()
	conf := &types.Config{Importer: importer, GoVersion: goVersion, Sizes: types.SizesFor("gc", runtime.GOARCH)}
	if _, err := conf.Check(packagePath, fset, []*ast.File{file}, info); err != nil {
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
	g := &guard{
		info:     info,
		source:   source,
		offset:   offset,
		cell:     function(cellPath, "cell"+mark),
		standard: function(standardPath, "standard"+mark),
		name:     func(*ast.Ident) string { return "" },
		unchecked: func(f *types.Func) bool {
			for _, d := range file.Decls {
				if d, ok := d.(*ast.FuncDecl); ok && info.Defs[d.Name] == f {
					return !checks(d, info)
				}
			}
			return false
		},
		signature: (&unit{spelling: spelling{
			typeName:    func(obj *types.TypeName) string { return obj.Name() },
			packageName: func(path, name string) string { return name },
		}}).spelled,
	}
	for _, d := range file.Decls {
		g.add(d)
	}
	all := g.edits
	all.replace(offset(file.Name.Pos()), offset(file.Name.End()), name+"; import ("+strings.Join(slices.Sorted(keys(imported)), "; ")+")")
	all = append(all, blankImports(file, info, all, offset)...)
	all.sort()
	return all.apply(source, 0), nil
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
func blankImports(file *ast.File, info *types.Info, all edits, offset func(token.Pos) int) edits {
	used := map[*types.Package]bool{}
	selected := map[*ast.Ident]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			selected[sel.Sel] = true
		}
		id, ok := n.(*ast.Ident)
		if !ok || selected[id] || covered(all, offset(id.Pos()), offset(id.End())) {
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
	var blank edits
	for _, spec := range file.Imports {
		obj := info.Implicits[spec]
		if spec.Name != nil {
			obj = info.Defs[spec.Name]
		}
		if pkg, ok := obj.(*types.PkgName); ok && used[pkg.Imported()] {
			continue
		}
		from := spec.Pos()
		blank.replace(offset(from), offset(spec.Path.Pos())+1, "_ \"")
	}
	return blank
}
