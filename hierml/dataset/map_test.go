package dataset_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/files"
	"github.com/hierml/notebook/hierml/internal/example"
)

func TestMap(t *testing.T) {
	text, corpus := example.Rows(500, 20)
	tax := corpus.Taxonomy
	text += "apple,bread\n 3:1\n"
	want, err := files.ReadSVMLight(strings.NewReader(text), "rows", tax)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	file := filepath.Join(folder, "rows.map")
	all := files.SVMLight{}.Instances(t.Context(), strings.NewReader(text), "rows", tax)
	instances := func(yield func(dataset.Instance, error) bool) {
		for in, err := range all {
			// Killed now, it would leave what the next removes: the file that it is writing.
			if left, globErr := filepath.Glob(filepath.Join(folder, ".*")); runtime.GOOS != "windows" && len(left) > 0 || globErr != nil {
				t.Errorf("the folder has %q, %v", left, globErr)
			}
			if !yield(in, err) {
				return
			}
		}
	}
	if err := dataset.SaveMap(t.Context(), file, "rows", tax, nil, instances); err != nil {
		t.Fatal(err)
	}
	m, err := dataset.Map(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	example.CheckMatrix(t, m.X)
	example.CheckSame(t, m.Dataset, want)
	if m.Name != "rows" || m.X.Cols != want.X.Cols || !slices.Equal(m.Taxonomy.Names(), tax.Names()) || !reflect.DeepEqual(m.Taxonomy.Edges(), tax.Edges()) {
		t.Errorf("got %v", m.Dataset)
	}
	m.X.Values[0] = 7 // in memory only
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if err := m.Close(); err != nil {
		t.Errorf("closed again: %v", err)
	}
	words := make([]string, want.X.Cols+3)
	if err := dataset.SaveMap(t.Context(), file, "again", tax, words, want.Instances()); err != nil {
		t.Fatal(err)
	}
	if m, err = dataset.Map(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	example.CheckSame(t, m.Dataset, want)
	if m.X.Cols != len(words) || len(m.Vocabulary) != len(words) {
		t.Errorf("%d columns", m.X.Cols)
	}
	left, err := os.ReadDir(folder)
	if err != nil || len(left) != 1 {
		t.Errorf("the folder has %v", left)
	}
}

func TestMapErrors(t *testing.T) {
	tax := example.Fruit()
	folder := t.TempDir()
	file := filepath.Join(folder, "rows.map")
	d, err := files.ReadSVMLight(strings.NewReader("apple 1:1 3:2\npear,tool 2:1\n"), "rows", tax)
	if err != nil {
		t.Fatal(err)
	}
	if err := dataset.SaveMap(t.Context(), file, "rows", tax, nil, d.Instances()); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	damaged := filepath.Join(folder, "damaged.map")
	open := func(content []byte) (*dataset.Mapped, error) {
		if err := os.WriteFile(damaged, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return dataset.Map(t.Context(), damaged)
	}
	for n := range whole {
		if _, err := open(whole[:n]); err == nil {
			t.Errorf("cut to %d of %d bytes, it opens", n, len(whole))
		}
		changed := bytes.Clone(whole)
		changed[n] ^= 0xff
		if m, err := open(changed); err == nil {
			example.CheckMatrix(t, m.X)
			if len(example.Printed(m.Dataset)) == 0 {
				t.Error("nothing in it")
			}
			if err := m.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := dataset.Map(t.Context(), filepath.Join(folder, "nowhere")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no such file: %v", err)
	}
	if _, err := dataset.Map(t.Context(), folder); err == nil {
		t.Error("maps a folder")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := dataset.Map(ctx, file); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that ended: %v", err)
	}
	if err := dataset.SaveMap(ctx, damaged, "x", tax, nil, d.Instances()); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that ended: %v", err)
	}
	if err := dataset.SaveMap(t.Context(), file, "x", tax, []string{"one word"}, d.Instances()); err == nil || !strings.Contains(err.Error(), "vocabulary") {
		t.Errorf("more columns than words: %v", err)
	}
	_, broken := dataset.Map(t.Context(), file) // still what it was
	if broken != nil {
		t.Error(broken)
	}
	err = dataset.SaveMap(t.Context(), file, "x", tax, nil, files.SVMLight{}.Instances(t.Context(), strings.NewReader("apple 1:1\nplum 1:1\n"), "rows", tax))
	var at *files.SyntaxError
	if !errors.As(err, &at) || at.Line != 2 {
		t.Errorf("a fault of the source: %v", err)
	}
	left, err := os.ReadDir(folder)
	if err != nil || len(left) != 2 {
		t.Errorf("the folder has %v", left)
	}
}

// TestMapOfOtherVocabulary is the finding module_map_vocabulary: a file whose parts do not agree.
func TestMapOfOtherVocabulary(t *testing.T) {
	tax := example.Fruit()
	file := filepath.Join(t.TempDir(), "rows.map")
	d, err := files.ReadSVMLight(strings.NewReader("apple 1:1 3:2\n"), "rows", tax)
	if err != nil {
		t.Fatal(err)
	}
	if err := dataset.SaveMap(t.Context(), file, "rows", tax, []string{"a", "b", "c"}, d.Instances()); err != nil {
		t.Fatal(err)
	}
	m, err := dataset.Map(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const columns = 16 // where the header says how many there are
	content[columns]++
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := dataset.Map(t.Context(), file); err == nil || !strings.Contains(err.Error(), "a vocabulary of 3 words for 4 columns") {
		t.Errorf("got %v", err)
	}
}
