package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the tables of doc/comparison.md, doc/scale.md and doc/speed.md anew")

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
	var tables bytes.Buffer
	if err := show(&tables, names, contenders, entries); err != nil {
		t.Fatal(err)
	}
	holds(t, "comparison.md", "## Tables\n\n", tables.Bytes())
}

// TestScalePage holds that the table and the chart of the page on scale are those of the results in
// testdata.
func TestScalePage(t *testing.T) {
	measured, err := readLines[measurement](filepath.Join("testdata", "scale.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range measured {
		if !slices.ContainsFunc(trainings, m.is) {
			t.Errorf("results of %s on %s, which the table does not have", m.Method, m.Problem)
		}
	}
	var tables, chart bytes.Buffer
	if err := showSizes(&tables, measured); err != nil {
		t.Fatal(err)
	}
	holds(t, "scale.md", "## Table\n\n", tables.Bytes())
	if err := drawGrowth(&chart, measured); err != nil {
		t.Fatal(err)
	}
	holds(t, "scale.svg", "", chart.Bytes())
}

// TestSpeedPage holds that the table of the page on speed is that of the results in testdata.
func TestSpeedPage(t *testing.T) {
	measured, err := readLines[speedResult](filepath.Join("testdata", "speed.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range measured {
		if !slices.ContainsFunc(contests, func(c contest) bool { return c.row == r.Row && slices.Contains(c.cases, r.Case) }) {
			t.Errorf("results of %s on %s, which the table does not have", r.Row, r.Case)
		}
	}
	var tables bytes.Buffer
	if err := showSpeed(&tables, measured); err != nil {
		t.Fatal(err)
	}
	holds(t, "speed.md", "## Table\n\n", tables.Bytes())
}

// holds compares, or writes, what a file of the documentation has after a heading.
func holds(t *testing.T, name, heading string, want []byte) {
	t.Helper()
	path := filepath.Join("..", "doc", name)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	above, below, ok := strings.Cut(string(text), heading)
	if !ok {
		t.Fatalf("%s has no heading %q", path, heading)
	}
	if *update {
		if err := os.WriteFile(path, []byte(above+heading+string(want)), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if below != string(want) {
		t.Errorf("%s is not that of the results; 'go test -run Page ./bench -update' writes it", path)
	}
}
