package toolchain

import (
	"context"
	"encoding/json"
	"fmt"
	"go/version"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/hierml/notebook/internal/testrun"
)

// TestReleases holds that all patches fit the Go that runs the test and the releases that are
// supported. The long form adds the newest version of each release since, and its candidates, and
// builds the compiler and the linker of all. Tests of kits build those of the Go that runs them.
func TestReleases(t *testing.T) {
	own := ownToolchain(t)
	check := func(t *testing.T, tc toolchain) {
		for _, of := range []tool{compiler, linker} {
			if _, without, err := adapted(of, tc); err != nil || len(without) > 0 {
				t.Errorf("%s: %v, without %q", of.name, err, without)
			} else if tc.GOROOT != own.GOROOT && testrun.Long() {
				if _, err := of.build(t.Context(), tc, filepath.Join(t.TempDir(), "source"), filepath.Join(t.TempDir(), of.name)); err != nil {
					t.Error(err)
				}
			}
		}
	}
	t.Run(own.GOVERSION, func(t *testing.T) { check(t, own) })
	if !slices.ContainsFunc(Releases, func(v string) bool { return version.Lang(v) == version.Lang(own.GOVERSION) }) {
		t.Errorf("%s is no version of the supported releases, %q", own.GOVERSION, Releases)
	}
	versions, candidates := Releases, []string(nil)
	if testrun.Long() {
		versions, candidates = publishedReleases(t)
	}
	for _, v := range versions {
		if v == own.GOVERSION || !testrun.Long() && version.Lang(v) == version.Lang(own.GOVERSION) {
			continue
		}
		t.Run(v, func(t *testing.T) {
			tc, err := fetch(t.Context(), v)
			testrun.Need(t, "network", err)
			check(t, tc)
		})
	}
	for _, v := range candidates {
		t.Run(v, func(t *testing.T) {
			tc, err := fetch(t.Context(), v)
			if err != nil {
				t.Skipf("%s is not there, or cannot be fetched: %v", v, err)
			}
			check(t, tc)
		})
	}
}

// publishedReleases returns the newest version of each release since that of go.mod, and what
// candidates the release after them may have.
func publishedReleases(t *testing.T) (versions, candidates []string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-versions", "golang.org/toolchain").Output()
	if err != nil {
		t.Logf("the releases of Go cannot be listed, so only those that are supported are tried: %v", err)
		return Releases, nil
	}
	newest := map[string]string{} // by release
	for _, v := range append(strings.Fields(string(out)), Releases...) {
		v = strings.TrimPrefix(v, "v0.0.1-")
		v, _ = strings.CutSuffix(v, "."+runtime.GOOS+"-"+runtime.GOARCH)
		release := version.Lang(v)
		if version.IsValid(v) && version.Compare(v, Releases[0][:len("go1.26")]) >= 0 && version.Compare(v, newest[release]) > 0 {
			newest[release] = v
		}
	}
	versions = slices.SortedFunc(maps.Values(newest), version.Compare)
	next := fmt.Sprintf("go1.%d", minorOf(versions[len(versions)-1])+1)
	return versions, []string{next + "rc1", next + "rc2", next + "rc3", next + ".0"}
}

// fetch returns the tool chain of a version, which the go command downloads as a module.
func fetch(ctx context.Context, version string) (toolchain, error) {
	tc := toolchain{GOVERSION: version, command: "go", env: os.Environ()}
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", "golang.org/toolchain@v0.0.1-"+version+"."+runtime.GOOS+"-"+runtime.GOARCH)
	out, err := cmd.Output()
	var module struct{ Dir, Error string }
	if decodeErr := json.Unmarshal(out, &module); decodeErr != nil {
		return tc, fmt.Errorf("go mod download: %w, %w", err, decodeErr)
	}
	tc.GOROOT = module.Dir
	if module.Error != "" {
		return tc, fmt.Errorf("go mod download: %s", module.Error)
	}
	return tc, err
}

// unknownGo puts a go command first on PATH, with a source of the compiler that a required patch
// does not fit. Asked for the newest supported version, the command runs the given line of shell.
func unknownGo(t *testing.T, newest string) {
	t.Helper()
	own := ownToolchain(t)
	misfit := copySource(t, compiler, own)
	file := filepath.Join(misfit.GOROOT, "src", "cmd", "compile", "internal", "types2", "predicates.go")
	if err := os.WriteFile(file, []byte("package types2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	command, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	script := fmt.Sprintf(`#!/bin/sh
if [ "$GOTOOLCHAIN" = %s ]; then
	%s
elif [ "$1" = env ]; then
	%[3]s "$@" | sed 's,"GOROOT": ".*","GOROOT": "%[4]s",'
else
	exec %[3]s "$@"
fi
`, Newest(), newest, command, misfit.GOROOT)
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// TestChoose holds that a program is built with the Go that is there, or, if it cannot be adapted,
// with the newest supported one, and that it is said if that cannot be fetched.
func TestChoose(t *testing.T) {
	own := ownToolchain(t)
	choice, err := Choose(t.Context(), ".")
	if err != nil || choice.Misfit != nil || choice.Version != own.GOVERSION {
		t.Errorf("the Go that is there: %+v, %v", choice, err)
	}
	const misfit = `cannot be adapted to cells: patch compile/onepackage does not fit src/cmd/compile/internal/types2/predicates.go, in `
	t.Run("fetched", func(t *testing.T) {
		newest, err := fetch(t.Context(), Newest())
		testrun.Need(t, "network", err)
		unknownGo(t, fmt.Sprintf(`echo '{"GOROOT": "%s", "GOVERSION": "%s"}'`, newest.GOROOT, Newest()))
		choice, err := Choose(t.Context(), ".")
		if err != nil || choice.Version != Newest() || choice.Misfit == nil || !strings.Contains(choice.Misfit.Error(), misfit) {
			t.Errorf("%+v, %v", choice, err)
		}
	})
	t.Run("without a network", func(t *testing.T) {
		unknownGo(t, `echo 'no route to host' >&2; exit 1`)
		_, err := Choose(t.Context(), ".")
		if err == nil || !strings.Contains(err.Error(), misfit) || !strings.Contains(err.Error(), goName(Newest())+" can be adapted, but the go command cannot fetch it: go: no route to host") {
			t.Errorf("%v", err)
		}
	})
}

// TestOpenWithUnknownGo holds that a kit for a program of a Go that cannot be adapted is an error
// that names the command which helps.
func TestOpenWithUnknownGo(t *testing.T) {
	h := open(t, false)
	newCache(t)
	unknownGo(t, "exit 1")
	_, err := Open(t.Context(), Settings{Program: h.file, Root: root(t)})
	want := "; run `go run ./install` again in " + root(t) + ", with a network: that fetches " + goName(Newest()) + " to build this program"
	if err == nil || !strings.Contains(err.Error(), "patch compile/onepackage does not fit") || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("got %v", err)
	}
}

// TestOpenWithoutPatch holds that a kit is made without patches for speed that do not fit, that it
// builds cells, and that it says what they cost.
func TestOpenWithoutPatch(t *testing.T) {
	h := open(t, false)
	newCache(t)
	files := fstest.MapFS{}
	err := fs.WalkDir(embedded, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(embedded, name)
		p, _ := parsePatch(string(text)) // of the README, nothing
		if err == nil && !p.required && len(p.changes) > 0 {
			text = []byte(strings.Replace(string(text), "\n--- a/", "\n--- a/src/none.go\n+++ b/src/none.go\n@@ -1,1 +1,1 @@\n-a\n+b\n--- a/", 1))
		}
		files[name] = &fstest.MapFile{Data: text}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	patchFiles = files
	defer func() { patchFiles = embedded }()
	k, err := Open(t.Context(), Settings{Program: h.file, Root: root(t)})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"compile/host", "link/imports", "link/part", "link/object"} {
		if k.has(name) || !strings.Contains(k.Slow(), name) {
			t.Errorf("the kit has %s, or does not say that it lacks it: %s", name, k.Slow())
		}
	}
	if k.info.Seconds == 0 || !strings.Contains(k.Slow(), fmt.Sprintf("so a cell takes %.2f s to build", k.info.Seconds)) {
		t.Errorf("%s", k.Slow())
	}
	if h.kit.Slow() != "" {
		t.Errorf("the kit with all patches: %s", h.kit.Slow())
	}
}
