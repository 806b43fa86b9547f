package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hierml/notebook/internal/notebook"
	"github.com/hierml/notebook/internal/testrun"
)

// stored writes a notebook that was run, and then has other sources: what is stored is what the old
// ones showed.
func stored(t *testing.T, dir, name string, old, now []string, tags map[int]string) {
	t.Helper()
	nb := &notebook.Notebook{}
	for i, s := range old {
		c := &notebook.Cell{Kind: notebook.Code, Source: s}
		if tags[i] != "" {
			c.Metadata = map[string]any{"tags": []any{tags[i]}}
		}
		nb.Cells = append(nb.Cells, c)
	}
	path := filepath.Join(dir, name)
	if err := nb.WriteFile(path); err != nil {
		t.Fatal(err)
	}
	if got := hierml(t, dir, "", "notebook", "run", name, "-o", name); got.status != 0 {
		t.Fatalf("run: %+v", got)
	}
	ran, err := notebook.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range now {
		ran.Cells[i].Source = s
	}
	if err := ran.WriteFile(path); err != nil {
		t.Fatal(err)
	}
}

func TestNotebookCheck(t *testing.T) {
	dir := t.TempDir()
	stored(t, dir, "same.ipynb",
		[]string{`fmt.Println("loss", 1.0, time.Now())`, `fmt.Println(7)`},
		[]string{`fmt.Println("loss", 1.0001, time.Now())`, `fmt.Println(8)`}, map[int]string{1: "changes"})
	stored(t, dir, "other.ipynb",
		[]string{`x := 3`, `fmt.Println("a\nb\nc")`, `x`},
		[]string{`x := 4`, `fmt.Println("a\nB\nc")`, `x`}, nil)
	stored(t, dir, "numbers.ipynb", []string{`x := 8`, `fmt.Println(x)`}, []string{`x := 10`, `fmt.Println(x)`}, nil)
	stored(t, dir, "fails.ipynb", []string{`1`, `2`, `3`}, []string{`1`, `panic("no")`, `3`}, nil)
	if err := (&notebook.Notebook{Cells: []*notebook.Cell{{Kind: notebook.Code, Source: "1"}}}).WriteFile(filepath.Join(dir, "empty.ipynb")); err != nil {
		t.Fatal(err)
	}
	const (
		same    = "same.ipynb: 2 cells show as stored\n"
		other   = "other.ipynb: cell 2: fmt.Println(\"a\\nB\\nc\")\n  output 1, stdout\n     a\n    -b\n    +B\n     c\nother.ipynb: cell 3: x\n  output 1, text/plain\n    -3\n    +4\nother.ipynb: 2 of 3 cells show something else\n"
		numbers = "numbers.ipynb: cell 2: fmt.Println(x)\n  output 1, stdout\n    -8\n    +10\nnumbers.ipynb: 1 of 2 cells show something else\n"
		failed  = "hierml: fails.ipynb: cell 2 failed\npanic: no\nCell [2]:1:1\n    1 | panic(\"no\")\n      | ^\n"
	)
	for _, c := range []struct {
		args           string
		status         int
		stdout, stderr string // of stderr the end
	}{
		{"same.ipynb", 0, same, "[2/2] fmt.Println(8)\n"},
		{"same.ipynb --tolerance 0", 1, "", "hierml: the outputs of same.ipynb differ from the stored ones\n"},
		{"other.ipynb", 1, other, "hierml: the outputs of other.ipynb differ from the stored ones\n"},
		{"numbers.ipynb", 1, numbers + "numbers.ipynb: only numbers differ; --tolerance 0.2 accepts them\n", "differ from the stored ones\n"},
		{"numbers.ipynb --tolerance 0.2", 0, "numbers.ipynb: 2 cells show as stored\n", ""},
		{"same.ipynb other.ipynb numbers.ipynb --tolerance 0.2", 1, same + other + "numbers.ipynb: 2 cells show as stored\n", "hierml: the outputs of 1 of 3 notebooks differ from the stored ones\n"},
		{"fails.ipynb", 1, "", failed},
		{"fails.ipynb same.ipynb", 1, same, "hierml: the outputs of 1 of 2 notebooks differ from the stored ones\n"},
		{"empty.ipynb", 1, "", "hierml: empty.ipynb has no stored outputs. Store them by `hierml notebook run empty.ipynb -o empty.ipynb`\n"},
		{"missing.ipynb same.ipynb", 1, same, "differ from the stored ones\n"},
		{"", 2, "", "hierml: missing argument FILE.ipynb\nSee 'hierml notebook check --help'.\n"},
		{"same.ipynb --tolerance -1", 2, "", "hierml: the tolerance -1 is not a number of at least 0\nSee 'hierml notebook check --help'.\n"},
	} {
		t.Run(c.args, func(t *testing.T) {
			before := contents(t, dir)
			got := hierml(t, dir, "", append([]string{"notebook", "check"}, strings.Fields(c.args)...)...)
			got.stderr = seconds.ReplaceAllString(got.stderr, "")
			if got.status != c.status || !strings.HasSuffix(got.stderr, c.stderr) {
				t.Errorf("status %d, %s", got.status, got.stderr)
			}
			if got.stdout != c.stdout && !strings.Contains(c.args, "--tolerance 0") {
				t.Errorf("it prints\n%swant\n%s", got.stdout, c.stdout)
			}
			if after := contents(t, dir); after != before {
				t.Error("something was written")
			}
		})
	}
}

// contents is what is in the files of a folder.
func contents(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(f + "\n" + string(text))
	}
	return b.String()
}

// TestNotebookCheckInterrupted interrupts a check in its first notebook of two.
func TestNotebookCheckInterrupted(t *testing.T) {
	dir := t.TempDir()
	stored(t, dir, "a.ipynb", []string{`1`}, []string{`os.WriteFile("started", nil, 0o600); for {}`}, nil)
	cmd := exec.CommandContext(t.Context(), binary, "notebook", "check", "a.ipynb", "a.ipynb")
	cmd.Dir = dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	testrun.Await(t, "the cell starts", func() bool { _, err := os.Stat(filepath.Join(dir, "started")); return err == nil })
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the check ended well")
	}
	if code := cmd.ProcessState.ExitCode(); code != 130 || stdout.String() != "" || !strings.HasSuffix(stderr.String(), "hierml: interrupted\n") {
		t.Errorf("status %d, %q, %q", code, &stdout, &stderr)
	}
}
