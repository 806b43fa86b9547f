package stdlib

import (
	"archive/zip"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/internal/testrun"
	"github.com/hierml/notebook/stdlib/internal/extract"
	"github.com/hierml/notebook/stdlib/internal/std"
)

// TestGeneratedFilesAreCurrent compares what is in the repository with what the packages export
// now.
func TestGeneratedFilesAreCurrent(t *testing.T) {
	_, err := exec.LookPath("go")
	testrun.Need(t, "go", err)
	for _, g := range extract.Groups {
		t.Run(g.Name, func(t *testing.T) {
			t.Parallel()
			layer, err := extract.LayerOf(extract.Release())
			if err != nil {
				t.Fatal(err)
			}
			pkgs, err := g.Load(t.Context(), ".", nil)
			if err != nil {
				t.Fatal(err)
			}
			if g.Name == "std" && layer.Before != "" {
				checkAdditions(t, g, layer, pkgs)
			} else {
				checkTables(t, g, pkgs)
			}
			checkExport(t, pkgs)
			checkDocs(t, g, pkgs)
		})
	}
}

func checkTables(t *testing.T, g extract.Group, pkgs []*types.Package) {
	files, err := g.Tables(pkgs)
	if err != nil {
		t.Fatal(err)
	}
	checkFiles(t, g, files, "z_*_table.go")
}

// checkAdditions is checkTables for what a later release of Go than that of go.mod adds.
func checkAdditions(t *testing.T, g extract.Group, layer extract.Layer, pkgs []*types.Package) {
	data, err := os.ReadFile(filepath.Join(filepath.FromSlash(g.Dir()), layer.FileBefore(extract.Archive)))
	if err != nil {
		t.Fatal(err)
	}
	before, err := extract.ReadArchive(data)
	if err != nil {
		t.Fatal(err)
	}
	prefix, files, err := g.Additions(layer, pkgs, before)
	if err != nil {
		t.Fatal(err)
	}
	checkFiles(t, g, files, prefix+"*.go")
}

// checkFiles compares the files of tables with those in the group's folder, whose names match
// pattern.
func checkFiles(t *testing.T, g extract.Group, files map[string][]byte, pattern string) {
	dir := filepath.FromSlash(g.Dir())
	have, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range have {
		if _, ok := files[filepath.Base(name)]; !ok {
			t.Errorf("%s is left over from a package that is gone: run go generate ./stdlib", name)
		}
	}
	for name, want := range files {
		name = filepath.Join(dir, name)
		if got, err := os.ReadFile(name); err != nil {
			t.Errorf("%v: run go generate ./stdlib", err)
		} else if string(got) != string(want) {
			t.Errorf("%s is out of date: run go generate ./stdlib", name)
		}
	}
}

func checkExport(t *testing.T, pkgs []*types.Package) {
	for _, pkg := range pkgs {
		embedded, err := Importer.Import(pkg.Path())
		if err != nil {
			t.Error(err)
			continue
		}
		got, want := extract.API(embedded), extract.API(pkg)
		if slices.Equal(got, want) {
			continue
		}
		difference := append(without(want, got, "missing"), without(got, want, "gone")...)
		t.Errorf("the export data of %s are out of date: run go generate ./stdlib\n\t%s",
			pkg.Path(), strings.Join(difference[:min(len(difference), 10)], "\n\t"))
	}
}

// checkDocs compares the comments with those in the sources; of the standard library only what has
// one, if the sources are those of another patch release.
func checkDocs(t *testing.T, g extract.Group, pkgs []*types.Package) {
	now, err := g.Docs(t.Context(), ".", pkgs)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range now {
		got, err := Importer.(*archiveImporter).docs.of(path)
		if err != nil {
			t.Error(err)
			continue
		}
		if g.Name == "std" && docsRelease(t) != runtime.Version() {
			want, got = blanked(want), blanked(got)
		}
		if !maps.Equal(got, want) {
			t.Errorf("the documentation of %s is out of date: run go generate ./stdlib", path)
		}
	}
}

// docsRelease returns the Go release that the documentation of the standard library is of.
func docsRelease(t *testing.T) string {
	t.Helper()
	z, err := zip.NewReader(strings.NewReader(std.Docs), int64(len(std.Docs)))
	if err != nil {
		t.Fatal(err)
	}
	return z.Comment
}

func blanked(docs map[string]string) map[string]string {
	names := map[string]string{}
	for name := range docs {
		names[name] = ""
	}
	return names
}

// without returns the lines of a that b, sorted, does not have.
func without(a, b []string, label string) []string {
	var lines []string
	for _, line := range a {
		if _, ok := slices.BinarySearch(b, line); !ok {
			lines = append(lines, label+": "+line)
		}
	}
	return lines
}
