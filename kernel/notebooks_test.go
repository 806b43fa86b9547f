package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hierml/notebook/internal/notebook"
	"github.com/hierml/notebook/internal/testrun"
	"github.com/hierml/notebook/internal/testrun/given"
	"github.com/hierml/notebook/stdlib/display"
)

// notebookLimit is how much of a processor's time a notebook may take.
const notebookLimit = 3 * time.Minute

// runElsewhere are the notebooks that other tests run from the top, too.
var runElsewhere = map[string]string{
	"01-tour.ipynb":  "TestInstallation runs it, and TestBrowser most of it",
	"14-table.ipynb": "TestTableChapter runs it",
	"compiled.ipynb": "TestBrowserCompiled runs it",
}

// outline tells what kinds of outputs a cell has.
func outline(c *notebook.Cell) []string {
	var kinds []string
	for _, o := range c.Outputs {
		if text, _ := o.Data[display.Text].(string); display.IsNote(o.Metadata) &&
			(strings.HasPrefix(text, "note: this cell computed for ") || strings.HasPrefix(text, "note: the compiler for cells is being built")) {
			continue // advice to compile, which a slower machine gets earlier, or what only the first of all notebooks has to wait for
		}
		kinds = append(kinds, o.Kind+o.Name)
		kinds = append(kinds, slices.Sorted(maps.Keys(o.Data))...)
	}
	return kinds
}

// notebookFolder is where the notebooks are.
var notebookFolder = filepath.Join("..", "notebooks")

// notebooks returns the paths of the notebooks and of the solutions of their exercises.
func notebooks(t *testing.T) []string {
	t.Helper()
	var paths []string
	for _, pattern := range []string{"*.ipynb", filepath.Join("solutions", "*.ipynb")} {
		found, err := filepath.Glob(filepath.Join(notebookFolder, pattern))
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, found...)
	}
	if len(paths) == 0 {
		t.Fatal("no notebooks")
	}
	return paths
}

// name is what a notebook is called in this file: its path below the folder, with slashes.
func name(path string) string {
	rel, err := filepath.Rel(notebookFolder, path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(rel)
}

// needsData is the tag of the cells that show what is saved only where HIERML_DATA names data sets.
const needsData = "needs-data"

// TestNotebooks runs the notebooks without HIERML_DATA, as in any clone, and compares with what is
// saved in them, up to the figures: those depend on the release of Go, whose documentation is the
// data, and on the machine. A notebook whose code asks for HIERML_DATA says what it leaves out.
func TestNotebooks(t *testing.T) {
	t.Setenv(given.Data, "")
	for _, path := range notebooks(t) {
		t.Run(strings.TrimSuffix(name(path), ".ipynb"), func(t *testing.T) {
			saved := checkSaved(t, path)
			now := runSaved(t, path)
			checkOutlines(t, now, saved, false)
			if says, want := saysLeftOut(now), asksForData(saved); says != want {
				t.Errorf("it says that a part without data is left out: %v, want %v", says, want)
			}
		})
	}
}

// TestGivenNotebooks runs with HIERML_DATA the notebooks whose code asks for it, and compares all
// cells.
func TestGivenNotebooks(t *testing.T) {
	given.Folder(t, given.Data)
	for _, path := range notebooks(t) {
		saved := checkSaved(t, path)
		if !asksForData(saved) {
			continue
		}
		t.Run(strings.TrimSuffix(name(path), ".ipynb"), func(t *testing.T) {
			now := runSaved(t, path)
			checkOutlines(t, now, saved, true)
			if saysLeftOut(now) || saysLeftOut(saved) {
				t.Error("it says that a part is left out for lack of data")
			}
		})
	}
}

// TestNotebookMetadata tests that JupyterLab has nothing to change when it opens a notebook of the
// course: the metadata name the kernel and its language as the kernel does.
func TestNotebookMetadata(t *testing.T) {
	for _, path := range notebooks(t) {
		saved, err := notebook.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want := &notebook.Notebook{Metadata: map[string]any{
			"kernelspec": map[string]any{"display_name": "Go (hierml)", "language": "go", "name": "hierml"},
		}}
		if err := recordLanguage(want); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(saved.Metadata, want.Metadata) {
			t.Errorf("%s has the metadata %v, want %v", name(path), saved.Metadata, want.Metadata)
		}
	}
}

// runSaved runs a notebook, in less time where it has a form for that, and returns it with its
// outputs.
func runSaved(t *testing.T, path string) *notebook.Notebook {
	t.Helper()
	testrun.LeaveOutShort(t)
	if raceEnabled {
		t.Skip("the program that runs it is built without the race detector: it would do the same again")
	}
	if why := runElsewhere[name(path)]; why != "" {
		testrun.LeaveToLong(t, why)
	}
	out := filepath.Join(t.TempDir(), "out.ipynb")
	got, took := timed(t, ".", "", "notebook", "run", shortened(t, path), "-o", out)
	if got.status != 0 || got.stdout != "" {
		t.Fatalf("the notebook ended with %+v", got)
	}
	t.Logf("the notebook took %.1f s of a processor:\n%s", took.Seconds(), got.stderr)
	if took > notebookLimit {
		t.Errorf("the notebook took %v of a processor, want at most %v", took, notebookLimit)
	}
	now, err := notebook.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return now
}

// checkOutlines compares what the cells show with what is saved. Without data those that need them
// show something else.
func checkOutlines(t *testing.T, now, saved *notebook.Notebook, data bool) {
	t.Helper()
	if len(now.Cells) != len(saved.Cells) {
		t.Fatalf("%d cells, and %d are saved", len(now.Cells), len(saved.Cells))
	}
	for i, c := range saved.Cells {
		got, want := outline(now.Cells[i]), outline(c)
		same := slices.Equal(got, want)
		switch {
		case data || !c.Tagged(needsData):
			if !same {
				t.Errorf("cell %d shows %q, and what is saved is %q", i, got, want)
			}
		case same:
			t.Errorf("cell %d has the tag %s, and shows the same without data", i, needsData)
		}
	}
}

// asksForData tells whether the code of a notebook asks for the data sets of HIERML_DATA.
func asksForData(nb *notebook.Notebook) bool {
	return slices.ContainsFunc(nb.Cells, func(c *notebook.Cell) bool {
		return c.Kind == notebook.Code && strings.Contains(c.Source, given.Data)
	})
}

// shorter are what takes long in the notebooks with a cell of parameters, and what a test does
// instead: few repeats, epochs, instances and data sets, and no choice between values of C.
var shorter = map[string][][2]string{
	"papers.ipynb": {
		{"repeats := 10", "repeats := 2"},
		{"g.Instances = 8000", "g.Instances = 800"},
		{"synthetic.Hyperplanes{Seed: seed}", "synthetic.Hyperplanes{Seed: seed, Instances: 800}"},
		{"[]float64{0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1})", "[]float64{0.01})"},
		{"[]float64{0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300})", "[]float64{1})"},
		{"quick := solver.Settings{Gap: 0.05, MaxEpochs: 100,", "quick := solver.Settings{Gap: 0.05, MaxEpochs: 6,"},
		{"settings := solver.Settings{Gap: 0.05, MaxEpochs: 1000,", "settings := solver.Settings{Gap: 0.3, MaxEpochs: 60,"},
		{"settings := solver.Settings{Gap: 0.01, MaxEpochs: 200,", "settings := solver.Settings{Gap: 0.1, MaxEpochs: 5,"},
		{"[]float64{1, 100, 10000}", "[]float64{1}"},
	},
	"13-newsgroups.ipynb": {
		{"repeats := 10", "repeats := 2"},
	},
	"methods.ipynb": {
		{"grid := []any{0.01, 0.1, 1.0, 10.0, 100.0, 1000.0}", "grid := []any{1.0}"},
		{"rows := 1000", "rows := 100"},
		{"epochs := 100", "epochs := 20"},
		{"limit := 10 * time.Second", "limit := time.Second"},
		{`"ng15", "imclef07a", "rcv1", "reuters21578", "enron_corr", "cellcycle_fun"`, `"imclef07a"`},
		{`"ec10"`, `"enron_corr"`},
		{`"phyletic_go"`, `"cellcycle_fun"`},
	},
}

// shortened returns a copy of a notebook that takes less time, or the notebook itself if none of
// its cells has the tag parameters.
func shortened(t *testing.T, path string) string {
	t.Helper()
	nb, err := notebook.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	parts := shorter[name(path)]
	if tagged := slices.ContainsFunc(nb.Cells, func(c *notebook.Cell) bool { return c.Tagged("parameters") }); !tagged {
		if parts != nil {
			t.Fatal("no cell has the tag parameters")
		}
		return path
	}
	for _, part := range parts {
		count := 0
		for _, c := range nb.Cells {
			count += strings.Count(c.Source, part[0])
			c.Source = strings.ReplaceAll(c.Source, part[0], part[1])
		}
		if count != 1 {
			t.Fatalf("%q stands in the notebook %d times, want once", part[0], count)
		}
	}
	path = filepath.Join(t.TempDir(), filepath.Base(path))
	if err := nb.WriteFile(path); err != nil {
		t.Fatal(err)
	}
	return path
}

// saysLeftOut is true if an output says that a part of the notebook was left out for want of data.
func saysLeftOut(nb *notebook.Notebook) bool {
	return slices.ContainsFunc(nb.Cells, func(c *notebook.Cell) bool {
		return slices.ContainsFunc(c.Outputs, func(o *notebook.Output) bool {
			text := fmt.Sprint(o.Data["text/markdown"])
			return strings.Contains(text, "left out") && strings.Contains(text, "HIERML_DATA")
		})
	})
}

// checkSaved holds that a notebook is saved as it is when it was run from the top. A cell fails
// only where it says so.
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
			if o.Name == "stderr" {
				t.Errorf("cell %d was saved with an output to stderr", i)
			}
		}
	}
	return saved
}
