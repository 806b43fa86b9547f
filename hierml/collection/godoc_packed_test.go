package collection

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// What was packed is the same corpus, document by document.
func TestPackedGoDoc(t *testing.T) {
	root, err := goRoot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want, err := GoDoc(root)
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	if err := PackGoDoc(&packed, root); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "godoc.jsonl.gz")
	if err := os.WriteFile(file, packed.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := packedGoDoc(file)
	if err != nil {
		t.Fatal(err)
	}
	if got.Name != want.Name || !reflect.DeepEqual(got.Documents, want.Documents) {
		t.Errorf("%s with %d documents, want %s with %d", got.Name, len(got.Documents), want.Name, len(want.Documents))
	}
	if got.Taxonomy.Len() != want.Taxonomy.Len() {
		t.Errorf("%d nodes, want %d", got.Taxonomy.Len(), want.Taxonomy.Len())
	}
	if _, err := packedGoDoc(filepath.Join(t.TempDir(), "missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of a file that is not there: %v", err)
	}
}
