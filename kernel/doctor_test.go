package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDoctor looks at what is said of Jupyter's kernels and of the tool chain.
func TestDoctor(t *testing.T) {
	// Without a tool chain nothing is compiled for the test.
	t.Setenv("PATH", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for _, c := range []struct{ name, kernel, want string }{
		{"no kernel", "", "wrong  No kernel of Jupyter is this program; run `go run ./install`."},
		{"another program", `{"argv": ["/no/such/hierml", "kernel", "{connection_file}"]}`, "starts /no/such/hierml; run"},
		{"another kernel", `{"argv": ["python", "-m", "ipykernel"]}`, "wrong  No kernel of Jupyter is"},
		{"no JSON", `{"argv": [`, "wrong  No kernel of Jupyter is"},
		{"this program", `{"argv": ["` + program + `", "kernel", "{connection_file}"]}`, "ok     Jupyter's kernel go, in "},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			t.Setenv("JUPYTER_DATA_DIR", dir)
			if c.kernel != "" {
				spec := filepath.Join(dir, "kernels", "go")
				if err := os.MkdirAll(spec, 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(spec, "kernel.json"), []byte(c.kernel), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			got := hierml(t, dir, "", "doctor")
			for _, want := range []string{
				"ok     This is hierml ",
				"wrong  There is no Go tool chain on PATH",
				"ok     The process that runs cells starts, and interprets them.\n",
				"wrong  Cells cannot be compiled: ",
				c.want,
			} {
				if !strings.Contains(got.stdout, want) {
					t.Errorf("it says\n%swithout %q", got.stdout, want)
				}
			}
			if got.status != 1 || !strings.HasSuffix(got.stderr, " of 5 checks failed\n") {
				t.Errorf("status %d, %q", got.status, got.stderr)
			}
		})
	}
}
