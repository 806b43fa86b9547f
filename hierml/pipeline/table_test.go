package pipeline_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/features"
	"github.com/hierml/notebook/hierml/files"
	"github.com/hierml/notebook/hierml/pipeline"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/internal/testrun"
)

// table draws rows of all kinds of columns with missing and rare values, of which some are in
// others tables alone.
func table(rng *rand.Rand, rows int) *dataset.Table {
	size, count := dataset.Numbers("size"), dataset.Numbers("n")
	said, land, tags, way, label := dataset.Texts("said"), dataset.Words("Land, \"x\""), dataset.Sets("tags"), dataset.Words("way"), dataset.Words("label")
	way.Kind, way.Separator, label.Kind = dataset.Path, "::", dataset.Path
	for range rows {
		class := rng.IntN(5)
		size.Numbers = append(size.Numbers, []float64{math.NaN(), 1e9 + float64(rng.IntN(1000)), rng.NormFloat64() * math.Pow(10, float64(rng.IntN(12)-4)), float64(class)}[rng.IntN(4)])
		count.Numbers = append(count.Numbers, float64(rng.IntN(9)-3))
		said.Words = append(said.Words, []string{"", text(rng, []int{class}, 1+rng.IntN(9))}[min(1, rng.IntN(8))])
		land.Words = append(land.Words, []string{"", "DE", word(rng.IntN(40)), fmt.Sprint(class)}[rng.IntN(4)])
		var set []string
		for range rng.IntN(4) {
			if w := fmt.Sprint("t", int(rng.ExpFloat64()*5)); !strings.Contains(strings.Join(set, " "), w) {
				set = append(set, w)
			}
		}
		tags.Sets = append(tags.Sets, set)
		way.Words = append(way.Words, []string{"", "a", "a::b", "a::b::c", fmt.Sprint("d::", rng.IntN(30))}[rng.IntN(5)])
		label.Words = append(label.Words, []string{"a/x", "a/y", "b/z", "b", "c"}[class])
	}
	for i, w := range said.Words { // JSON carries no bytes that are no text
		said.Words[i] = strings.ToValidUTF8(w, "?")
	}
	for i, w := range land.Words {
		land.Words[i] = strings.ToValidUTF8(w, "?")
	}
	t, err := dataset.NewTable("drawn", size, count, said, land, tags, way, label)
	if err == nil {
		t, err = t.WithLabels("label", nil)
	}
	if err == nil {
		t, err = t.Leafed()
	}
	if err != nil {
		panic(err)
	}
	return t
}

// columnsOf draws settings.
func columnsOf(rng *rand.Rand) features.Columns {
	number := features.Number{Log: rng.IntN(2) == 0, Missing: features.Missing(1 + rng.IntN(4)), Value: -1.5, Indicator: rng.IntN(2) == 0, Scale: features.ColumnScale(rng.IntN(5))}
	return features.Columns{
		Text: features.Text{NGrams: [2]int{1, 1 + rng.IntN(2)}, Weight: features.TermWeight(rng.IntN(6))}, Number: number,
		Nominal: features.Nominal{MinRows: rng.IntN(4)}, Set: features.Nominal{MinRows: rng.IntN(4)},
		Of:       map[string]features.Column{"n": {Number: &features.Number{Scale: features.ColumnScale(rng.IntN(5))}}},
		Constant: float32(rng.IntN(2)),
	}
}

// tables returns pipelines of tables.
func tables(t *testing.T, n int) map[string]*pipeline.Pipeline {
	t.Helper()
	ctx := context.Background()
	all := make(map[string]*pipeline.Pipeline)
	for k := range n {
		rng := rand.New(rand.NewPCG(uint64(k), 12))
		train := table(rng, 60)
		encoder, err := columnsOf(rng).Fit(ctx, train)
		if err != nil {
			t.Fatal(err)
		}
		d, err := encoder.Transform(ctx, train)
		if err != nil {
			t.Fatal(err)
		}
		p := &pipeline.Pipeline{Columns: encoder}
		if k%3 == 0 {
			scaler, err := features.Scaling{UnitLength: true}.Fit(d)
			if err != nil {
				t.Fatal(err)
			}
			if d, err = scaler.Transform(d); err != nil {
				t.Fatal(err)
			}
			p.Steps = []pipeline.Step{scaler}
		}
		if k%4 == 3 { // several labels a row
			leaves := d.Taxonomy.Leaves()
			for i := range d.Labels {
				if also := leaves[i%len(leaves)]; i%3 > 0 && also != d.Labels[i][0] {
					d.Labels[i] = slices.Sorted(slices.Values([]int{also, d.Labels[i][0]}))
				}
			}
			if p.Calibrated, err = (svm.Calibration{Folds: 2}).Fit(ctx, svm.OneVsRest{C: 1}, d); err != nil {
				t.Fatal(err)
			}
		} else if p.Model, err = []classifier.Estimator{svm.Hierarchical{C: 1}, svm.Flat{C: 1}, svm.Recursive{C: 1}}[k%3].Fit(ctx, d); err != nil {
			t.Fatal(err)
		}
		all[fmt.Sprint("table ", k)] = p
	}
	return all
}

// TestTablesAgreeRowByRow compares, over drawn tables, what a pipeline says of a row with what the
// same pipeline says once it is saved, of the row once that is written to a file, and what the
// package for Python says.
func TestTablesAgreeRowByRow(t *testing.T) {
	ctx := context.Background()
	folder := t.TempDir()
	n, rows := 12, 40
	if testrun.Long() {
		n, rows = 120, 200
	}
	all := tables(t, n)
	tested := make(map[string]*dataset.Table)
	input := make(map[string][]map[string]any)
	for name, p := range all {
		if err := p.Save(filepath.Join(folder, encoded(name))); err != nil {
			t.Fatal(err)
		}
		test := table(rand.New(rand.NewPCG(uint64(len(tested)), 13)), rows)
		tested[name] = test
		for i := range test.Len() {
			row := make(map[string]any)
			for k := range test.Columns {
				c := &test.Columns[k]
				switch {
				case c.Missing(i):
					row[c.Name] = nil
				case c.Kind == dataset.Number:
					row[c.Name] = c.Numbers[i]
				case c.Kind == dataset.Set && i%2 == 0:
					row[c.Name] = c.Sets[i]
				default:
					row[c.Name] = c.Value(i)
				}
			}
			input[encoded(name)] = append(input[encoded(name)], row)
		}
	}
	data, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	c := python(t, filepath.Join("testdata", "rows.py"), folder)
	c.Stdin = bytes.NewReader(data)
	var got map[string]said
	if err := json.Unmarshal(output(t, c), &got); err != nil {
		t.Fatal(err)
	}
	for name, p := range all {
		test := tested[name]
		x, err := p.Rows(ctx, test)
		if err != nil {
			t.Fatal(err)
		}
		answers, err := p.PredictTable(ctx, test, 3)
		if err != nil {
			t.Fatal(err)
		}
		loaded, err := pipeline.Load(filepath.Join(folder, encoded(name)))
		if err != nil {
			t.Fatal(err)
		}
		again, err := loaded.PredictTable(ctx, asFile(t, test, loaded), 3)
		if err != nil {
			t.Fatal(err)
		}
		python := got[encoded(name)]
		sets, err := p.Sets(ctx, test)
		if several := p.Calibrated != nil; (err == nil) != several || (python.Sets != nil) != several {
			t.Errorf("%s: sets %v, of Python %v: %v", name, sets, python.Sets, err)
			sets = nil
		}
		for i := range test.Len() {
			for k := range answers.Columns {
				if a, b := answers.Columns[k].Value(i), again.Columns[k].Value(i); a != b {
					t.Errorf("%s, row %d: %s is %q, and of the saved pipeline and row %q", name, i, answers.Columns[k].Name, a, b)
				}
			}
			if sets != nil {
				if names := test.Taxonomy.NamesOf(sets[i]...); !slices.Equal(names, python.Sets[i]) || !slices.Equal(names, answers.Columns[8].Sets[i]) {
					t.Errorf("%s, row %d: labels %q, of the table %q and of Python %q", name, i, names, answers.Columns[8].Sets[i], python.Sets[i])
				}
			}
			if a := answers.Columns[1].Words[i]; a != python.Labels[i] {
				t.Errorf("%s, row %d: label %q, and of Python %q", name, i, a, python.Labels[i])
			}
			indices, values := x.Row(i)
			if len(indices) != len(python.Columns[i]) {
				t.Fatalf("%s, row %d: features %v, and of Python %v", name, i, indices, python.Columns[i])
			}
			for k, j := range indices {
				if v := python.Values[i][k]; int(j) != python.Columns[i][k] || math.Abs(float64(values[k])-v) > 3e-7*math.Abs(v) {
					t.Errorf("%s, row %d: feature %d is %v, and of Python %d %v", name, i, j, values[k], python.Columns[i][k], v)
				}
			}
		}
	}
}

// asFile returns the table as it is read after it was written, by the columns of the pipeline.
func asFile(t *testing.T, of *dataset.Table, p *pipeline.Pipeline) *dataset.Table {
	t.Helper()
	var b bytes.Buffer
	if err := (files.Table{}).Write(context.Background(), &b, of); err != nil {
		t.Fatal(err)
	}
	read, err := files.Table{Like: p.Fields(), Missing: []string{"none"}}.Read(context.Background(), &b, "drawn", nil)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

func TestTablePipelineRefuses(t *testing.T) {
	ctx := context.Background()
	p := tables(t, 1)["table 0"]
	test := table(rand.New(rand.NewPCG(1, 1)), 5)
	if _, err := p.Predict("a text"); err == nil || !strings.Contains(err.Error(), "use PredictTable") {
		t.Errorf("a text: %v", err)
	}
	narrow, err := test.Select("size", "said")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.PredictTable(ctx, narrow, 1); err == nil || !strings.Contains(err.Error(), "has no column") {
		t.Errorf("a table without columns: %v", err)
	}
	if _, err := p.PredictTable(ctx, test, 0); err == nil {
		t.Error("the best 0 labels")
	}
	if _, err := p.PredictTable(ctx, nil, 1); err == nil {
		t.Error("no table")
	}
	both := &pipeline.Pipeline{Columns: p.Columns, Vectorizer: new(features.Vectorizer), Model: p.Model}
	if err := both.Save(filepath.Join(t.TempDir(), "x")); err == nil || !strings.Contains(err.Error(), "both Vectorizer and Columns") {
		t.Errorf("both: %v", err)
	}
}
