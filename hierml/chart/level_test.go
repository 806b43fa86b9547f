package chart

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// evaluated returns a report. Each pair is the true and the predicted leaf of an instance, by their
// places among the leaves.
func evaluated(t *testing.T, tax *taxonomy.Taxonomy, pairs ...[2]int) *metric.Report {
	t.Helper()
	leaves := tax.Leaves()
	scores := mat.NewDense(len(pairs), len(leaves), nil)
	var truth [][]int
	for i, p := range pairs {
		truth = append(truth, []int{leaves[p[0]]})
		scores.Set(i, p[1], 1)
	}
	r, err := metric.EvaluateScores(scores, truth, tax)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// mistaken returns a report on three parts of four leaves each, with mistakes within and between.
func mistaken(t *testing.T) *metric.Report {
	return evaluated(t, paths(t, 3, 4), [2]int{0, 0}, [2]int{0, 1}, [2]int{0, 0}, [2]int{1, 1}, [2]int{2, 3}, [2]int{3, 3}, [2]int{4, 4}, [2]int{5, 9}, [2]int{8, 8}, [2]int{8, 8}, [2]int{10, 0})
}

func TestIcicle(t *testing.T) {
	tax := paths(t, 2, 2)
	values := []float64{0.5, 1, math.NaN(), 0, 0.25, 1}
	f, err := Icicle(tax, []float64{8, 2, 2, 3, 3, 0}, values, "weight <&>")
	if err != nil {
		t.Fatal(err)
	}
	c := &icicle{t: tax}
	c.place([]float64{8, 2, 2, 3, 3, 0})
	var got []string
	for _, b := range c.boxes {
		got = append(got, fmt.Sprintf("%s %d %.3f-%.3f", c.name(b), b.depth, b.low, b.high))
	}
	// The children of t0 leave a gap; one of t1's has no size.
	if want := "t0 0 0.000-0.727 | t1 0 0.727-1.000 | t0-l0 1 0.000-0.182 | t0-l1 1 0.182-0.364 | t1-l0 1 0.727-1.000"; strings.Join(got, " | ") != want {
		t.Errorf("the boxes are %s, want %s", strings.Join(got, " | "), want)
	}
	web := spec(t, f)
	for _, want := range []string{`"name":"t0-l0"`, `"size":8`, `"value":"no value"`, "click a box"} {
		if !strings.Contains(web, want) {
			t.Errorf("no %s in %.2000s", want, web)
		}
	}
	for words, err := range map[string]error{
		"no taxonomy":                 second(Icicle(nil, nil, nil, "")),
		"1 values":                    second(Icicle(tax, nil, []float64{1}, "")),
		"2 sizes":                     second(Icicle(tax, []float64{1, 2}, values, "")),
		`"t0" has the size -1`:        second(Icicle(tax, []float64{-1, 0, 0, 0, 0, 0}, values, "")),
		`has the size NaN`:            second(Icicle(tax, []float64{0, 0, math.NaN(), 0, 0, 0}, values, "")),
		"all sizes are zero":          second(Icicle(tax, make([]float64, 6), values, "")),
		"no predictions of instances": second(IcicleOf(&metric.Report{})),
	} {
		if err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%v does not say %q", err, words)
		}
	}
}

// The accuracies are those of the turns of a report, and the sizes count the instances.
func TestIcicleOf(t *testing.T) {
	f, err := IcicleOf(mistaken(t))
	if err != nil {
		t.Fatal(err)
	}
	web := spec(t, f)
	// Of 6 instances below t0, 4 are predicted as their leaf. Of 2 below t1, 1 goes elsewhere.
	for _, want := range []string{
		`"name":"t0","path":"t0","size":6,"up":-1,"value":"0.6667"`, `"name":"t1","path":"t1","size":2,"up":-1,"value":"1"`,
		`"name":"t0-l0","path":"t0/t0-l0","size":3,"up":0,"value":"0.6667"`, `"name":"t1-l1","path":"t1/t1-l1","size":1,"up":1,"value":"0"`,
	} {
		if !strings.Contains(web, want) {
			t.Errorf("no %s in %.3000s", want, web)
		}
	}
	if f.Title.Text != "Accuracy at each node, of 11 instances" || f.PNG() == nil {
		t.Errorf("the title is %q", f.Title.Text)
	}
}

func TestConfusionByLevel(t *testing.T) {
	f, err := ConfusionByLevel(mistaken(t))
	if err != nil {
		t.Fatal(err)
	}
	if want := "Confusions: 9 of 11 right"; f.Title.Text != want || f.PNG() == nil {
		t.Errorf("the title is %q, want %q", f.Title.Text, want)
	}
	web := spec(t, f)
	for _, want := range []string{
		`"title":"Confusions below t0: 4 of 6 right"`, `"title":"Confusions below t1: 1 of 1 right"`,
		`"name":"t0","node":0,"opens":true`, `"name":"t0-l0","node":1,"opens":false`,
		`"count":2,"ink":"white","node":1,"opens":false,"predicted":"t0-l0"`,
	} {
		if !strings.Contains(web, strings.ReplaceAll(want, `"white"`, `"#ffffff"`)) {
			t.Errorf("no %s in %.4000s", want, web)
		}
	}
	// Below an only root, its children are the first level.
	tax, err := taxonomy.FromPaths([]string{"all/a", "all/b"}, "/")
	if err != nil {
		t.Fatal(err)
	}
	if f, err = ConfusionByLevel(evaluated(t, tax, [2]int{0, 1})); err != nil || f.Title.Text != "Confusions below all: 0 of 1 right" {
		t.Errorf("an only root: %v, %v", f, err)
	}
	if _, err := ConfusionByLevel(&metric.Report{}); err == nil || !strings.HasPrefix(err.Error(), "chart: ") {
		t.Errorf("a report without predictions: %v", err)
	}
}

// Of a node with very many children, those with the most instances are drawn.
func TestConfusionOfManyChildren(t *testing.T) {
	var pairs [][2]int
	for i := range 60 {
		pairs = append(pairs, [2]int{i, i}, [2]int{i, (i + 7) % 60})
	}
	f, err := ConfusionByLevel(evaluated(t, paths(t, 1, 60), pairs...))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(f.Title.Text, "60 of 120 right (") || len(f.X.Tick.Marker.Ticks(0, 1)) != levelRows {
		t.Errorf("the title is %q, with %d columns", f.Title.Text, len(f.X.Tick.Marker.Ticks(0, 1)))
	}
}
