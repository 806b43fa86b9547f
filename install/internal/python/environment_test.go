//go:build unix

package python

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/internal/lock"
)

// standInterpreter is a program in Python's place, which makes environments and cannot install
// anything while FAIL is a file beside it.
func standInterpreter(t *testing.T) (i Interpreter, fail string) {
	t.Helper()
	t.Setenv("HIERML_TOLD", filepath.Join(t.TempDir(), "told"))
	path := filepath.Join(t.TempDir(), "python3")
	fail = filepath.Join(filepath.Dir(path), "FAIL")
	text := strings.Replace(stand, "case", "case \"$*\" in *' pip install '*) [ ! -e '"+fail+"' ] || exit 1 ;; esac\ncase", 1)
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return Interpreter{Path: path, Version: [3]int{3, 12, 0}, Environments: true}, fail
}

// environments lists the names of what is where environments are.
func environments(t *testing.T, e Environment) string {
	t.Helper()
	entries, err := os.ReadDir(e.Folders())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return strings.Join(names, " ")
}

// TestFailedUpgrade is the attack install_failed_upgrade: what worked works until another is ready.
func TestFailedUpgrade(t *testing.T) {
	base, fail := standInterpreter(t)
	for _, test := range []struct {
		name string
		// before makes the environment that is to be replaced.
		before func(ctx context.Context, e Environment) error
		// first is what is in the folders then, after a failure, and when it was replaced.
		first, failed, replaced, tidied string
	}{
		{"of a link", func(ctx context.Context, e Environment) error {
			_, err := e.Make(ctx, base, func(int, string) {})
			return err
		}, "1 lock", "1 lock", "1 2 lock", "2 lock"},
		{"of an earlier version", func(ctx context.Context, e Environment) error {
			return e.fill(ctx, base, func(int, string) {})
		}, "", "lock", "1 2 lock", "1 lock"},
	} {
		t.Run(test.name, func(t *testing.T) {
			old := Environment{filepath.Join(t.TempDir(), "a python"), Jupyter()}
			if err := test.before(t.Context(), old); err != nil {
				t.Fatal(err)
			}
			if _, err := old.Open(t.Context()); err != nil {
				t.Fatal(err)
			}
			check := func(when, want string) {
				t.Helper()
				if got := environments(t, old); got != want {
					t.Errorf("%s there is %q, want %q", when, got, want)
				}
				found, err := old.Works(t.Context())
				if err != nil || found.Path != old.Python() {
					t.Errorf("%s: the environment is %q, %v", when, found.Path, err)
				}
			}
			check("at first", test.first)
			upgraded := Environment{old.Dir, Tests()}
			if err := os.WriteFile(fail, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := upgraded.Make(t.Context(), base, func(int, string) {}); err == nil || !strings.Contains(err.Error(), "pip could not install") {
				t.Errorf("Make: %v", err)
			}
			check("after a failure", test.failed)
			if _, err := old.Open(t.Context()); err != nil {
				t.Error(err)
			}
			if err := os.Remove(fail); err != nil {
				t.Fatal(err)
			}
			making, err := lock.Alone(filepath.Join(old.Folders(), "lock"))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := upgraded.Make(t.Context(), base, func(int, string) {}); err == nil || !strings.Contains(err.Error(), "another process makes an environment") {
				t.Errorf("Make, while another does the same: %v", err)
			}
			if err := errors.Join(upgraded.Tidy(), making.Release()); err != nil {
				t.Error(err)
			}
			check("after two at once", test.failed)
			if _, err := upgraded.Make(t.Context(), base, func(int, string) {}); err != nil {
				t.Fatal(err)
			}
			check("when it was replaced", test.replaced)
			if _, err := upgraded.Open(t.Context()); err != nil {
				t.Error(err)
			}
			// What was killed while it made another is tidied up, too.
			if _, err := old.newFolder(); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(filepath.Join(old.Folders(), "5"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := upgraded.Tidy(); err != nil {
				t.Error(err)
			}
			check("tidied up", test.tidied)
			if _, err := upgraded.Open(t.Context()); err != nil {
				t.Error(err)
			}
			if _, kept, err := upgraded.Remove(); err != nil || len(kept) > 0 {
				t.Errorf("Remove keeps %q, %v", kept, err)
			}
			if left, err := os.ReadDir(filepath.Dir(old.Dir)); err != nil || len(left) > 0 {
				t.Errorf("left: %v, %v", left, err)
			}
		})
	}
}

// TestSettings tests that JupyterLab in a private environment finds the settings, which it reads as
// JSON and by the names of its plugins.
func TestSettings(t *testing.T) {
	base, _ := standInterpreter(t)
	e := Environment{filepath.Join(t.TempDir(), "python"), Jupyter()}
	if _, err := e.Make(t.Context(), base, func(int, string) {}); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]map[string]map[string]any{
		"share/jupyter/lab/settings/overrides.d/hierml.json": {
			"@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": false},
			"@jupyterlab/notebook-extension:tracker":      {"autoStartDefaultKernel": true},
		},
		"etc/jupyter/jupyter_server_config.json": {"MultiKernelManager": {"default_kernel_name": "hierml"}},
	} {
		text, err := os.ReadFile(filepath.Join(e.Dir, file))
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]map[string]any
		if err := json.Unmarshal(text, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s has %v, %v; want %v", file, got, err, want)
		}
	}
}

// TestPythonBehindLink holds of Python itself what Environment rests on: an environment works
// behind a link, with its scripts, and so does the next one when the link leads there.
func TestPythonBehindLink(t *testing.T) {
	base, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3: nothing was tried with Python itself")
	}
	e := Environment{Dir: filepath.Join(t.TempDir(), "python")}
	if err := os.Mkdir(e.Folders(), 0o755); err != nil {
		t.Fatal(err)
	}
	const script = "import sys, os; print(sys.executable, sys.prefix, os.path.basename(os.path.realpath(sys.prefix)), sys.prefix != sys.base_prefix)"
	for _, n := range []string{"1", "2"} {
		folder := filepath.Join(e.Folders(), n)
		if out, err := exec.Command(base, "-m", "venv", "--without-pip", folder).CombinedOutput(); err != nil {
			t.Skipf("python3 -m venv: %v\n%s", err, out)
		}
		// Scripts name the interpreter by its path.
		text := "#!" + filepath.Join(folder, "bin", "python") + "\n" + script + "\n"
		if err := os.WriteFile(filepath.Join(folder, "bin", "script"), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := e.use(folder); err != nil {
			t.Fatal(err)
		}
		for command, want := range map[*exec.Cmd][]string{
			exec.Command(e.Python(), "-c", script):              {e.Python(), e.Dir, n, "True"},
			exec.Command(filepath.Join(e.Dir, "bin", "script")): {filepath.Join(folder, "bin", "python"), folder, n, "True"},
		} {
			out, err := command.CombinedOutput()
			if got := strings.Fields(string(out)); err != nil || !slices.Equal(got, want) {
				t.Errorf("%s prints %q, %v, want %q", command, got, err, want)
			}
		}
	}
}
