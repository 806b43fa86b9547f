package main

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// TestMain lets the test program be the command that a table starts for each training.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "rank" {
		if err := run(context.Background(), os.Args[1:]); err != nil {
			os.Stderr.WriteString(err.Error())
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestJudge(t *testing.T) {
	tree, err := taxonomy.Read(strings.NewReader("a\tb\na\tc\nd\te\nd\tf\ng\n"), "tree")
	if err != nil {
		t.Fatal(err)
	}
	number := func(name string) int { id, _ := tree.Node(name); return id }
	labels := func(sets ...string) (d *dataset.Dataset) {
		d = &dataset.Dataset{Taxonomy: tree}
		for _, set := range sets {
			var row []int
			for _, name := range strings.Fields(set) {
				row = append(row, number(name))
			}
			d.Labels = append(d.Labels, row)
		}
		return d
	}
	ranking := func(rows ...string) string {
		var b strings.Builder
		for _, row := range rows {
			for _, name := range strings.Fields(row) {
				b.WriteString(strconv.Itoa(number(name)+1) + " ")
			}
			b.WriteString("\n")
		}
		return b.String()
	}
	for _, c := range []struct {
		name    string
		several bool
		d       *dataset.Dataset
		ranked  string
		want    quality
		failure string
	}{
		{name: "single labels", d: labels("b", "c", "e", "g"), ranked: ranking("b c", "b c e", "b c f g e", "e"), want: quality{0.25, 0.5, 0.75, (0 + 1 + 2 + 1.5) / 4}},
		{name: "sets", several: true, d: labels("b c f", "e"), ranked: ranking("e b c f", "f e"), want: quality{0, 0.5, 0.4, 1}},
		{name: "rows missing", d: labels("b", "c"), ranked: ranking("b"), failure: "1 rankings of 2 rows"},
		{name: "an empty row", d: labels("b", "c"), ranked: ranking("b", ""), failure: "ranking 2 is empty"},
		{name: "an unknown node", d: labels("b"), ranked: "99\n", failure: `ranking 1: "99"`},
		{name: "six", d: labels("b"), ranked: ranking("b c e f g b"), failure: "is no five numbers"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "ranked")
			if err := os.WriteFile(file, []byte(c.ranked), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := judge(file, c.several, c.d)
			if c.failure != "" {
				if err == nil || !strings.Contains(err.Error(), c.failure) {
					t.Fatalf("error %v, want %q", err, c.failure)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for k, pair := range [][2]float64{{got.At1, c.want.At1}, {got.At3, c.want.At3}, {got.At5, c.want.At5}, {got.TreeLoss, c.want.TreeLoss}} {
				if math.Abs(pair[0]-pair[1]) > 1e-12 {
					t.Errorf("measure %d is %g, want %g", k, pair[0], pair[1])
				}
			}
		})
	}
}

// TestTable compares all methods of this library on generated texts, and then has their results
// from the file.
func TestTable(t *testing.T) {
	results := filepath.Join(t.TempDir(), "results")
	arguments := []string{"-sets", "texts", "-rows", "300", "-grid", "1", "-results", results}
	if err := compareMethods(t.Context(), arguments); err != nil {
		t.Fatal(err)
	}
	entries, err := readLines[entry](results)
	if err != nil {
		t.Fatal(err)
	}
	s, err := open(t.Context(), "texts", 300)
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]bool)
	chance := 1 / float64(len(s.taxonomy.Leaves()))
	for _, e := range entries {
		found[e.Method] = true
		if e.Error != "" || e.At1 < 3*chance || e.At1 > e.At3 || e.At3 > e.At5 || e.TrainingCPU <= 0 || e.Peak <= 0 {
			t.Errorf("%+v", e)
		}
	}
	for _, c := range contenders {
		if c.ours && c.can(s) != found[c.name] {
			t.Errorf("%s: run %v", c.name, found[c.name])
		}
		if c.ours != (fittings[c.name] != nil) {
			t.Errorf("%s: a method of this library %v", c.name, c.ours)
		}
	}
	if err := compareMethods(t.Context(), arguments); err != nil {
		t.Fatal(err)
	}
	if again, err := readLines[entry](results); err != nil || len(again) != len(entries) {
		t.Errorf("%d results, then %d (%v)", len(entries), len(again), err)
	}
}

func TestTableRefuses(t *testing.T) {
	for _, c := range []struct{ arguments, want string }{
		{"-sets nothing", `no set "nothing"`},
		{"-methods nothing", `no method "nothing"`},
		{"-methods PD-Sparse", "needs -python"},
		{"-grid 1,x", "grid"},
	} {
		if err := compareMethods(t.Context(), strings.Fields(c.arguments)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.arguments, err, c.want)
		}
	}
}
