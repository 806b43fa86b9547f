package acceptance

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"

	"github.com/hierml/notebook/internal/testrun"
)

const modulePath = "github.com/hierml/notebook"

// publish puts the last commit into a folder that serves as a proxy of modules, as a version.
func publish(t *testing.T, proxy, version string) {
	t.Helper()
	dir := filepath.Join(proxy, filepath.FromSlash(modulePath), "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	file := func(ending string) string { return filepath.Join(dir, version+ending) }
	checkout := t.TempDir()
	archive := exec.Command("git", "archive", "-o", filepath.Join(checkout, "..", "commit.tar"), "HEAD")
	archive.Dir = root()
	for _, cmd := range []*exec.Cmd{archive, exec.Command("tar", "-xf", filepath.Join(checkout, "..", "commit.tar"), "-C", checkout)} {
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", cmd, err, out)
		}
	}
	packed, err := os.Create(file(".zip"))
	if err != nil {
		t.Fatal(err)
	}
	err = zip.CreateFromDir(packed, module.Version{Path: modulePath, Version: version}, checkout)
	if err := errors.Join(err, packed.Close()); err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root(), "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	info, err := json.Marshal(map[string]string{"Version": version})
	if err != nil {
		t.Fatal(err)
	}
	for path, content := range map[string][]byte{file(".mod"): mod, file(".info"): info, filepath.Join(dir, "list"): []byte(version + "\n")} {
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestModuleInstallation installs without a clone, from a proxy of modules in a folder.
func TestModuleInstallation(t *testing.T) {
	testrun.LeaveToLong(t, "all packages are compiled from another folder")
	// The go command keeps for ever which files a version of a module has.
	version := fmt.Sprintf("v0.0.1-acceptance.%d", time.Now().UnixNano())
	proxy, elsewhere := t.TempDir(), t.TempDir()
	publish(t, proxy, version)
	out, err := exec.Command("go", "env", "GOPROXY", "GOMODCACHE", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(out), "\n")
	others, modules, cache := lines[0], lines[1], lines[2]
	// Other modules are where they are; this one goes away again.
	t.Cleanup(func() {
		below := filepath.Join(modules, filepath.FromSlash(modulePath)+"@"+version)
		err := filepath.WalkDir(below, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.IsDir() {
				err = os.Chmod(path, 0o755)
			}
			return err
		})
		if err := errors.Join(err, os.RemoveAll(below), os.RemoveAll(filepath.Join(modules, "cache", "download", filepath.FromSlash(modulePath)))); err != nil {
			t.Error(err)
		}
	})
	prefix := filepath.Join(elsewhere, "prefix")
	run := func(words ...string) string {
		t.Helper()
		cmd := exec.Command(words[0], words[1:]...)
		cmd.Dir = elsewhere
		cmd.Env = append(os.Environ(), "GOPROXY=file://"+filepath.ToSlash(proxy)+","+others, "GONOSUMDB="+modulePath, "GOFLAGS=", "GOCACHE="+cache,
			"XDG_CACHE_HOME="+filepath.Join(elsewhere, "cache"))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%q: %v\n%s", words, err, out)
		}
		return string(out)
	}
	install := []string{"go", "run", modulePath + "/install@latest"}
	if said := run(append(install, "--prefix", prefix, "--no-jupyter")...); !strings.Contains(said, "by hierml notebook run") {
		t.Errorf("the tour did not run:\n%s", said)
	}
	if said := run(filepath.Join(prefix, "bin", "hierml"), "version"); !strings.HasPrefix(said, "hierml "+version+" go") {
		t.Errorf("hierml version prints %s", said)
	}
	checkExecuted(t, filepath.Join(prefix, "share", "hierml", "tour.ipynb"), 0)
	cell := filepath.Join(elsewhere, "cell.go")
	if err := os.WriteFile(cell, []byte(`fmt.Println("ran")`), 0o644); err != nil {
		t.Fatal(err)
	}
	if said := run(filepath.Join(prefix, "bin", "hierml"), "run", "--engine", "compiled", cell); !strings.Contains(said, "ran") {
		t.Errorf("a compiled cell prints %s", said)
	}
	run(append(install, "uninstall", "--prefix", prefix)...)
	if left, err := os.Stat(prefix); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("uninstall left %v", fmt.Sprint(left))
	}
}
