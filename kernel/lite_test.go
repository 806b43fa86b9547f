package main

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// TestLiteSays asks for sites that cannot be: what is missing is named, and what makes it.
func TestLiteSays(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	lesson := write(t, "lesson.ipynb", `{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}`)
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"build", "lessons"}, "hierml: lessons is not a folder\n"},
		{[]string{"build", "lesson.ipynb"}, "hierml: lesson.ipynb is not a folder\n"},
		{[]string{"build", "."}, "Run `go run ./install lite` in a clone of hierml"},
		{[]string{"serve", "."}, "hierml: . has no site"},
	} {
		if got := hierml(t, lesson, "", append([]string{"lite"}, c.args...)...); got.status != 1 || got.stdout != "" || !strings.Contains(got.stderr, c.says) {
			t.Errorf("lite %s: %+v, want %q", c.args, got, c.says)
		}
	}
}

// TestLiteServes asks a served site for a file, and ends it as Ctrl-C does.
func TestLiteServes(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), binary, "lite", "serve", ".")
	cmd.Dir = write(t, "jupyter-lite.json", "settings")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	address, _, _ := strings.Cut(line, " ")
	if err != nil || !strings.HasPrefix(address, "http://127.0.0.1:") {
		t.Fatalf("it says %q, %v", line, err)
	}
	answer, err := http.Get(address + "jupyter-lite.json")
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(answer.Body)
	if err = errors.Join(err, answer.Body.Close()); err != nil || string(text) != "settings" {
		t.Errorf("the site has %q, %v", text, err)
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 130 {
		t.Errorf("it ended with %v, not 130", err)
	}
}
