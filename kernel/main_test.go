package main

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hierml/notebook/internal/testprogram"
)

// binary is the path of the program, which TestMain opens.
var binary string

func TestMain(m *testing.M) {
	p, err := testprogram.Get(false)
	if err != nil {
		panic(err)
	}
	binary = p.File
	os.Exit(testprogram.Run(m))
}

// A result is how a run of the program ended.
type result struct {
	stdout, stderr string
	status         int
}

// hierml runs the program in a folder.
func hierml(t *testing.T, dir, stdin string, args ...string) result {
	t.Helper()
	ended, _ := timed(t, dir, stdin, args...)
	return ended
}

// timed is hierml with the time that processors spent on the program and its workers.
func timed(t *testing.T, dir, stdin string, args ...string) (result, time.Duration) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary, args...)
	cmd.Dir = dir
	cmd.Stdin = strings.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	state := cmd.ProcessState
	return result{stdout.String(), stderr.String(), state.ExitCode()}, state.UserTime() + state.SystemTime()
}

// write writes a file into a new folder and returns the folder.
func write(t *testing.T, name, content string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A command whose output nobody reads any more ends as programs do, by SIGPIPE and without a word.
func TestReaderLeaves(t *testing.T) {
	dir := write(t, "endless.go", "for {\n\tfmt.Println(\"line\")\n}\n")
	cmd := exec.CommandContext(t.Context(), binary, "run", "--engine", "interpreted", "endless.go")
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || line != "line\n" {
		t.Errorf("the first line is %q, %v", line, err)
	}
	if err := out.Close(); err != nil {
		t.Error(err)
	}
	err = cmd.Wait()
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() || status.Signal() != syscall.SIGPIPE || stderr.Len() > 0 {
		t.Errorf("it ended by %v and said %q", err, stderr.String())
	}
}

func TestCommandLine(t *testing.T) {
	for _, test := range []struct {
		args   string
		status int
		stdout string // a part of it
		stderr string // the whole
	}{
		{"", 0, "COMMANDS", ""},
		{"--help", 0, "hierml notebook run notes.ipynb", ""},
		{"run --help", 0, "#!/usr/bin/env -S hierml run", ""},
		{"run --help", 0, "expression is not printed", ""},
		{"help environment", 0, "JUPYTER_PATH is the list of further folders", ""},
		{"notebook run --help", 0, "raises-exception", ""},
		{"version", 0, "hierml ", ""},
		{"--version", 0, "hierml ", ""},
		{"licences", 0, "by Anthony Starks", ""},
		{"licences", 0, "SIL OPEN FONT LICENSE Version 1.1", ""},
		{"rum", 2, "", "hierml: unknown command \"rum\"; did you mean run?\nSee 'hierml --help'.\n"},
		{"helpp", 2, "", "hierml: unknown command \"helpp\"; did you mean help?\nSee 'hierml --help'.\n"},
		{"run missing.py", 1, "", "hierml: missing.py is Python, and hierml run runs Go. Use: python3 missing.py\n"},
		{"run Missing.R", 1, "", "hierml: Missing.R is R, and hierml run runs Go. Use: Rscript Missing.R\n"},
		{"notbook clear", 2, "", "hierml: unknown command \"notbook\"; did you mean notebook?\nSee 'hierml --help'.\n"},
		{"clear a.ipynb", 2, "", "hierml: unknown command \"clear\"; did you mean hierml notebook clear?\nSee 'hierml --help'.\n"},
		{"help celss", 2, "", "hierml: unknown command or topic \"celss\"; did you mean cells?\nSee 'hierml --help'.\n"},
		{"version 2", 2, "", "hierml: version takes no arguments; remove \"2\"\nSee 'hierml version --help'.\n"},
		{"study cell a", 2, "", "hierml: missing argument KEY\nSee 'hierml study cell --help'.\n"},
		{"study cell a b c", 2, "", "hierml: cell takes DIRECTORY and KEY; remove \"c\"\nSee 'hierml study cell --help'.\n"},
		{"data list a b", 2, "", "hierml: list takes NAME; remove \"b\"\nSee 'hierml data list --help'.\n"},
		{"run", 2, "", "hierml: missing argument FILE.go\nSee 'hierml run --help'.\n"},
		{"run --fast a.go", 2, "", "hierml: unknown flag: --fast\nSee 'hierml run --help'.\n"},
		{"run --engine fast a.go", 2, "", "hierml: invalid argument \"fast\" for \"--engine\" flag: expected auto, interpreted or compiled\nSee 'hierml run --help'.\n"},
		{"notebook run --engine fast a", 2, "", "hierml: invalid argument \"fast\" for \"--engine\" flag: expected auto, interpreted or compiled\nSee 'hierml notebook run --help'.\n"},
		{"kernel --help", 0, "--engine MODE", ""},
		{"notebook run a b", 2, "", "hierml: run takes FILE.ipynb; remove \"b\"\nSee 'hierml notebook run --help'.\n"},
		{"notebook walk", 2, "", "hierml: unknown command \"walk\"; hierml notebook has: check, clear, export, inspect, run\nSee 'hierml notebook --help'.\n"},
		{"data fetch", 2, "", "hierml: unknown command \"fetch\"; hierml data has: get, list, verify\nSee 'hierml data --help'.\n"},
		{"kernel", 2, "", "hierml: no connection file; name it as the argument\nSee 'hierml kernel --help'.\n"},
		{"kernel -f a b", 2, "", "hierml: two connection files; name one, as the argument or by -f\nSee 'hierml kernel --help'.\n"},
		{"run missing.go", 1, "", "hierml: open missing.go: no such file or directory\n"},
		{"notebook run missing.ipynb", 1, "", "hierml: open missing.ipynb: no such file or directory\n"},
	} {
		t.Run(test.args, func(t *testing.T) {
			got := hierml(t, t.TempDir(), "", strings.Fields(test.args)...)
			if got.status != test.status || !strings.Contains(got.stdout, test.stdout) || got.stderr != test.stderr {
				t.Errorf("got %+v, want %+v", got, test)
			}
		})
	}
}

func TestScripts(t *testing.T) {
	// Scripts of a program that has compiled nothing yet say that they are compiled now.
	if got := hierml(t, t.TempDir(), "print()", "run", "--engine", "compiled", "-"); got.status != 0 {
		t.Fatalf("cells cannot be compiled: %+v", got)
	}
	for _, test := range []struct {
		name, script, stdin string
		args                []string
		want                result
	}{
		{name: "cells", script: "#!/usr/bin/env -S hierml run\nx := 41\nfunc f(n int) int { return n + 1 }\nfmt.Println(f(x))\nfmt.Fprintln(os.Stderr, \"said\")\nnb.Display(x)\nstrings.ToUpper(\"not printed\")\n",
			want: result{"42\n41\n", "said\n", 0}},
		{name: "program", script: "package main\n\nimport \"fmt\"\n\nvar n = 20\n\nfunc main() { fmt.Println(twice(n)) }\n\nfunc twice(n int) int { return 2 * n }\n",
			want: result{"40\n", "", 0}},
		{name: "arguments", script: "fmt.Println(os.Args[1:])", args: []string{"-n", "3", "--", "x"},
			want: result{"[-n 3 -- x]\n", "", 0}},
		{name: "flags", script: "n := flag.Int(\"n\", 1, \"a number\")\nflag.Parse()\nfmt.Println(*n, flag.Args())", args: []string{"-n", "3", "x"},
			want: result{"3 [x]\n", "", 0}},
		{name: "help of flags", script: "flag.Int(\"n\", 1, \"a number\")\nflag.Parse()", args: []string{"-x"},
			want: result{"", "flag provided but not defined: -x\nUsage of a.go:\n  -n int\n    \ta number (default 1)\n", 2}},
		{name: "help of flags that is asked for", script: "flag.Parse()\nfmt.Println(1)", args: []string{"-h"},
			want: result{"", "Usage of a.go:\n", 0}},
		{name: "input", script: "var n int\nfmt.Scan(&n)\nname := nb.Input(\"name? \")\nfmt.Println(n, name)", stdin: "7\nAda\n",
			want: result{"7 Ada\n", "name? ", 0}},
		{name: "lines", script: "in := bufio.NewScanner(os.Stdin)\nfor in.Scan() {\n\tfmt.Println(in.Text())\n}\nfmt.Println(in.Err())", stdin: "a\nb",
			want: result{"a\nb\n<nil>\n", "", 0}},
		{name: "fatal", script: "log.SetFlags(0)\nlog.Fatal(\"no\")",
			want: result{"", "no\n", 1}},
		{name: "exit", script: "fmt.Println(1)\nos.Exit(7)\nfmt.Println(2)",
			want: result{"1\n", "", 7}},
		{name: "exit with success", script: "fmt.Println(1)\nos.Exit(0)\nfmt.Println(2)",
			want: result{"1\n", "", 0}},
		{name: "program that exits with success", script: "package main\n\nimport \"os\"\n\nfunc main() {\n\tprint(1)\n\tos.Exit(0)\n\tprint(2)\n}\n",
			want: result{"", "1", 0}},
		{name: "compile error", script: "package main\n\nfunc main() {\n\tvar x int = \"a\"\n\t_ = x\n}\n",
			want: result{"", "a.go:4:14: cannot use \"a\" (untyped string constant) as int value in variable declaration\n    4 | \tvar x int = \"a\"\n      | \t            ^\n", 1}},
		{name: "forgotten error", script: "f := os.Open(\"/no/such\")\nfmt.Println(f)\n",
			want: result{"", "*fs.PathError: open /no/such: no such file or directory\na.go:1:6\n    1 | f := os.Open(\"/no/such\")\n      |      ^\n", 1}},
		{name: "forgotten error of a program", script: "package main\n\nimport \"os\"\n\nvar f = os.Remove(\"/no/such\")\n\nfunc main() { os.Remove(\"/no/such\"); print(\"on\") }\n",
			want: result{"", "on", 0}},
		{name: "program that does not compile", script: "package main\n\nimport \"os\"\n\nvar f, g = os.Pipe()\n\nfunc main() {}\n",
			want: result{"", "a.go:5:12: assignment mismatch: 2 variables but os.Pipe returns 3 values (Pipe also returns an error: f, g, err = os.Pipe(…))\n    5 | var f, g = os.Pipe()\n      |            ^\n", 1}},
		{name: "panic", script: "package main\n\nfunc main() {\n\tvar p *int\n\t*p = 1\n}\n",
			want: result{"", "panic: runtime error: invalid memory address or nil pointer dereference\na.go:5:2 in main\n    5 | \t*p = 1\n      | \t^\n", 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := hierml(t, write(t, "a.go", test.script), test.stdin, append([]string{"run", "a.go"}, test.args...)...)
			if got != test.want {
				t.Errorf("got\n%+v\nwant\n%+v", got, test.want)
			}
		})
	}
}

// TestScriptInterrupted interrupts a script that would run forever, as a terminal does.
func TestScriptInterrupted(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), binary, "run", "a.go")
	cmd.Dir = write(t, "a.go", "fmt.Println(\"started\")\nfor {\n}\n")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	started := make([]byte, len("started\n"))
	if _, err := out.Read(started); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the script ended by itself")
	}
	if got := (result{string(started), stderr.String(), cmd.ProcessState.ExitCode()}); got != (result{"started\n", "interrupted\n", 130}) {
		t.Errorf("got %+v", got)
	}
	if took := time.Since(begun); took > 30*time.Second {
		t.Errorf("it took %v to end", took)
	}
}

// TestRunOfStandardInput runs a script that comes through a pipe.
func TestRunOfStandardInput(t *testing.T) {
	got := hierml(t, t.TempDir(), "x := 3\nfmt.Println(x, os.Args[1:])\n", "run", "-", "-a", "b")
	if got.stdout != "3 [-a b]\n" || got.status != 0 {
		t.Errorf("%+v", got)
	}
	if got := hierml(t, t.TempDir(), "x := 3\nnope()\n", "run", "-"); got.status != 1 || !strings.Contains(got.stderr, "(standard input):2:1: undefined: nope") {
		t.Errorf("%+v", got)
	}
}
