package extract

import (
	"archive/zip"
	"bytes"
	"fmt"
	"go/format"
	"go/token"
	"go/types"
	"go/version"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/tools/go/gcexportdata"
)

// Releases are the Go releases with tables of the standard library, oldest first. The first is that
// of go.mod, with which all groups are generated. Each later one has a table of its additions to
// the previous one, and its own archives.
var Releases = []string{"go1.26", "go1.27"}

// Release returns the Go release of the running tool chain without its patch level: "go1.26".
func Release() string { return version.Lang(runtime.Version()) }

// A Layer is the additions of the standard library of one release to that of the previous release.
type Layer struct {
	// Release is the release, and Before the one before; Before is empty for the first.
	Release, Before string
}

// LayerOf returns the layer of a release.
func LayerOf(release string) (Layer, error) {
	i := slices.Index(Releases, release)
	if i < 0 {
		return Layer{}, fmt.Errorf("there are no tables of %s: add it to Releases in stdlib/internal/extract/releases.go, and run go generate ./stdlib with it", release)
	}
	if i == 0 {
		return Layer{Release: release}, nil
	}
	return Layer{Release: release, Before: Releases[i-1]}, nil
}

// File returns the name that a file of the first release has in the layer: "export-go1.27.zip".
func (l Layer) File(name string) string { return fileOf(l.Release, name) }

// FileBefore returns the name of the file in the layer before.
func (l Layer) FileBefore(name string) string { return fileOf(l.Before, name) }

func fileOf(release, name string) string {
	if release == Releases[0] {
		return name
	}
	base, extension, _ := strings.Cut(name, ".")
	return base + "-" + release + "." + extension
}

// Additions returns the Go files that list the symbols of packages that are new or different
// compared to those of the same path in before. The names of the files begin with prefix.
func (g *Group) Additions(l Layer, pkgs []*types.Package, before map[string]*types.Package) (prefix string, files map[string][]byte, err error) {
	suffix := strings.ReplaceAll(l.Release, ".", "")
	prefix = "z_" + suffix
	files = map[string][]byte{l.File(LaterFile): Later(pkgs, before)}
	for name, platform := range map[string]bool{prefix + ".go": false, prefix + "_" + runtime.GOOS + "_" + runtime.GOARCH + ".go": true} {
		var tables bytes.Buffer
		var identifiers []string
		literals := false
		w := newTableWriter(map[string]string{}, map[string]bool{"table": true, "token": true})
		for _, pkg := range pkgs {
			if slices.Contains(g.Platform, pkg.Path()) != platform {
				continue
			}
			names, err := g.different(pkg, before[pkg.Path()])
			if err != nil {
				return "", nil, err
			}
			if len(names) == 0 {
				continue
			}
			w.begin(pkg, "_"+suffix+"_"+g.underscored(pkg.Path())+"_")
			for _, name := range names {
				w.add(g, name)
			}
			identifier := g.identifier(pkg.Path()) + "Go" + strings.TrimPrefix(suffix, "go")
			w.table(&tables, identifier)
			identifiers = append(identifiers, "&"+identifier)
			literals = literals || w.literals.Len() > 0
		}
		if identifiers == nil {
			continue
		}
		var b bytes.Buffer
		fmt.Fprintf(&b, "%s//go:build %s\n\n", generated, l.Release)
		g.head(&b, w.imports, literals)
		fmt.Fprintf(&b, "func init() {\nadded = append(added, %s)\n}\n\n", strings.Join(identifiers, ", "))
		tables.WriteTo(&b) // a bytes.Buffer takes everything
		if files[name], err = format.Source(b.Bytes()); err != nil {
			return "", nil, err
		}
	}
	return prefix, files, nil
}

// LaterFile is the name of the file, in the group's folder, that lists the additions of a later
// release.
const LaterFile = "later.txt"

// Later lists the additions of packages compared to those of the same path in before, sorted: new
// packages by their paths, and exported names, methods and fields of others after the path of their
// package.
func Later(pkgs []*types.Package, before map[string]*types.Package) []byte {
	var lines []string
	for _, pkg := range pkgs {
		old := before[pkg.Path()]
		if old == nil {
			lines = append(lines, pkg.Path())
			continue
		}
		had := map[string]bool{}
		for _, name := range exported(old) {
			had[name] = true
		}
		for _, name := range exported(pkg) {
			if !had[name] {
				lines = append(lines, pkg.Path()+" "+name)
			}
		}
	}
	slices.Sort(lines)
	return []byte(strings.Join(lines, "\n") + "\n")
}

// exported returns the exported names of a package, and the methods and fields of its types after
// their names.
func exported(pkg *types.Package) (names []string) {
	for _, name := range pkg.Scope().Names() {
		obj, ok := pkg.Scope().Lookup(name).(*types.TypeName)
		if token.IsExported(name) {
			names = append(names, name)
		}
		if !token.IsExported(name) || !ok {
			continue
		}
		if s, ok := obj.Type().Underlying().(*types.Struct); ok {
			for f := range s.Fields() {
				if f.Exported() {
					names = append(names, name+"."+f.Name())
				}
			}
		}
		t := obj.Type()
		if !types.IsInterface(t) {
			t = types.NewPointer(t)
		}
		for m := range types.NewMethodSet(t).Methods() {
			if m.Obj().Exported() {
				names = append(names, name+"."+m.Obj().Name())
			}
		}
	}
	return names
}

// different returns the names for which the table of a package differs from that of before, which
// is nil if the package is new; a new package without symbols has all its names.
func (g *Group) different(pkg, before *types.Package) ([]string, error) {
	if before == nil {
		return pkg.Scope().Names(), nil
	}
	// Both must come from the same form of export data, which rounds floats.
	data, err := Export([]*types.Package{pkg})
	if err != nil {
		return nil, err
	}
	now, err := ReadArchive(data)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, name := range pkg.Scope().Names() {
		if g.text(now[pkg.Path()], name) != g.text(before, name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// text returns the text in the table of a package for a name, if the package has the name.
func (g *Group) text(pkg *types.Package, name string) string {
	w := newTableWriter(map[string]string{}, map[string]bool{})
	w.begin(pkg, "")
	if pkg.Scope().Lookup(name) != nil {
		w.add(g, name)
	}
	var b bytes.Buffer
	w.table(&b, "")
	return b.String()
}

// ReadArchive reads the packages of an archive of export data, by import path.
func ReadArchive(data []byte) (map[string]*types.Package, error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	packages := map[string]*types.Package{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		_, err = gcexportdata.Read(r, token.NewFileSet(), packages, f.Name)
		r.Close() // it cannot fail: the archive is in memory
		if err != nil {
			return nil, fmt.Errorf("export data of %s: %w", f.Name, err)
		}
	}
	return packages, nil
}
