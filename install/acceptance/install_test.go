package acceptance

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/install/internal/python"
	"github.com/hierml/notebook/internal/toolchain"
)

// goRun runs the installation command with the tests' Jupyter on PATH and returns what it printed.
func goRun(t *testing.T, args ...string) string {
	t.Helper()
	return installs(t, append([]string{"go", "run", "./install"}, args...)...)
}

// installs is goRun with all of the command.
func installs(t *testing.T, command ...string) string {
	t.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir = root()
	beside := filepath.Dir(jupyter(t).Path)
	cmd.Env = append(os.Environ(), "PATH="+beside+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%q: %v\n%s", command, err, out)
	}
	return string(out)
}

// setCache gives a test a cache folder of its own, but for the cache of the go command: to compile
// the standard library and all packages again takes minutes.
func setCache(t *testing.T, dir string) {
	t.Helper()
	gocache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOCACHE", strings.TrimSpace(string(gocache)))
	t.Setenv("XDG_CACHE_HOME", dir)
}

// TestInstallation installs, installs again and uninstalls, with Jupyter and without. What compiles
// cells is in a cache of its own: uninstalling removes it, and other tests use theirs meanwhile.
func TestInstallation(t *testing.T) {
	jupyter(t)
	setCache(t, t.TempDir())
	var inUse *toolchain.Builder
	tests := []struct {
		name, by string
		flags    []string
		cells    int // that run, all if it is 0
	}{
		{"with Jupyter", "by Jupyter (nbclient", nil, 9},
		{"without Jupyter", "by hierml notebook run", []string{"--no-jupyter"}, 0},
	}
	for i, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			prefix := filepath.Join(t.TempDir(), "a prefix")
			flags := append([]string{"--prefix", prefix}, test.flags...)
			out := goRun(t, flags...)
			if !strings.Contains(out, test.by) {
				t.Errorf("the tour did not run %s:\n%s", test.by, out)
			}
			_, summary, _ := strings.Cut(out, "\n\n")
			if lines := strings.Count(summary, "\n"); lines > 10 {
				t.Errorf("the end has %d lines, want at most 10:\n%s", lines, summary)
			}
			data := filepath.Join(prefix, "share", "hierml")
			checkExecuted(t, filepath.Join(data, "tour.ipynb"), test.cells)
			if page, err := os.ReadFile(filepath.Join(data, "tour.html")); err != nil || !strings.Contains(string(page), "</html>") {
				t.Errorf("the page is no page: %d bytes, %v", len(page), err)
			}
			kernels, err := python.Kernels(t.Context(), jupyter(t), filepath.Join(prefix, "share", "jupyter"))
			if want := filepath.Join(prefix, "share", "jupyter", "kernels", "hierml"); err != nil || kernels["hierml"] != want {
				t.Errorf("jupyter kernelspec list shows %q, %v, want %q", kernels, err, want)
			}

			before, written := files(t, prefix), made(t)
			goRun(t, flags...)
			for path, info := range made(t) {
				if !os.SameFile(written[path], info) {
					t.Errorf("the second run made %s again", path)
				}
			}
			if after := files(t, prefix); !slices.Equal(before, after) {
				t.Errorf("after the second run there is\n%q, before it was\n%q", after, before)
			}

			// What is in use stays, and is there for the next installation.
			if i == 0 {
				kit, err := toolchain.Open(t.Context(), toolchain.Settings{Program: filepath.Join(prefix, "bin", "hierml"), Root: root()})
				if err != nil {
					t.Fatal(err)
				}
				if inUse, err = kit.NewBuilder(); err != nil {
					t.Fatal(err)
				}
			} else if inUse != nil {
				if err := inUse.Close(); err != nil {
					t.Error(err)
				}
			}
			goRun(t, "uninstall", "--prefix", prefix)
			kits, err := filepath.Glob(filepath.Join(os.Getenv("XDG_CACHE_HOME"), "hierml", "compiled", "*", "kit.json"))
			if left := len(kits) > 0; err != nil || left != (i == 0) {
				t.Errorf("what compiles cells is there after uninstalling: %v, %v", left, err)
			}
			if _, err := os.Stat(prefix); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("uninstall left %q", files(t, prefix))
			}
		})
	}
}

// TestInstallationUnderUmask holds that nobody else can write to anything of an installation whose
// umask would let all.
func TestInstallationUnderUmask(t *testing.T) {
	dir := t.TempDir()
	setCache(t, filepath.Join(dir, "cache"))
	prefix := filepath.Join(dir, "prefix")
	// The installer sets another umask for itself and the go command that it runs; that which
	// builds the installer would let all write to its cache.
	command := filepath.Join(dir, "install")
	installs(t, "go", "build", "-o", command, "./install")
	installs(t, "sh", "-c", `umask 000 && exec "$@"`, "sh", command, "--prefix", prefix, "--no-jupyter")
	for _, path := range files(t, dir) {
		info, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode()&fs.ModeSymlink == 0 && info.Mode()&0o022 != 0 {
			t.Errorf("%s has the mode %v", path, info.Mode())
		}
	}
	installs(t, command, "uninstall", "--prefix", prefix)
}

// files lists what is under dir.
func files(t *testing.T, dir string) []string {
	t.Helper()
	var paths []string
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		paths = append(paths, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// made returns the large files of what compiles cells. Some are links to files of the Go command's
// cache, which sets their times anew when they are an hour old and it uses them.
func made(t *testing.T) map[string]fs.FileInfo {
	t.Helper()
	const large = 1 << 20
	made := map[string]fs.FileInfo{}
	for _, path := range files(t, os.Getenv("XDG_CACHE_HOME")) {
		info, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().IsRegular() && info.Size() > large {
			made[path] = info
		}
	}
	if len(made) == 0 {
		t.Fatal("nothing that compiles cells was made")
	}
	return made
}

// checkExecuted checks that the first code cells of a notebook ran, all of them if their number is
// 0, that no cell has an error, and that there are pictures.
func checkExecuted(t *testing.T, path string, cells int) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var notebook struct {
		Cells []struct {
			Type    string `json:"cell_type"`
			Count   *int   `json:"execution_count"`
			Outputs []struct {
				Type string                     `json:"output_type"`
				Data map[string]json.RawMessage `json:"data"`
			} `json:"outputs"`
		} `json:"cells"`
	}
	if err := json.Unmarshal(content, &notebook); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	pictures, code := 0, 0
	for i, cell := range notebook.Cells {
		if cell.Type != "code" {
			continue
		}
		code++
		if ran := cell.Count != nil; ran != (cells == 0 || code <= cells) {
			t.Errorf("cell %d ran: %v", i+1, ran)
		}
		for _, output := range cell.Outputs {
			if output.Type == "error" {
				t.Errorf("cell %d ended with an error", i+1)
			}
			if output.Data["image/png"] != nil || output.Data["image/svg+xml"] != nil {
				pictures++
			}
		}
	}
	if pictures < plots {
		t.Errorf("%d pictures, want at least %d", pictures, plots)
	}
}
