package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hierml/notebook/internal/notebook"
	"github.com/hierml/notebook/internal/testrun"
)

// block returns the only block of a language in the text of a notebook.
func block(t *testing.T, nb *notebook.Notebook, language string) string {
	t.Helper()
	fenced := regexp.MustCompile("(?ms)^```" + language + "\n(.*?)^```$")
	var found []string
	for _, c := range nb.Cells {
		if c.Kind == notebook.Markdown {
			for _, m := range fenced.FindAllStringSubmatch(c.Source, -1) {
				found = append(found, m[1])
			}
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d blocks of %s, want one", len(found), language)
	}
	return found[0]
}

// TestTableChapter runs the chapter from a table to a model in use, keeps its files, and runs what
// the chapter says to write in a shell and in Python on them.
func TestTableChapter(t *testing.T) {
	saved := checkSaved(t, filepath.Join(notebookFolder, "14-table.ipynb"))
	folder := t.TempDir()
	kept := *saved
	kept.Cells = nil
	for _, c := range saved.Cells {
		cell := *c
		cell.Source = strings.ReplaceAll(cell.Source, `os.MkdirTemp("", "table")`, fmt.Sprintf("%q", folder))
		cell.Source = strings.ReplaceAll(cell.Source, "os.RemoveAll(folder)", "")
		kept.Cells = append(kept.Cells, &cell)
	}
	path := filepath.Join(t.TempDir(), "kept.ipynb")
	if err := kept.WriteFile(path); err != nil {
		t.Fatal(err)
	}
	checkOutlines(t, runSaved(t, path), saved, false)

	for line := range strings.Lines(block(t, saved, "sh")) {
		words := strings.Fields(line)
		if words[0] != "hierml" {
			t.Fatalf("%q is no command of hierml", line)
		}
		got := hierml(t, folder, "", words[1:]...)
		if got.status != 0 {
			t.Fatalf("%sstatus %d\n%s%s", line, got.status, got.stdout, got.stderr)
		}
		if words[1] == "evaluate" && !strings.Contains(got.stdout, "accuracy") {
			t.Errorf("%s%s", line, got.stdout)
		}
	}

	t.Run("Python", func(t *testing.T) { checkPythonBlock(t, folder, block(t, saved, "python")) })
}

// checkPythonBlock holds that a script prints the labels that Go predicts of the chapter's new
// rows.
func checkPythonBlock(t *testing.T, folder, script string) {
	t.Helper()
	predicted := hierml(t, folder, "", "predict", "packages.hierml", "new.csv")
	rows, err := csv.NewReader(strings.NewReader(predicted.stdout)).ReadAll()
	if err != nil || len(rows) < 6 {
		t.Fatalf("%v: %+v", err, predicted)
	}
	var want strings.Builder
	for _, row := range rows[1:] {
		fmt.Fprintln(&want, row[0], row[1])
	}
	library, err := filepath.Abs(filepath.Join("..", "python"))
	if err != nil {
		t.Fatal(err)
	}
	python := exec.CommandContext(t.Context(), testrun.NumPy(t), "-c", script)
	python.Dir, python.Env = folder, append(os.Environ(), "PYTHONPATH="+library)
	out, err := python.Output()
	if err != nil {
		t.Fatalf("Python: %v\n%s", err, out)
	}
	if got := strings.ReplaceAll(string(out), "\r\n", "\n"); got != want.String() {
		t.Errorf("Python prints\n%sand Go predicts\n%s", got, want.String())
	}
}
