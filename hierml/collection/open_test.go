package collection

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/taxonomy"
	"github.com/hierml/notebook/internal/testrun/given"
)

// folder writes the files of a data set called small, compressed where the name says so, and sets
// HIERML_DATA to their folder.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	ownCache(t)
	dir := t.TempDir()
	for name, text := range files {
		content := []byte(text)
		if strings.HasSuffix(name, ".gz") {
			var b bytes.Buffer
			w := gzip.NewWriter(&b)
			if _, err := w.Write(content); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			content = b.Bytes()
		}
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv(Environment, dir)
	return dir
}

func small() map[string]string {
	return map[string]string{
		"small.hier.tsv":     "food\tfruit\nfruit\tapple\nfruit\tpear\nfood\tbread\ntool\n",
		"small.train.svm.gz": "apple 1:1 3:2\npear 2:1\nfruit 1:1\n",
		"small.test.svm":     "tool 4:1\nbread 1:2\n",
		"small.vocab.gz":     "red\t7\ngreen\t5\nround\nhard\t9\t1\nsoft\t2\n",
		"small.raw.jsonl.gz": `{"id": "1", "split": "train", "labels": ["apple"], "text": "red"}` + "\n" +
			`{"id": "2", "split": "test", "labels": ["tool"], "text": "hard"}` + "\n",
	}
}

func TestOpen(t *testing.T) {
	dir := folder(t, small())
	t.Setenv(Environment, filepath.Join(dir, "elsewhere")+string(os.PathListSeparator)+string(os.PathListSeparator)+dir)
	c, err := Open("small")
	if err != nil {
		t.Fatal(err)
	}
	if c.Name != "small" || c.Train.Name != "small train" || c.Test.Name != "small test" {
		t.Errorf("names %q, %q, %q", c.Name, c.Train.Name, c.Test.Name)
	}
	for _, d := range []*dataset.Dataset{c.Train, c.Test} {
		example.CheckMatrix(t, d.X)
		if d.X.Cols != 5 || strings.Join(d.Vocabulary, " ") != "red green round hard soft" || d.Taxonomy != c.Train.Taxonomy {
			t.Errorf("%s: %d columns, words %q", d.Name, d.X.Cols, d.Vocabulary)
		}
	}
	if got := fmt.Sprint(c.Train.X.Indptr, c.Train.X.Indices, c.Test.X.Indptr, c.Test.X.Indices); got != "[0 2 3 4] [0 2 1 0] [0 1 2] [3 0]" {
		t.Errorf("matrices %s", got)
	}
	leafed, err := c.Leafed()
	if err != nil {
		t.Fatal(err)
	}
	if leafed.Train.Taxonomy != leafed.Test.Taxonomy || leafed.Train.Taxonomy.Name(leafed.Train.Labels[2][0]) != "fruit (misc)" {
		t.Errorf("third training label is %s", leafed.Train.Taxonomy.Name(leafed.Train.Labels[2][0]))
	}

	corpus, err := OpenTexts("small")
	if err != nil {
		t.Fatal(err)
	}
	if corpus.Name != "small" || corpus.Len() != 2 || corpus.Part("test").Documents[0].Text != "hard" {
		t.Errorf("texts %+v", corpus)
	}
}

func TestOpenWithoutVocabulary(t *testing.T) {
	files := small()
	delete(files, "small.vocab.gz")
	folder(t, files)
	c, err := Open("small")
	if err != nil {
		t.Fatal(err)
	}
	if c.Train.X.Cols != 4 || c.Test.X.Cols != 4 || c.Train.Vocabulary != nil {
		t.Errorf("%d and %d columns", c.Train.X.Cols, c.Test.X.Cols)
	}
}

func TestOpenErrors(t *testing.T) {
	with := func(name, text string) map[string]string {
		files := small()
		files[name] = text
		return files
	}
	without := small()
	delete(without, "small.test.svm")
	tests := []struct {
		name  string
		files map[string]string
		open  string
		words []string
	}{
		{"unknown", small(), "other", []string{`"other"`, "HIERML_DATA", "other.hier.tsv", "has small"}},
		{"incomplete", without, "small", []string{"lacks small.test.svm"}},
		{"a path", small(), "../small", []string{"not the name of a data set"}},
		{"no name", small(), "", []string{"not the name of a data set"}},
		{"bad edge", with("small.hier.tsv", "a\tb\tc\n"), "small", []string{"small.hier.tsv:1:4", "two fields"}},
		{"bad row", with("small.train.svm.gz", "apple 1:1\npear x\n"), "small", []string{"small.train.svm.gz:2:6", "index:value"}},
		{"beyond the vocabulary", with("small.test.svm", "tool 6:1\n"), "small", []string{"small.test.svm:1:6", "there are 5 columns"}},
		{"not gzip", with("small.test.svm", "\x1f\x8b\x00"), "small", []string{"small.test.svm", "gzip"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			folder(t, test.files)
			c, err := Open(test.open)
			if err == nil || c != nil {
				t.Fatalf("got %v, %v", c, err)
			}
			for _, w := range test.words {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%q does not say %q", err, w)
				}
			}
		})
	}
	t.Run("cut gzip file", func(t *testing.T) {
		dir := folder(t, small())
		file := filepath.Join(dir, "small.train.svm.gz")
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, content[:len(content)-6], 0o666); err != nil {
			t.Fatal(err)
		}
		if c, err := Open("small"); err == nil || c != nil || !strings.Contains(err.Error(), "small.train.svm.gz") {
			t.Errorf("got %v, %v", c, err)
		}
	})
	t.Run("no variable", func(t *testing.T) {
		ownCache(t)
		t.Setenv(Environment, "")
		_, err := Open("small")
		if err == nil || !strings.Contains(err.Error(), `HIERML_DATA, which lists folders of data sets separated by ':', is not set`) || !strings.Contains(err.Error(), "small.train.svm") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		folder(t, small())
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := OpenContext(ctx, "small"); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		if _, err := OpenTextsContext(ctx, "small"); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}

// The figures are those of the entries and of the table that comes with the data sets.
func TestGivenOpenPublished(t *testing.T) {
	given.Folder(t, given.Data)
	tests := map[string]struct {
		entriesPerRow, labelsPerRow float64
		withInnerLabel              int
	}{
		"ng15":          {130.5, 1, 0},
		"reuters21578":  {63.5, 1.24, 0},
		"rcv1":          {77.8, 1.46, 4440},
		"ec10":          {406.0, 1.08, 0},
		"imclef07a":     {80.0, 1, 0},
		"enron_corr":    {84.1, 2.87, 29},
		"cellcycle_fun": {72.7, 3.23, 2512},
		"phyletic_go":   {210.9, 2.58, 8878},
	}
	withConverted(t)
	for _, e := range converted {
		t.Run(e.Name, func(t *testing.T) {
			c, err := Open(e.Name)
			if err != nil {
				t.Fatal(err)
			}
			example.CheckMatrix(t, c.Train.X)
			example.CheckMatrix(t, c.Test.X)
			got := e
			got.Train, got.Test, got.Features, got.SeveralLabel = c.Train.Len(), c.Test.Len(), c.Train.X.Cols, 0
			labels, inner := 0, 0
			for _, set := range append(c.Train.Labels, c.Test.Labels...) {
				labels += len(set)
				if len(set) > 1 {
					got.SeveralLabel++
				}
				if slices.ContainsFunc(set, func(n int) bool { return !c.Train.Taxonomy.IsLeaf(n) }) {
					inner++
				}
			}
			countNodes(&got, c.Train.Taxonomy)
			if got.String() != e.String() || got.SeveralLabel != e.SeveralLabel || got.SeveralParents != e.SeveralParents || got.Tops != e.Tops {
				t.Errorf("counted\n%+v\nthe entry has\n%+v", got, e)
			}
			rows := float64(got.Train + got.Test)
			counted := fmt.Sprintf("%.1f %.2f %d", float64(c.Train.X.NonZeros()+c.Test.X.NonZeros())/rows, float64(labels)/rows, inner)
			test := tests[e.Name]
			if want := fmt.Sprintf("%.1f %.2f %d", test.entriesPerRow, test.labelsPerRow, test.withInnerLabel); counted != want {
				t.Errorf("counted %s, want %s", counted, want)
			}
			if v, err := Verify(e.Name); err != nil || !v.Right() {
				t.Errorf("%v, %v", v, err)
			}
		})
	}
}

// countNodes sets the figures of the taxonomy; the depth is the number of levels.
func countNodes(e *Entry, t *taxonomy.Taxonomy) {
	e.Nodes, e.Leaves, e.Tops, e.Depth, e.SeveralParents = t.Len(), len(t.Leaves()), len(t.Roots()), 0, 0
	for n := range t.Len() {
		e.Depth = max(e.Depth, t.Depth(n)+1)
		if len(t.Parents(n)) > 1 {
			e.SeveralParents++
		}
	}
}
