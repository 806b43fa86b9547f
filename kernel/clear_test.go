package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/hierml/notebook/internal/notebook"
	"github.com/hierml/notebook/kernel/internal/session"
)

const ran = `{
 "cells": [
  {
   "cell_type": "code",
   "execution_count": 3,
   "metadata": {"tags": ["x"], "scrolled": true, "execution": {"iopub.status.busy": "2026"}, "jupyter": {"outputs_hidden": true}},
   "outputs": [{"output_type": "stream", "name": "stdout", "text": "a"}],
   "source": "a"
  }
 ],
 "metadata": {"kernelspec": {"name": "hierml"}, "widgets": {"application/vnd.jupyter.widget-state+json": {}}},
 "nbformat": 4,
 "nbformat_minor": 4
}`

const cleared = `{
 "cells": [
  {
   "cell_type": "code",
   "execution_count": null,
   "id": "ID",
   "metadata": {
    "tags": [
     "x"
    ]
   },
   "outputs": [],
   "source": [
    "a"
   ]
  }
 ],
 "metadata": {
  "kernelspec": {
   "name": "hierml"
  },
  "language_info": {
   "codemirror_mode": "go",
   "file_extension": ".go",
   "mimetype": "text/x-go",
   "name": "go",
   "pygments_lexer": "go",
   "version": "VERSION"
  }
 },
 "nbformat": 4,
 "nbformat_minor": 5
}
`

func TestNotebookClear(t *testing.T) {
	dir := write(t, "a.ipynb", ran)
	filtered := hierml(t, dir, ran, "notebook", "clear", "-")
	nb, err := notebook.Read(strings.NewReader(filtered.stdout), "output")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer("ID", nb.Cells[0].ID, "VERSION", session.LanguageInfo().Version).Replace(cleared)
	if filtered != (result{stdout: want}) {
		t.Errorf("as a filter it prints %+v, want\n%s", filtered, want)
	}
	// A filter of git has to give the same each time, and of its own result the same.
	for _, source := range []string{ran, want} {
		if again := hierml(t, dir, source, "notebook", "clear", "-"); again != filtered {
			t.Errorf("the second time it prints %+v", again)
		}
	}
	if got := hierml(t, dir, "", "notebook", "clear", "a.ipynb", "-o", "b.ipynb"); got != (result{}) {
		t.Errorf("with -o: %+v", got)
	}
	if got, want := contentsOf(t, dir, "a.ipynb"), ran; got != want {
		t.Error("with -o the notebook itself was changed")
	}
	if got := hierml(t, dir, "", "notebook", "clear", "a.ipynb", "missing.ipynb"); got != (result{"", "hierml: open missing.ipynb: no such file or directory\n", 1}) {
		t.Errorf("in place: %+v", got)
	}
	for _, name := range []string{"a.ipynb", "b.ipynb"} {
		if got := contentsOf(t, dir, name); got != want {
			t.Errorf("%s is\n%s\nwant\n%s", name, got, want)
		}
	}
	before, err := os.Stat(filepath.Join(dir, "a.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	if got := hierml(t, dir, "", "notebook", "clear", "a.ipynb", "b.ipynb"); got != (result{}) {
		t.Errorf("the second time: %+v", got)
	}
	if after, err := os.Stat(filepath.Join(dir, "a.ipynb")); err != nil || !os.SameFile(before, after) {
		t.Errorf("a cleared notebook was replaced, %v", err)
	}
	for args, said := range map[string]string{
		"- a.ipynb":                  "- (standard input) must be the only file",
		"a.ipynb b.ipynb -o c.ipynb": "-o takes one notebook",
	} {
		got := hierml(t, dir, "", append([]string{"notebook", "clear"}, strings.Fields(args)...)...)
		if want := (result{"", "hierml: " + said + "\nSee 'hierml notebook clear --help'.\n", 2}); got != want {
			t.Errorf("%s: %+v", args, got)
		}
	}
	if got := hierml(t, dir, "{", "notebook", "clear", "-"); got.status != 1 || !strings.HasPrefix(got.stderr, "hierml: standard input:1:") {
		t.Errorf("of no notebook: %+v", got)
	}
}

func contentsOf(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestClearFilter gives git the filter of the help.
func TestClearFilter(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	dir := write(t, "a.ipynb", ran)
	shell := func(command string) (string, error) {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(binary)+string(os.PathListSeparator)+os.Getenv("PATH"), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	must := func(command string) string {
		t.Helper()
		out, err := shell(command)
		if err != nil {
			t.Fatalf("%s: %s%v", command, out, err)
		}
		return out
	}
	must("git init -q && git config user.name a && git config user.email a@b")
	must(indented(notebookClearCommand()))
	must("git add . && git commit -qm a")
	if got := must("git show HEAD:a.ipynb"); strings.Contains(got, "stdout") || !strings.Contains(got, `"source"`) {
		t.Errorf("git has\n%s", got)
	}
	if got := contentsOf(t, dir, "a.ipynb"); got != ran {
		t.Errorf("the file became\n%s", got)
	}
	must("rm a.ipynb && git checkout -q a.ipynb")
	if got := contentsOf(t, dir, "a.ipynb"); got != must("git show HEAD:a.ipynb") {
		t.Errorf("git checked out\n%s", got)
	}
	must("echo '<<<<<<< HEAD' > b.ipynb")
	if out, err := shell("git add b.ipynb"); err == nil {
		t.Errorf("git added a notebook that could not be cleared: %s", out)
	}
}

// indented returns the command lines in the description of a command.
func indented(cmd *cobra.Command) string {
	var lines strings.Builder
	for line := range strings.Lines(cmd.Long) {
		if strings.HasPrefix(line, "  ") {
			lines.WriteString(line)
		}
	}
	return lines.String()
}
