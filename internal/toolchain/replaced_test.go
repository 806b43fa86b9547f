package toolchain

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

const replacedVariable = "HIERML_TEST_REPLACED"

// runReplaced returns the build of the program that a kit is looked for, or why there can be none, once
// the program's file is another one.
func runReplaced() (id string, err error) {
	file, err := os.Executable()
	if err != nil {
		return "", err
	}
	if err := os.Remove(file); err != nil {
		return "", err
	}
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"), 0o700); err != nil {
		return "", err
	}
	p, _, k, err := find(Settings{})
	if k == nil {
		return "", err
	}
	return p.id, nil // that there is no kit is well
}

// TestReplacedProgram is a part of the finding worker_program_replaced: after an upgrade, a kernel
// that runs has the kit of its own build.
func TestReplacedProgram(t *testing.T) {
	own, cannot := readProgram(os.Args[0]) // a test is mostly built without what programs need that load cells
	content, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(file, content, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(file)
	cmd.Env = append(os.Environ(), replacedVariable+"=1", "XDG_CACHE_HOME="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if want := fmt.Sprintln(own.id, cannot); err != nil || string(out) != want {
		t.Errorf("got %s, %v, want %s", out, err, want)
	}
}
