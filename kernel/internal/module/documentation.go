package module

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
)

// Doc implements program.Modules. Unreadable packages have no documentation.
func (s *Session) Doc(path, name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	docs, ok := s.docs[path]
	if f := s.found[path]; !ok && f != nil {
		docs = comments(path, f.dir, f.files)
		s.docs[path] = docs
	}
	return docs[name]
}

// comments returns the comments on the exported names of a package, keyed as in program.Library.
func comments(path, dir string, names []string) map[string]string {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		f, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err == nil {
			files = append(files, f)
		}
	}
	pkg, err := doc.NewFromFiles(fset, files, path)
	if err != nil {
		return nil
	}
	out := map[string]string{"": pkg.Doc}
	values := func(list []*doc.Value) {
		for _, v := range list {
			for _, name := range v.Names {
				out[name] = v.Doc
			}
		}
	}
	functions := func(prefix string, list []*doc.Func) {
		for _, f := range list {
			out[prefix+f.Name] = f.Doc
		}
	}
	values(pkg.Consts)
	values(pkg.Vars)
	functions("", pkg.Funcs)
	for _, t := range pkg.Types {
		out[t.Name] = t.Doc
		values(t.Consts)
		values(t.Vars)
		functions("", t.Funcs)
		functions(t.Name+".", t.Methods)
		for _, spec := range t.Decl.Specs {
			fields(out, spec)
		}
	}
	return out
}

// fields adds the comments on the fields of a struct, or on the methods of an interface.
func fields(out map[string]string, spec ast.Spec) {
	t, ok := spec.(*ast.TypeSpec)
	if !ok {
		return
	}
	var list *ast.FieldList
	switch u := t.Type.(type) {
	case *ast.StructType:
		list = u.Fields
	case *ast.InterfaceType:
		list = u.Methods
	default:
		return
	}
	for _, f := range list.List {
		text := f.Doc.Text()
		if text == "" {
			text = f.Comment.Text()
		}
		for _, name := range f.Names {
			out[t.Name.Name+"."+name.Name] = text
		}
	}
}
