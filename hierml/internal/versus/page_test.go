package main

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the tables of doc/comparison.md anew")

// TestPage holds that the tables of the page are those of the results in testdata.
func TestPage(t *testing.T) {
	entries, err := readEntries(filepath.Join("testdata", "results.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range sets {
		if slices.ContainsFunc(entries, func(e entry) bool { return e.Set == s.name }) {
			names = append(names, s.name)
		}
	}
	for _, e := range entries {
		if !slices.Contains(names, e.Set) || !slices.ContainsFunc(contenders, func(c contender) bool { return c.name == e.Method }) {
			t.Errorf("results of %s on %s, which the table does not have", e.Method, e.Set)
		}
	}
	var tables strings.Builder
	if err := show(&tables, names, contenders, entries); err != nil {
		t.Fatal(err)
	}
	path := filepath.FromSlash("../../../doc/comparison.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const heading = "## Tables\n\n"
	above, below, ok := strings.Cut(string(text), heading)
	if !ok {
		t.Fatalf("%s has no heading %q", path, heading)
	}
	if *update {
		if err := os.WriteFile(path, []byte(above+heading+tables.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if below != tables.String() {
		t.Errorf("the tables of %s are not those of the results; 'go test -run Page ./hierml/internal/versus -update' writes them", path)
	}
}
