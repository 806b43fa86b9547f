//go:build unix

package python

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// stand is a program in Python's place. As Python does, it takes the module that it needs from the
// folder that it works in if that has one.
const stand = `#!/bin/sh
echo "$*" >> "$HIERML_TOLD"
[ ! -e json.py ] || sh ./json.py
case "$*" in
"-m venv "*)
	for last; do :; done
	mkdir -p "$last/bin" && cp "$0" "$last/bin/python" && : > "$last/pyvenv.cfg" ;;
*"list --json"*) echo '{"kernelspecs": {}}' ;;
*jupyterlab*) echo '{"executable": "'"$0"'", "version": [3, 12, 0], "packages": {"jupyterlab": "4", "nbclient": "0", "nbconvert": "7"}, "environments": true}' ;;
esac
`

// TestNothingOfSharedFoldersIsExecuted has a module of somebody else's in every folder that Python
// might be started in.
func TestNothingOfSharedFoldersIsExecuted(t *testing.T) {
	shared, told := t.TempDir(), filepath.Join(t.TempDir(), "told")
	planted := filepath.Join(shared, "executed")
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(t.TempDir(), "python3")
	write(program, stand)
	// The stand-in's shell reads it to exit, and Python what is not in quotes.
	write(filepath.Join(shared, "json.py"), "''':'\ntouch "+planted+"\nexit\n'''\nopen('"+planted+"', 'w').close()\n")
	t.Setenv("TMPDIR", shared)
	t.Setenv("HIERML_TOLD", told)
	t.Chdir(shared)

	commands := func() (n int) {
		t.Helper()
		text, err := os.ReadFile(told)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range text {
			if c == '\n' {
				n++
			}
		}
		return n
	}
	lock := Tests()
	for _, test := range []struct {
		name string
		run  func(ctx context.Context, i Interpreter) error
	}{
		{"Probe", func(ctx context.Context, i Interpreter) error {
			_, err := Probe(ctx, i.Path)
			return err
		}},
		{"Kernels", func(ctx context.Context, i Interpreter) error {
			_, err := Kernels(ctx, i, shared)
			return err
		}},
		{"Notebook", func(ctx context.Context, i Interpreter) error {
			n := Notebook{Source: filepath.Join(shared, "n.ipynb"), Data: shared, Output: filepath.Join(shared, "o.ipynb"), HTML: filepath.Join(shared, "o.html")}
			return n.Run(ctx, i, func(int, int) {})
		}},
		{"Environment", func(ctx context.Context, i Interpreter) error {
			_, err := Environment{Dir: filepath.Join(shared, "environment"), Lock: lock}.Make(ctx, i, func(int, string) {})
			return err
		}},
	} {
		before := 0
		if test.name != "Probe" {
			before = commands()
		}
		interpreter := Interpreter{Path: program, Version: [3]int{3, 12, 0}, Environments: true}
		if err := test.run(t.Context(), interpreter); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if commands() == before {
			t.Errorf("%s: Python was not started", test.name)
		}
		if err := os.Remove(planted); err == nil {
			t.Errorf("%s: json.py of a shared folder was executed", test.name)
		}
	}
	left, err := filepath.Glob(filepath.Join(shared, "hierml-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}

	path, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3: the same was not tried with Python itself")
	}
	if _, err := Probe(t.Context(), path); err != nil {
		t.Errorf("Probe with Python itself: %v", err)
	}
	if err := os.Remove(planted); err == nil {
		t.Error("Probe with Python itself: json.py of a shared folder was executed")
	}
}
