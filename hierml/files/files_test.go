package files

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// TestOpenFiles reads a file of every format, and one that is not there.
func TestOpenFiles(t *testing.T) {
	pets, err := taxonomy.FromPaths([]string{"cat", "dog"}, "/")
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	open := func(file string, content string, read func(file string) (interface{ Len() int }, error)) {
		t.Helper()
		path := filepath.Join(t.TempDir(), file)
		if _, err := read(path); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("%s is not there: %v", file, err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		d, err := read(path)
		if err != nil || d.Len() != 2 {
			t.Errorf("%s: %v, %v; want two instances", file, d, err)
		}
	}
	open("a.svm", "cat 1:1\ndog 2:1\n", func(f string) (interface{ Len() int }, error) { return SVMLight{}.Open(ctx, f, pets) })
	open("a.lshtc", "cat 1:1\ndog 2:1\n", func(f string) (interface{ Len() int }, error) { return LSHTC{}.Open(ctx, f, pets) })
	open("a.dat", "1 1:1\n2 2:1\n", func(f string) (interface{ Len() int }, error) {
		return RCV1{Topics: map[int][]int{1: {0}, 2: {1}}}.Open(ctx, f, pets)
	})
	open("a.arff", "@relation r\n@attribute x numeric\n@attribute class hierarchical cat,dog\n@data\n1,cat\n2,dog\n", func(f string) (interface{ Len() int }, error) {
		return ARFF{}.Open(ctx, f, nil)
	})
	open("a.csv", "text,label\na b,cat\nb c,dog\n", func(f string) (interface{ Len() int }, error) { return CSV{}.Open(ctx, f, pets) })
	open("b.csv", "x,label\n1,cat\n2,dog\n", func(f string) (interface{ Len() int }, error) { return Table{}.Open(ctx, f, pets) })
	open("a.jsonl", `{"id": "1", "text": "a", "labels": ["cat"]}`+"\n"+`{"id": "2", "text": "b", "labels": ["dog"]}`+"\n", func(f string) (interface{ Len() int }, error) {
		return JSONLines{}.Open(ctx, f, pets)
	})
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	path := filepath.Join(t.TempDir(), "a.svm")
	if err := os.WriteFile(path, []byte("cat 1:1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if d, err := (SVMLight{}).Open(cancelled, path, pets); err == nil {
		t.Error(fmt.Sprint("read though the context has ended: ", d))
	}
}
