package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hierml/notebook/kernel/notebook"
)

// notebookLimit is how long a notebook may take.
const notebookLimit = 3 * time.Minute

// outline tells what kinds of outputs each cell has.
func outline(nb *notebook.Notebook) [][]string {
	var cells [][]string
	for _, c := range nb.Cells {
		var kinds []string
		for _, o := range c.Outputs {
			kinds = append(kinds, o.Kind+o.Name)
			kinds = append(kinds, slices.Sorted(maps.Keys(o.Data))...)
		}
		cells = append(cells, kinds)
	}
	return cells
}

// TestNotebooks runs the notebooks, and compares with what is saved in them, up to
// the figures: those depend on the release of Go, whose documentation is the data,
// and on the machine.
func TestNotebooks(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("..", "notebooks", "*.ipynb"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no notebooks: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".ipynb"), func(t *testing.T) {
			saved := checkSaved(t, path)
			if testing.Short() {
				t.Skip("running a notebook takes up to a minute; leave out -short")
			}
			out := filepath.Join(t.TempDir(), "out.ipynb")
			begun := time.Now()
			got := hierml(t, ".", "", "notebook", "run", path, "-o", out)
			if got.status != 0 || got.stdout != "" {
				t.Fatalf("the notebook ended with %+v", got)
			}
			took := time.Since(begun)
			t.Logf("the notebook took %.1f s:\n%s", took.Seconds(), got.stderr)
			if took > notebookLimit {
				t.Errorf("the notebook took %v, want at most %v", took, notebookLimit)
			}
			now, err := notebook.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := outline(now), outline(saved); !reflect.DeepEqual(got, want) {
				t.Errorf("the cells show %q, and what is saved is %q", got, want)
			}
		})
	}
}

// checkSaved holds that a notebook is saved as it is when it was run from the top.
// A cell fails only where it says so.
func checkSaved(t *testing.T, path string) *notebook.Notebook {
	t.Helper()
	saved, err := notebook.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var form bytes.Buffer
	if err := saved.Write(&form); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(text, form.Bytes()) {
		t.Error("the notebook is not saved as Jupyter saves it")
	}
	count := 0
	for i, c := range saved.Cells {
		if c.Kind != notebook.Code {
			continue
		}
		if count++; c.Count != count {
			t.Errorf("cell %d was saved with the count %d, want %d; run the notebook from the top", i, c.Count, count)
		}
		if count == 1 && (i == 0 || saved.Cells[i-1].Kind != notebook.Markdown) {
			t.Errorf("the first cell has no words before it")
		}
		failed := slices.ContainsFunc(c.Outputs, func(o *notebook.Output) bool { return o.Kind == notebook.Failure })
		if expected := c.Tagged("raises-exception"); failed != expected {
			t.Errorf("cell %d was saved with a failure: %v, want %v", i, failed, expected)
		}
		for _, o := range c.Outputs {
			if o.Name == "stderr" && !strings.HasPrefix(o.Text, "note: ") {
				t.Errorf("cell %d was saved with an output to stderr", i)
			}
		}
	}
	return saved
}
