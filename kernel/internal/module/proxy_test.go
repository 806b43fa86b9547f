package module

import (
	"archive/zip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	modzip "golang.org/x/mod/zip"
	"golang.org/x/tools/txtar"
)

// A proxyFile is a file of a module in the archive of the tests.
type proxyFile struct {
	path string
	data []byte
}

func (f proxyFile) Path() string                { return f.path }
func (f proxyFile) Lstat() (os.FileInfo, error) { return fileInfo(f), nil }
func (f proxyFile) Open() (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader(string(f.data))), nil
}

func fileInfo(f proxyFile) os.FileInfo {
	return (&zip.FileHeader{Name: f.path, UncompressedSize64: uint64(len(f.data))}).FileInfo()
}

// proxy writes a module proxy of testdata/proxy.txtar into a folder of its own and returns its
// address.
func proxy(t *testing.T) string {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/proxy.txtar")
	if err != nil {
		t.Fatal(err)
	}
	files := map[module.Version][]modzip.File{}
	mods := map[module.Version][]byte{}
	for _, f := range archive.Files {
		at := strings.LastIndex(f.Name, "@")
		version, name, _ := strings.Cut(f.Name[at+1:], "/")
		m := module.Version{Path: f.Name[:at], Version: version}
		files[m] = append(files[m], proxyFile{name, f.Data})
		if name == "go.mod" {
			mods[m] = f.Data
		}
	}
	root := t.TempDir()
	write := func(name string, data string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	versions := map[string][]string{}
	for m, list := range files {
		escaped, err := module.EscapePath(m.Path)
		if err != nil {
			t.Fatal(err)
		}
		base := filepath.Join(root, escaped, "@v", m.Version)
		write(base+".mod", string(mods[m]))
		write(base+".info", fmt.Sprintf(`{"Version":%q,"Time":"2026-01-01T00:00:00Z"}`, m.Version))
		var b strings.Builder
		if err := modzip.Create(&b, m, list); err != nil {
			t.Fatal(err)
		}
		write(base+".zip", b.String())
		dir := filepath.Dir(base)
		versions[dir] = append(versions[dir], m.Version)
	}
	for dir, list := range versions {
		slices.Sort(list)
		write(filepath.Join(dir, "list"), strings.Join(list, "\n")+"\n")
	}
	return "file://" + root
}
