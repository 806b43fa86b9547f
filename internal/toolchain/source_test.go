package toolchain

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/internal/beside"
)

// trimmed is a program that does not know where its sources are.
var trimmed = program{info: &debug.BuildInfo{GoVersion: "go1.26.8", Settings: []debug.BuildSetting{{Key: "-trimpath", Value: "true"}}}}

func TestFindSource(t *testing.T) {
	if _, err := trimmed.findSource(Settings{}); err == nil || !strings.HasPrefix(err.Error(), "this program was built with -trimpath") {
		t.Errorf("trimmed paths: got %v", err)
	}
	want := root(t)
	for _, given := range []string{"", want} {
		if got, err := (program{info: &debug.BuildInfo{}}).findSource(Settings{Root: given}); got.root != want || err != nil {
			t.Errorf("%q: got %s, %v", given, got.root, err)
		}
	}
}

// A program that came with its sources takes the Go that it was built by; one that was built where
// it is does not look at what lies beside it.
func TestFindSourceBesideProgram(t *testing.T) {
	file := filepath.Join(t.TempDir(), "bin", "hierml")
	archive := filepath.Join(filepath.Dir(filepath.Dir(file)), "share", "hierml", beside.Source)
	for _, path := range []string{file, archive} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	src, err := trimmed.findSource(Settings{Program: file})
	if err != nil || src.root != "" || filepath.Base(src.archive) != beside.Source || !slices.Contains(src.settings, "GOTOOLCHAIN=go1.26.8") {
		t.Errorf("got %+v, %v", src, err)
	}
	if src, err := (program{info: &debug.BuildInfo{}}).findSource(Settings{Program: file}); err != nil || src.root != root(t) {
		t.Errorf("built here: got %+v, %v", src, err)
	}
}

func TestUnpack(t *testing.T) {
	type entry struct {
		name string
		kind byte
	}
	for _, test := range []struct {
		name    string
		entries []entry
		cut     int
		fails   bool
	}{
		{name: "files", entries: []entry{{"go.mod", tar.TypeReg}, {"a/b/c.go", tar.TypeReg}}},
		{name: "out of the folder", entries: []entry{{"../evil", tar.TypeReg}}, fails: true},
		{name: "absolute", entries: []entry{{"/evil", tar.TypeReg}}, fails: true},
		{name: "a link", entries: []entry{{"link", tar.TypeSymlink}}, fails: true},
		{name: "twice", entries: []entry{{"a", tar.TypeReg}, {"a", tar.TypeReg}}, fails: true},
		{name: "cut off", entries: []entry{{"a", tar.TypeReg}}, cut: 10, fails: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			archive := filepath.Join(dir, beside.Source)
			f, err := os.Create(archive)
			if err != nil {
				t.Fatal(err)
			}
			z := gzip.NewWriter(f)
			files := tar.NewWriter(z)
			for _, e := range test.entries {
				header := &tar.Header{Name: e.name, Typeflag: e.kind, Mode: 0o644}
				if e.kind == tar.TypeReg {
					header.Size = int64(len(e.name))
				}
				err := files.WriteHeader(header)
				if e.kind == tar.TypeReg {
					_, writeErr := files.Write([]byte(e.name))
					err = errors.Join(err, writeErr)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if err := errors.Join(files.Close(), z.Close(), f.Close()); err != nil {
				t.Fatal(err)
			}
			if info, err := os.Stat(archive); err != nil || os.Truncate(archive, info.Size()-int64(test.cut)) != nil {
				t.Fatal(err)
			}
			into := filepath.Join(dir, "into")
			err = unpack(archive, into)
			if failed := err != nil; failed != test.fails {
				t.Fatalf("got %v", err)
			}
			if _, err := os.Lstat(filepath.Join(dir, "evil")); err == nil {
				t.Error("a file was written outside")
			}
			for _, e := range test.entries {
				if test.fails {
					break
				}
				if text, err := os.ReadFile(filepath.Join(into, e.name)); err != nil || string(text) != e.name {
					t.Errorf("%s has %q, %v", e.name, text, err)
				}
			}
		})
	}
}
