package testfault

import (
	"os"
	"path/filepath"
	"testing"
)

// Copy returns a copy of the test binary, which its process may replace.
func Copy(t *testing.T) string {
	t.Helper()
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(own)
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(program, content, 0o700); err != nil {
		t.Fatal(err)
	}
	return program
}

// Replace replaces the program file of this process, as an upgrade does.
func Replace() error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	if err := os.Remove(program); err != nil {
		return err
	}
	return os.WriteFile(program, []byte("#!/bin/sh\necho another program\n"), 0o700)
}
