package build

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A replacement is a change of the compiler's source.
type replacement struct {
	// file is a path below cmd/compile/internal.
	file string
	// old occurs once in the file.
	old, new string
}

// replacements make one package of all packages whose paths begin with Prefix.
// Each rule of the compiler that compares packages, or looks whether a name is
// exported, is in one of these places.
var replacements = []replacement{
	// The checker asks this of unexported names: they are the same if their
	// packages are.
	{"types2/predicates.go",
		"\treturn a.path == b.path\n}",
		`	return a.path == b.path || isCell(a) && isCell(b)
}

func isCell(p *Package) bool {
	return p.path == "main" || len(p.path) > 5 && p.path[:5] == "cell/"
}
`},
	// The identity of an unexported field or method, by which they are looked
	// up, holds the path of its package.
	{"types2/object.go",
		"\t\tpath = pkg.path\n",
		"\t\tpath = pkg.path\n\t\tif isCell(pkg) {\n\t\t\tpath = \"main\"\n\t\t}\n"},
	// Methods are sorted by name and package; those of one package by name
	// alone, in whichever cell they were declared.
	{"types2/object.go",
		"\tif !ea {\n\t\treturn",
		"\tif !ea && !samePkg(a.pkg, b.pkg) {\n\t\treturn"},
	// A qualified identifier may be unexported: k3ˑ.point.
	{"types2/call.go",
		"if !exp.Exported() {",
		"if !exp.Exported() && !samePkg(pkg, check.pkg) {"},
	// A literal without field names may set unexported fields.
	{"types2/literals.go",
		"fld.pkg != check.pkg {",
		"!samePkg(fld.pkg, check.pkg) {"},
	// Unexported fields and methods are written to the export data as those of
	// package main, so that struct types and interfaces of two cells are
	// identical for the parts of the compiler that follow, and for the linker.
	{"noder/writer.go",
		"\tpkgIdx := pw.pkgIdx(obj.Pkg())\n\tnameIdx := pw.StringIdx(obj.Name())",
		`	pkg := obj.Pkg()
	if pkg != nil && strings.HasPrefix(pkg.Path(), "cell/") {
		if cellFields == nil {
			cellFields = types2.NewPackage("main", "main")
		}
		pkg = cellFields
	}
	pkgIdx := pw.pkgIdx(pkg)
	nameIdx := pw.StringIdx(obj.Name())`},
	{"noder/writer.go",
		"// selector writes the name of",
		"var cellFields *types2.Package\n\n// selector writes the name of"},
	// Export data lists the unexported objects of a cell too.
	{"noder/unified.go",
		"\t\t\tif types.IsExported(xname) {",
		"\t\t\tif types.IsExported(xname) || strings.HasPrefix(pr.PkgPath(), \"cell/\") {"},
	// Package main may not be imported and its objects are made reachable for
	// plugin.Lookup; neither is so for cells.
	{"noder/reader.go",
		"types.LocalPkg.Name == \"main\" && types",
		"types.LocalPkg.Name == \"main\" && !strings.HasPrefix(base.Ctxt.Pkgpath, \"cell/\") && types"},
	{"gc/obj.go",
		"types.LocalPkg.Name == \"main\" {",
		"types.LocalPkg.Name == \"main\" && base.Ctxt.Pkgpath[:min(5, len(base.Ctxt.Pkgpath))] != \"cell/\" {"},
	// Selections of fields and methods, after the checker, by symbols of main.
	{"typecheck/typecheck.go",
		"sym.Pkg == types.LocalPkg)",
		"sym.Pkg == types.LocalPkg || sym.Pkg.Path == \"main\")"},
	{"typecheck/expr.go",
		"&& s.Pkg != types.LocalPkg {",
		"&& s.Pkg != types.LocalPkg && s.Pkg.Path != \"main\" {"},
	// The name of an instance of a generic type holds the paths of its type
	// arguments. At run time they are those of package main.
	{"reflectdata/reflect.go",
		"p := t.NameString()",
		"p := mainNames(t.NameString())"},
	{"reflectdata/reflect.go",
		"// dcommontype dumps the contents of a reflect.rtype (runtime._type) to c.\n",
		`// mainNames puts main in place of the paths of cells.
func mainNames(name string) string {
	for from := 0; ; {
		i := strings.Index(name[from:], "cell/")
		if i < 0 {
			return name
		}
		i += from
		from = i + 1
		if i > 0 && !strings.ContainsRune("[],*({ ;", rune(name[i-1])) && !strings.HasSuffix(name[:i], "...") {
			continue
		}
		if end := strings.IndexByte(name[i:], '.'); end > 0 {
			name = name[:i] + "main" + name[i+end:]
		}
	}
}

// dcommontype dumps the contents of a reflect.rtype (runtime._type) to c.
`},
}

// adapt writes the changed files of the compiler in goroot into dir, and the
// file for go build's -overlay, whose name it returns.
func adapt(goroot, dir string) (overlay string, err error) {
	compiler := filepath.Join(goroot, "src", "cmd", "compile", "internal")
	changed := map[string]string{} // by file
	for _, r := range replacements {
		text, ok := changed[r.file]
		if !ok {
			content, err := os.ReadFile(filepath.Join(compiler, filepath.FromSlash(r.file)))
			if errors.Is(err, fs.ErrNotExist) {
				return "", fmt.Errorf("the Go tool chain in %s has no source of the compiler (src/cmd/compile); install Go from go.dev/dl, or the package of your system that holds Go's source", goroot)
			}
			if err != nil {
				return "", err
			}
			text = string(content)
		}
		if n := strings.Count(text, r.old); n != 1 {
			return "", fmt.Errorf("the compiler of the Go tool chain in %s cannot be adapted to cells: its %s is not the one that this program knows; a newer hierml may know it", goroot, r.file)
		}
		changed[r.file] = strings.Replace(text, r.old, r.new, 1)
	}
	replace := map[string]string{}
	for file, text := range changed {
		path := filepath.Join(dir, strings.ReplaceAll(file, "/", "_"))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return "", err
		}
		replace[filepath.Join(compiler, filepath.FromSlash(file))] = path
	}
	content, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay = filepath.Join(dir, "overlay.json")
	return overlay, os.WriteFile(overlay, content, 0o600)
}

// buildCompiler builds the changed compiler into path, with dir for what it
// writes on the way.
func buildCompiler(ctx context.Context, tc toolchain, dir, path string) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	overlay, err := adapt(tc.GOROOT, dir)
	if err != nil {
		return err
	}
	// The profile of the distribution would have the standard library compiled
	// once more, for a compiler that is hardly faster on cells.
	_, err = tc.goCommand(ctx, filepath.Join(tc.GOROOT, "src", "cmd"), plainBuild,
		"build", "-overlay", overlay, "-pgo=off", "-ldflags=-s -w", "-o", path, "cmd/compile")
	if err != nil {
		return fmt.Errorf("the compiler adapted to cells does not build: %w", err)
	}
	return os.RemoveAll(dir)
}
