package main

import (
	"path/filepath"
	"slices"
	"testing"
)

func TestPackagesOf(t *testing.T) {
	root := t.TempDir()
	var all []goPackage
	for _, name := range []string{"a", "a/b", "c"} {
		all = append(all, goPackage{ImportPath: "m/" + name, Dir: filepath.Join(root, filepath.FromSlash(name))})
	}
	got := packagesOf(all, root, []string{"a/b/testdata/x/y.txt", "a/z.go", "a/b/b.go", "README.md", "notebooks/n.ipynb"})
	if want := []string{"m/a", "m/a/b"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestImporters(t *testing.T) {
	all := []goPackage{
		{ImportPath: "m/a"},
		{ImportPath: "m/b", Imports: []string{"fmt", "m/a"}},
		{ImportPath: "m/c", Imports: []string{"m/b"}},
		{ImportPath: "m/d", TestImports: []string{"m/a"}},
		{ImportPath: "m/e", XTestImports: []string{"m/a"}},
	}
	if got, want := importers(all, []string{"m/a"}), []string{"m/b", "m/d", "m/e"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
