package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hierml/notebook/install/internal/place"
)

// TestUninstallGoesOn is the attack on uninstall: what cannot be removed keeps nothing else from
// it, and is removed the next time, whatever is there then.
func TestUninstallGoesOn(t *testing.T) {
	dir := t.TempDir()
	places, r := installed(t, dir)
	// A page that cannot be read.
	page := r.Tour.HTML.Path
	if err := errors.Join(os.Remove(page), os.Mkdir(page, 0o755)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		var out bytes.Buffer
		if err := uninstall(&out, places); err == nil || !strings.Contains(err.Error(), page) {
			t.Errorf("uninstall: %v", err)
		}
		for _, path := range []string{r.Programs[0], r.Kernels[0], r.Python, r.Tour.Notebook.Path} {
			if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
	if err := os.Remove(page); err != nil {
		t.Fatal(err)
	}
	if err := uninstall(t.Output(), places); err != nil {
		t.Error(err)
	}
	if left := tree(t, dir); len(left) > 0 {
		t.Errorf("left %q", left)
	}
}

// TestUninstallMakesNothing is the attack on uninstall: it makes no folders to leave them, and
// needs none.
func TestUninstallMakesNothing(t *testing.T) {
	for name, prepare := range map[string]func(){
		"no cache": func() {},
		"a cache that cannot be made": func() {
			if err := os.WriteFile(os.Getenv("XDG_CACHE_HOME"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		},
	} {
		dir := t.TempDir()
		places, _ := installed(t, dir)
		prepare()
		elsewhere := filepath.Dir(os.Getenv("XDG_CACHE_HOME"))
		before := tree(t, elsewhere)
		var out bytes.Buffer
		if err := uninstall(&out, places); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if after := tree(t, elsewhere); strings.Join(before, " ") != strings.Join(after, " ") {
			t.Errorf("%s: there was %q, now there is %q", name, before, after)
		}
		if left := tree(t, dir); len(left) > 0 {
			t.Errorf("%s: left %q", name, left)
		}
	}
}

// TestUninstallNamesAll is the attack on uninstall: what is removed is named, and what stays.
func TestUninstallNamesAll(t *testing.T) {
	dir := t.TempDir()
	places, r := installed(t, dir)
	// GOBIN was another folder, the installation was killed, and the user has kept files.
	elsewhere := filepath.Join(dir, "go", "bin", programName())
	program, err := os.ReadFile(r.Programs[0])
	if err != nil {
		t.Fatal(err)
	}
	gone := []string{r.Programs[0] + newSuffix, r.Tour.HTML.Path + newSuffix, r.Python + "-environments/2/hierml-environment"}
	kept := []string{elsewhere, filepath.Join(place.Cache(), "data", "set"), filepath.Join(place.State(), "history.jsonl"), filepath.Join(places.Data, "mine.ipynb"), r.Python + "-environments/3/mine"}
	for _, path := range append(gone, kept...) {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, program, 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	r.addProgram(elsewhere)
	if err := r.save(); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := uninstall(&out, places); err != nil {
		t.Fatal(err)
	}
	for _, path := range append(gone, r.Programs[0], r.Python) {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", path, err)
		}
	}
	for _, path := range kept {
		if _, err := os.Lstat(path); err != nil {
			t.Error(err)
		}
	}
	for _, path := range []string{elsewhere, r.Python + "-environments/3", place.Cache(), place.State()} {
		if !strings.Contains(out.String(), "kept    "+path+": ") {
			t.Errorf("it does not say that it keeps %s", path)
		}
	}
	for _, path := range []string{r.Kernels[0], r.Programs[0], r.Python, r.Tour.Notebook.Path, r.path} {
		if !strings.Contains(out.String(), "removed "+path+"\n") {
			t.Errorf("it does not say that it has removed %s", path)
		}
	}
	if t.Failed() {
		t.Logf("it says\n%s", &out)
	}
	// What stays is what the user has put there, and its folders.
	want := "go go/bin go/bin/hierml share share/hierml share/hierml/mine.ipynb share/hierml/python-environments share/hierml/python-environments/3 share/hierml/python-environments/3/mine"
	if left := tree(t, dir); strings.Join(left, " ") != want {
		t.Errorf("left %q", left)
	}
}

// TestUninstallSeesLinks holds that an installation is removed by whatever path its prefix is
// named.
func TestUninstallSeesLinks(t *testing.T) {
	dir := t.TempDir()
	installed(t, filepath.Join(dir, "real"))
	if err := os.Symlink("real", filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	places, err := place.Prefix(filepath.Join(dir, "link"))
	if err != nil {
		t.Fatal(err)
	}
	if err := uninstall(t.Output(), places); err != nil {
		t.Fatal(err)
	}
	if left := tree(t, filepath.Join(dir, "real")); len(left) > 0 {
		t.Errorf("left %q", left)
	}
}
