package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/hierml/notebook/kernel/notebook"
)

// tourLimit is how long the tour may take.
const tourLimit = 3 * time.Minute

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

// TestTour runs the tour, and compares with what is saved in it, up to the
// figures: those depend on the release of Go, whose documentation is the data.
func TestTour(t *testing.T) {
	path := filepath.Join("..", "notebooks", "tour.ipynb")
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
		t.Error("the tour is not saved as Jupyter saves it")
	}
	count := 0
	for i, c := range saved.Cells {
		if c.Kind != notebook.Code {
			continue
		}
		if count++; c.Count != count {
			t.Errorf("cell %d was saved with the count %d, want %d; run the tour from the top", i, c.Count, count)
		}
		if i == 0 || saved.Cells[i-1].Kind != notebook.Markdown {
			t.Errorf("cell %d has no words before it", i)
		}
		for _, o := range c.Outputs {
			if o.Kind == notebook.Failure || o.Name == "stderr" {
				t.Errorf("cell %d was saved with an output of the kind %s %s", i, o.Kind, o.Name)
			}
		}
	}
	if testing.Short() {
		t.Skip("running the tour takes most of a minute; leave out -short")
	}
	out := filepath.Join(t.TempDir(), "tour.ipynb")
	begun := time.Now()
	got := hierml(t, ".", "", "notebook", "run", path, "-o", out)
	if got.status != 0 || got.stdout != "" {
		t.Fatalf("the tour ended with %+v", got)
	}
	took := time.Since(begun)
	t.Logf("the tour took %.1f s:\n%s", took.Seconds(), got.stderr)
	if took > tourLimit {
		t.Errorf("the tour took %v, want at most %v", took, tourLimit)
	}
	now, err := notebook.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := outline(now), outline(saved); !reflect.DeepEqual(got, want) {
		t.Errorf("the cells show %q, and what is saved is %q", got, want)
	}
}
