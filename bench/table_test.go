package main

import (
	"context"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/synthetic"
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
		want    [4]float64
		failure string
	}{
		{name: "single labels", d: labels("b", "c", "e", "g"), ranked: ranking("b c", "b c e", "b c f g e", "e"), want: [4]float64{0.25, 0.5, 0.75, (0 + 1 + 2 + 1.5) / 4}},
		{name: "sets", several: true, d: labels("b c f", "e"), ranked: ranking("e b c f", "f e"), want: [4]float64{0, 0.5, 0.4, 1}},
		{name: "rows missing", d: labels("b", "c"), ranked: ranking("b"), failure: "1 rankings of 2 rows"},
		{name: "an empty row", d: labels("b", "c"), ranked: ranking("b", ""), failure: "ranking 2 is empty"},
		{name: "an unknown node", d: labels("b"), ranked: "99\n", failure: `ranking 1: "99"`},
		{name: "six", d: labels("b"), ranked: ranking("b c e f g b"), failure: "is not five numbers"},
		{name: "a set missing", d: labels("b", "c"), ranked: "2 ; 2\n2\n", failure: "either each row has a set or none"},
		{name: "an unknown node in a set", d: labels("b"), ranked: "2 ; 99\n", failure: "is not a set of nodes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "ranked")
			if err := os.WriteFile(file, []byte(c.ranked), 0o600); err != nil {
				t.Fatal(err)
			}
			p, err := readPredictions(file, "", false, c.d)
			if c.failure != "" {
				if err == nil || !strings.Contains(err.Error(), c.failure) {
					t.Fatalf("error %v, want %q", err, c.failure)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got, err := judge(p, c.several, c.d)
			if err != nil {
				t.Fatal(err)
			}
			for k, value := range []float64{got.At1, got.At3, got.At5, got.TreeLoss} {
				if math.Abs(value-c.want[k]) > 1e-12 {
					t.Errorf("measure %d is %g, want %g", k, value, c.want[k])
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
	guess := 1 / float64(len(s.taxonomy.Leaves()))
	for _, e := range entries {
		found[e.Method] = true
		// A decision for inner nodes is no label, but more of the tree is right.
		inner := strings.HasSuffix(e.Method, ", least loss") || strings.HasSuffix(e.Method, ", largest F")
		few := e.At1 < 3*guess && !inner
		if e.Error != "" || few || e.At1 > e.At3 || e.At3 > e.At5 || e.F1 < 3*guess || e.AUPRC < 3*guess || len(e.Without["F1"]) != groups || e.TrainingCPU <= 0 || e.Peak <= 0 {
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

// TestTableOfSeveral runs the methods of this library that predict sets on rows with two labels,
// and one without sets, whose threshold is chosen on other rows.
func TestTableOfSeveral(t *testing.T) {
	c, err := synthetic.TextLike{Train: 800, Test: 400, Mix: []float64{0.15, 0.15}, Noise: -1}.Generate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := &set{name: "two", several: true, taxonomy: c.Train.Taxonomy, train: twofold(c.Train), test: twofold(c.Test)}
	if s.fit, s.heldOut, err = s.train.Split(0.2, 1); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	choosing, comparing, err := s.write(folder)
	if err != nil {
		t.Fatal(err)
	}
	o := tableOptions{grid: []float64{1}, peerOptions: peerOptions{time: time.Minute}}
	for _, m := range contenders {
		if !m.ours || !m.sets && m.name != "one-vs-rest, squared hinge" && m.name != "Ridge" {
			continue
		}
		var e entry
		if err := o.measure(t.Context(), s, m, folder, choosing, comparing, &e); err != nil {
			t.Fatal(m.name, err)
		}
		if e.F1 < 0.5 || e.Precision < 0.4 || e.Recall < 0.4 || e.AUPRC < 0.4 || e.At1 < 0.4 {
			t.Errorf("%s: %+v", m.name, e.quality)
		}
	}
}

// twofold returns each two rows joined, with the labels of both.
func twofold(d *dataset.Dataset) *dataset.Dataset {
	both := &dataset.Dataset{Taxonomy: d.Taxonomy, X: &dataset.Matrix{Rows: d.Len() / 2, Cols: d.X.Cols, Indptr: []int{0}}}
	for i := 0; i+1 < d.Len(); i += 2 {
		sums := make(map[int32]float32)
		for _, r := range []int{i, i + 1} {
			indices, values := d.X.Row(r)
			for k, f := range indices {
				sums[f] += values[k] / 2
			}
		}
		for _, f := range slices.Sorted(maps.Keys(sums)) {
			both.X.Indices, both.X.Values = append(both.X.Indices, f), append(both.X.Values, sums[f])
		}
		both.X.Indptr = append(both.X.Indptr, len(both.X.Indices))
		labels := slices.Concat(d.Labels[i], d.Labels[i+1])
		slices.Sort(labels)
		both.Labels = append(both.Labels, slices.Compact(labels))
	}
	return both
}

// TestVersions holds that results of another version are not mixed with new ones.
func TestVersions(t *testing.T) {
	file := filepath.Join(t.TempDir(), "results")
	for _, c := range []struct{ text, want string }{
		{`{"Set":"texts","Method":"flat"}` + "\n" + `{"Version":2,"Set":"texts","Method":"shared"}`, "of version 0 of the comparison and of version 2"},
		{`{"Set":"texts","Method":"flat"}`, "give another file to -results"},
	} {
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := compareMethods(t.Context(), []string{"-sets", "texts", "-methods", "flat", "-results", file}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.text, err, c.want)
		}
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
