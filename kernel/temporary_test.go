package main

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestKilledLeavesNothing is the attack worker_temp_left: what a killed program has left is gone
// when the next one has run.
func TestKilledLeavesNothing(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no lock says there whether a process lives")
	}
	t.Setenv("TMPDIR", t.TempDir())
	dir := write(t, "one.go", "fmt.Println(1 + 1)\n")
	// As of a process that has ended, with what kernels write.
	left := filepath.Join(os.TempDir(), "hierml-process-1")
	for _, name := range []string{"lock", "modules-1/go.mod", "output-1.txt", "variables-1/variables", "pictures-1/1-1.png"} {
		path := filepath.Join(left, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got := hierml(t, dir, "", "run", "--engine", "interpreted", "one.go")
	if got.status != 0 || got.stdout != "2\n" {
		t.Errorf("%+v", got)
	}
	if _, err := os.Lstat(left); err == nil {
		t.Errorf("%s is still there", left)
	}
	if entries, err := os.ReadDir(os.TempDir()); err != nil || len(entries) > 0 {
		t.Errorf("left: %v, %v", entries, err)
	}
}
