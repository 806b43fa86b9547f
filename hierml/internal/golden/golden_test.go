package golden_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hierml/notebook/hierml/internal/golden"
)

func TestRead(t *testing.T) {
	cases, err := golden.Read("taxonomy")
	if err != nil {
		t.Fatal(err)
	}
	var first struct{ Taxonomy golden.Taxonomy }
	if err := cases[0].Decode(&first); err != nil {
		t.Fatal(err)
	}
	tree, err := first.Taxonomy.New()
	if err != nil {
		t.Fatal(err)
	}
	if cases[0].ID == "" || tree.Len() != first.Taxonomy.N {
		t.Errorf("case %q has %d nodes, want a name and %d", cases[0].ID, tree.Len(), first.Taxonomy.N)
	}
}

func TestReadRefuses(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HIERML_GOLDEN", dir)
	for name, text := range map[string]string{
		"text":   "no json",
		"schema": `{"family": "schema", "schema": 2, "cases": [{}]}`,
		"name":   `{"family": "other", "schema": 1, "cases": [{}]}`,
		"empty":  `{"family": "empty", "schema": 1, "cases": []}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name+".json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := golden.Read(name); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := golden.Read("missing"); err == nil {
		t.Error("missing file: no error")
	}
}
