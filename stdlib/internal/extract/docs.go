package extract

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"runtime"
	"strings"
)

// Docs is the documentation of a package: the comments by the names that they document: "Reader",
// "Reader.Read" for a method or field, "" for the package itself.
type Docs map[string]string

// Docs reads the documentation of the packages from their sources, by import path. The group std
// includes package builtin, where "append()" and similar names hold the declarations of functions,
// which no export data has.
func (g *Group) Docs(ctx context.Context, dir string, pkgs []*types.Package) (map[string]Docs, error) {
	var paths []string
	for _, pkg := range pkgs {
		paths = append(paths, pkg.Path())
	}
	if g.Name == "std" {
		paths = append(paths, "builtin")
	}
	all := map[string]Docs{}
	args := append([]string{"list", "-json=ImportPath,Dir,GoFiles,CgoFiles"}, paths...)
	err := goList(ctx, dir, args, func(d *json.Decoder) error {
		var p struct {
			ImportPath, Dir   string
			GoFiles, CgoFiles []string
		}
		if err := d.Decode(&p); err != nil {
			return err
		}
		docs := Docs{}
		fset := token.NewFileSet()
		for _, name := range append(p.GoFiles, p.CgoFiles...) {
			file, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			docs.add(file, p.ImportPath == "builtin")
		}
		all[p.ImportPath] = docs
		return nil
	})
	return all, err
}

// add adds the documentation in a file. Without builtin it omits unexported names.
func (d Docs) add(file *ast.File, builtin bool) {
	d.put("", file.Doc)
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			name := decl.Name.Name
			if !builtin && !decl.Name.IsExported() {
				continue
			}
			if decl.Recv != nil {
				base := baseName(decl.Recv.List[0].Type)
				if !ast.IsExported(base) {
					continue
				}
				name = base + "." + name
			}
			d.put(name, decl.Doc)
			if builtin {
				d[name+"()"] = "func " + name + strings.TrimPrefix(types.ExprString(decl.Type), "func")
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					if builtin || spec.Name.IsExported() {
						d.put(spec.Name.Name, spec.Doc, decl.Doc, spec.Comment)
						d.members(spec)
					}
				case *ast.ValueSpec:
					for _, id := range spec.Names {
						if builtin || id.IsExported() {
							d.put(id.Name, spec.Doc, spec.Comment, decl.Doc)
						}
					}
				}
			}
		}
	}
}

// members adds the fields of a struct, and the methods of an interface.
func (d Docs) members(spec *ast.TypeSpec) {
	var list *ast.FieldList
	switch t := spec.Type.(type) {
	case *ast.StructType:
		list = t.Fields
	case *ast.InterfaceType:
		list = t.Methods
	default:
		return
	}
	for _, field := range list.List {
		for _, id := range field.Names {
			if id.IsExported() {
				d.put(spec.Name.Name+"."+id.Name, field.Doc, field.Comment)
			}
		}
	}
}

// put sets the documentation of a name to the first non-empty comment. The comments on a package in
// several files are joined.
func (d Docs) put(name string, comments ...*ast.CommentGroup) {
	for _, c := range comments {
		text := c.Text()
		switch {
		case text == "":
			continue
		case name == "" && d[""] != "":
			d[""] += "\n" + text
		default:
			d[name] = text
		}
		return
	}
}

// baseName returns the name of the type in a receiver.
func baseName(e ast.Expr) string {
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// Documentation returns a zip archive of the packages' documentation, one JSON entry per package.
// The comment of the archive names the Go release with its patch level: the comments may differ
// between two of them.
func Documentation(all map[string]Docs) ([]byte, error) {
	entries := map[string][]byte{}
	for path, docs := range all {
		var text bytes.Buffer
		e := json.NewEncoder(&text)
		e.SetEscapeHTML(false)
		if err := e.Encode(docs); err != nil {
			return nil, fmt.Errorf("write the documentation of %s: %w", path, err)
		}
		entries[path] = text.Bytes()
	}
	return pack(entries, nil, runtime.Version())
}
