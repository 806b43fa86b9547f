package acceptance

import (
	"archive/zip"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hierml/notebook/install/internal/kernelspec"
	"github.com/hierml/notebook/install/internal/wine"
	"github.com/hierml/notebook/internal/testrun"
)

// TestWindows holds that the wheel for Windows, put where pip puts it there, has a program that
// runs in Wine, and that jupyter_client, from Linux, starts its kernel, runs cells, sees output in
// order and a plot, interrupts, restarts, and ends it, and that what cells have started ends with a
// kernel that is killed. See testdata/windows.py.
func TestWindows(t *testing.T) {
	testrun.LeaveToLong(t, "the program is built for Windows, and Wine is set up")
	interpreter := jupyter(t)
	if wine.Find() != nil {
		testrun.Need(t, "Wine", wine.Install(t.Context()))
	}
	testrun.Need(t, "Wine", wine.Find())
	dir := t.TempDir()
	made := filepath.Join(dir, "made")
	if err := distribute("wheel", "-o", made, "--system", "windows/amd64"); err != nil {
		t.Fatal(err)
	}
	wheel, err := single(filepath.Join(made, "hierml-*-win_amd64.whl"))
	if err != nil {
		t.Fatal(err)
	}
	prefix := filepath.Join(dir, "python")
	unpackAsOnWindows(t, wheel, prefix)
	system, err := wine.Make(t.Context(), filepath.Join(dir, "wine"))
	t.Cleanup(func() {
		if err := system.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	// The kernel is the wheel's, but for Wine before it.
	data := filepath.Join(prefix, "share", "jupyter")
	path := filepath.Join(kernelspec.Dir(data, kernelspec.DefaultName), "kernel.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var spec map[string]any
	if err := json.Unmarshal(text, &spec); err != nil {
		t.Fatal(err)
	}
	argv, _ := spec["argv"].([]any)
	spec["argv"], spec["env"] = append([]any{"wine"}, argv...), system.Environment()
	if text, err = json.Marshal(spec); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(interpreter.Path, "-c", script(t, "windows.py"))
	cmd.Env = seeing(data, dir)
	cmd.Env = append(cmd.Env, "JUPYTER_PATH="+data)
	said, err := os.Create(filepath.Join(dir, "said"))
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close()
	// No pipe: what Wine leaves in the background would be waited for.
	cmd.Stdout, cmd.Stderr = said, said
	err = cmd.Run()
	out, readErr := os.ReadFile(said.Name())
	if err != nil || readErr != nil || !strings.HasSuffix(strings.TrimSpace(string(out)), "all well") {
		t.Errorf("%v, %v\n%s", err, readErr, out)
	}
}

// unpackAsOnWindows puts the scripts and the data of a wheel where pip puts them on Windows, below
// the prefix of an environment.
func unpackAsOnWindows(t *testing.T, wheel, prefix string) {
	t.Helper()
	z, err := zip.OpenReader(wheel)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for _, f := range z.File {
		_, name, found := strings.Cut(f.Name, ".data/")
		if !found {
			continue
		}
		kind, name, _ := strings.Cut(name, "/")
		path := filepath.Join(prefix, map[string]string{"scripts": "Scripts"}[kind], filepath.FromSlash(name))
		content, err := fs.ReadFile(z, f.Name)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(path), 0o755)
		}
		if err == nil {
			err = os.WriteFile(path, content, f.Mode())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
