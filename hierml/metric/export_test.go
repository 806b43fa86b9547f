package metric_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// full returns a report in which the ranking loss of an instance, or of all, is not defined.
func full(t *testing.T, labels ...[]int) *metric.Report {
	t.Helper()
	scores := mat.NewDense(len(labels), 3, nil)
	for i := range labels {
		scores.SetRow(i, []float64{1, float64(i), 0.3})
	}
	r, err := metric.EvaluateScores(scores, labels, tree(t))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestJSON(t *testing.T) {
	for _, r := range []*metric.Report{full(t, []int{1, 2, 4}), full(t, []int{1, 2, 4}, []int{1}, []int{2, 4}), {Instances: 3, Accuracy: 0.25}} {
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if r.Instances == 1 && !strings.Contains(string(text), `"ranking loss":null`) {
			t.Errorf("no null in %s", text)
		}
		var back metric.Report
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		equal(t, &back, r)
		if r.PerInstance("accuracy") != nil && back.PerInstance("accuracy") != nil {
			t.Error("the short form has values of instances")
		}

		var long bytes.Buffer
		if err := r.WriteJSON(&long); err != nil {
			t.Fatal(err)
		}
		whole, err := metric.ReadJSON(&long, tree(t))
		if err != nil {
			t.Fatal(err)
		}
		equal(t, whole, r)
		if r.PerInstance("accuracy") != nil {
			other := full(t, []int{1}, []int{1}, []int{4})
			if _, err := metric.Significance(whole, r, "accuracy"); err != nil {
				t.Error(err)
			}
			if _, err := metric.Significance(whole, other, "accuracy"); err == nil {
				t.Error("compared with a report on other instances")
			}
		}
		for _, m := range r.Measures() {
			got, want := whole.PerInstance(m.Name), r.PerInstance(m.Name)
			if len(got) != len(want) {
				t.Errorf("%s: %v, want %v", m.Name, got, want)
			}
			for i := range want {
				if got[i] != want[i] && !(math.IsNaN(got[i]) && math.IsNaN(want[i])) {
					t.Errorf("%s: %v, want %v", m.Name, got, want)
				}
			}
		}
		if c, err := r.Confusion(); err == nil {
			if got, err := whole.Confusion(); err != nil || !reflect.DeepEqual(got.Predicted, c.Predicted) || !reflect.DeepEqual(got.Truth, c.Truth) {
				t.Errorf("confusion %v, want %v (%v)", got, c, err)
			}
		}
	}
	for text, want := range map[string]string{
		`{"measures": {"speed": 1}}`: "speed", `[`: "JSON", `{"report": null}`: "no report",
		`{"report": {"instances": 2}, "perInstance": {"accuracy": [1]}}`:                                    "1 values",
		`{"report": {"instances": 1}, "truth": [0], "predicted": [1]}`:                                      "not a leaf",
		`{"report": {"instances": 1}, "truth": [1], "predicted": [1, 2]}`:                                   "1 true and 2",
		`{"report": {"instances": 2}, "truth": [1], "predicted": [1]}`:                                      "1 true leaves",
		`{"report": {"instances": 1}, "labels": "x"}`:                                                       "hash",
		`{"report": {"instances": "many"}}`:                                                                 "JSON",
		`{"report": {"instances": 1}, "truth": [1]}`:                                                        "1 true and 0",
		`{"report": {"instances": -1}}`:                                                                     "a count of -1",
		`{"report": {"instances": 1, "parentInstances": 2}}`:                                                "a count of 2",
		`{"report": {"instances": 1, "depthInstances": [1, -3]}}`:                                           "a count of -3",
		`{"report": {"instances": 1, "at": [0]}}`:                                                           "ascending from 1",
		`{"report": {"instances": 1, "at": [3, 1]}}`:                                                        "ascending from 1",
		`{"report": {"instances": 2, "measures": {"accuracy": 0.9}}, "perInstance": {"accuracy": [1, 0]}}`:  "a mean of 0.5",
		`{"report": {"instances": 2, "measures": {"accuracy": null}}, "perInstance": {"accuracy": [1, 0]}}`: "a mean of 0.5",
		`{"report": {"instances": 2, "weighted": true}}`:                                                    "0 weights for 2",
		`{"report": {"instances": 2}, "weights": [1, -1]}`:                                                  "instance 1 is -1",
		`{"report": {"instances": 1}, "truth": [1], "predicted": [1], "taxonomy": "2a"}`:                    "another taxonomy",
	} {
		_, err := metric.ReadJSON(strings.NewReader(text), tree(t))
		if strings.Contains(text, "speed") {
			err = json.Unmarshal([]byte(text), new(metric.Report))
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", text, err, want)
		}
	}
}

// TestReadAnotherTaxonomy reads a report with a taxonomy whose leaves have the same numbers and
// other names, or other parents.
func TestReadAnotherTaxonomy(t *testing.T) {
	r, g := full(t, []int{1}, []int{2, 4}), tree(t)
	names, edges := slices.Clone(g.Names()), slices.Clone(g.Edges())
	names[1], names[2] = names[2], names[1]
	renamed, err := taxonomy.New(names, edges)
	if err != nil {
		t.Fatal(err)
	}
	moved, err := taxonomy.New(g.Names(), append(edges, [2]int{3, 1}))
	if err != nil {
		t.Fatal(err)
	}
	for _, other := range []*taxonomy.Taxonomy{renamed, moved} {
		if !slices.Equal(g.Leaves(), other.Leaves()) {
			t.Fatalf("leaves %v, and %v", g.Leaves(), other.Leaves())
		}
		var text bytes.Buffer
		if err := r.WriteJSON(&text); err != nil {
			t.Fatal(err)
		}
		if _, err := metric.ReadJSON(bytes.NewReader(text.Bytes()), other); err == nil || !strings.Contains(err.Error(), "another taxonomy") {
			t.Errorf("error %v", err)
		}
		if _, err := metric.ReadJSON(&text, nil); err != nil {
			t.Errorf("without a taxonomy: %v", err)
		}
	}
}

func equal(t *testing.T, got, want *metric.Report) {
	t.Helper()
	if got.Instances != want.Instances || len(got.Measures()) != len(want.Measures()) {
		t.Fatalf("%v, want %v", got, want)
	}
	for _, m := range want.Measures() {
		near(t, m.Name, value(t, got, m.Name), value(t, want, m.Name))
	}
	for i, l := range want.Levels {
		if got.Levels[i].Instances != l.Instances || got.Levels[i].Depth != l.Depth {
			t.Errorf("level %v, want %v", got.Levels[i], l)
		}
	}
}

func TestCSV(t *testing.T) {
	r := full(t, []int{1, 2, 4}, []int{1}, []int{2, 4})
	read := func(write func(*bytes.Buffer) error) [][]string {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		lines, err := csv.NewReader(&b).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		return lines
	}
	number := func(text string) float64 {
		if text == "" {
			return math.NaN()
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	lines := read(func(b *bytes.Buffer) error { return r.WriteCSV(b) })
	if len(lines) != 2+len(r.Measures()) {
		t.Errorf("%d lines", len(lines))
	}
	for _, l := range lines[2:] {
		near(t, l[0], number(l[3]), value(t, r, l[0]))
	}
	lines = read(func(b *bytes.Buffer) error { return r.WriteInstancesCSV(b) })
	if len(lines) != 4 || lines[3][1] != "go/build" || lines[3][2] != "go/build" {
		t.Errorf("instances %q", lines)
	}
	for i, l := range lines[1:] {
		for j, name := range lines[0][3:] {
			near(t, name, number(l[3+j]), r.PerInstance(name)[i])
		}
	}
	table := metric.Compare([]string{"a, b", "nothing"}, []*metric.Report{r})
	table.Measures = []string{"H-loss", "speed", "accuracy at depth 1"}
	lines = read(func(b *bytes.Buffer) error { return table.WriteCSV(b) })
	want := [][]string{{"name", "instances", "H-loss", "speed", "accuracy at depth 1"}, {"a, b", "3", lines[1][2], "", lines[1][4]}, {"nothing", "", "", "", ""}}
	if !reflect.DeepEqual(lines, want) {
		t.Errorf("table %q, want %q", lines, want)
	}
	near(t, "H-loss", number(lines[1][2]), r.HLoss)
	near(t, "accuracy at depth 1", number(lines[1][4]), r.Levels[1].Accuracy)
	if text := table.String() + table.HTML(); !strings.Contains(text, "speed") || strings.Contains(text, "NaN") {
		t.Error(text)
	}
	if err := (&metric.Report{}).WriteInstancesCSV(&bytes.Buffer{}); err == nil {
		t.Error("instances of a report without")
	}
	infinite, err := metric.PairedT([]float64{2, 3}, []float64{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	if text, err := json.Marshal(infinite); err != nil || !strings.Contains(string(text), `"statistic":null`) {
		t.Errorf("%s, %v", text, err)
	}
}
