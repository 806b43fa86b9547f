package acceptance

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hierml/notebook/install/internal/kernelspec"
	"github.com/hierml/notebook/install/internal/wine"
	"github.com/hierml/notebook/internal/testrun"
)

// TestWindows holds that the program for Windows runs in Wine, and that jupyter_client, from Linux, starts
// its kernel, runs cells, sees output in order and a plot, interrupts, restarts, and ends it, and that
// what cells have started ends with a kernel that is killed. See testdata/windows.py.
func TestWindows(t *testing.T) {
	testrun.LeaveToLong(t, "the program is built for Windows, and Wine is set up")
	interpreter := jupyter(t)
	if wine.Find() != nil {
		testrun.Need(t, "Wine", wine.Install(t.Context()))
	}
	testrun.Need(t, "Wine", wine.Find())
	dir := t.TempDir()
	program := filepath.Join(dir, "hierml.exe")
	build := exec.Command("go", "build", "-o", program, "./kernel")
	build.Dir = root()
	build.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	system, err := wine.Make(t.Context(), filepath.Join(dir, "wine"))
	t.Cleanup(func() {
		if err := system.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	// As Jupyter on Windows has it, but for Wine before it.
	data := filepath.Join(dir, "jupyter")
	folder := kernelspec.Dir(data, kernelspec.DefaultName)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	spec := map[string]any{
		"argv":           []string{"wine", program, "kernel", "{connection_file}"},
		"display_name":   kernelspec.DefaultDisplayName,
		"language":       kernelspec.Language,
		"interrupt_mode": "message",
		"env":            system.Environment(),
	}
	text, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "kernel.json"), text, 0o644); err != nil {
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
