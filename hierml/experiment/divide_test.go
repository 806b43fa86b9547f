package experiment

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/features"
	"github.com/hierml/notebook/hierml/metric"
)

// TestSplits counts what is trained on and tested on.
func TestSplits(t *testing.T) {
	d := linearTree(t, 80)
	train, test := d.Subset(sequence(0, 50)), d.Subset(sequence(50, 80))
	both := &dataset.Collection{Name: "c", Train: train, Test: test}
	texts := &dataset.Corpus{Name: "t", Taxonomy: d.Taxonomy}
	for i := range d.Len() {
		part := "train"
		if i >= 50 {
			part = "test"
		}
		texts.Documents = append(texts.Documents, dataset.Document{Text: fmt.Sprintf("w%d w%d only%d", i%7, i%5, i), Labels: d.Labels[i], Part: part})
	}
	classes := len(d.Taxonomy.Leaves())
	for _, test := range []struct {
		name  string
		data  Data
		split Split
		sizes string // "train/test" of the cells
	}{
		{"given", Data{Collection: both}, Split{}, "50/30"},
		{"given texts", Data{Corpus: texts}, Split{}, "50/30"},
		{"nothing given", Data{Set: d}, Split{}, "56/24"},
		{"folds of a collection", Data{Collection: both}, Split{Folds: 4}, "60/20 60/20 60/20 60/20"},
		{"per class", Data{Set: d}, Split{PerClass: []int{2, 5}}, fmt.Sprintf("%d/%d %d/%d", 2*classes, 80-2*classes, 5*classes, 80-5*classes)},
		{"per class of the training part", Data{Collection: both}, Split{PerClass: []int{2}, GivenTest: true}, fmt.Sprintf("%d/30", 2*classes)},
		{"forward", Data{Set: d}, Split{Forward: 3}, "20/20 40/20 60/20"},
		{"rounds", Data{Set: d}, Split{Rounds: []dataset.Division{{Train: sequence(0, 40), Test: []int{70, 79}}, {Train: sequence(3, 80), Test: []int{1}}}}, "40/2 77/1"},
	} {
		s := &Study{Data: []Data{test.data}, Methods: []Method{{Estimator: Centroids{}}}, Split: test.split}
		r := complete(t, s)
		var sizes []string
		for _, c := range r.Cells {
			sizes = append(sizes, fmt.Sprintf("%d/%d", c.Train, c.Test))
			if c.Error != "" {
				t.Errorf("%s: %s", test.name, c.Error)
			}
		}
		if got := strings.Join(sizes, " "); got != test.sizes {
			t.Errorf("%s: %s, want %s", test.name, got, test.sizes)
		}
	}
	for _, round := range []dataset.Division{{Train: []int{0}}, {Train: []int{0, 1}, Test: []int{1}}, {Train: []int{1, 0}, Test: []int{2}}, {Train: []int{0}, Test: []int{80}}} {
		s := &Study{Data: []Data{{Set: d}}, Methods: []Method{{Estimator: Centroids{}}}, Split: Split{Rounds: []dataset.Division{round}}}
		if _, err := s.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "Split.Rounds, at position 0: ") {
			t.Errorf("%+v: error %v", round, err)
		}
	}
}

// TestImpossibleDivisions refuses divisions that cannot be made before anything is trained.
func TestImpossibleDivisions(t *testing.T) {
	d := linearTree(t, 40)
	grid := Grid{"Noise": {0.1, 0.2}}
	for _, test := range []struct {
		split, inner Split
		want         string
	}{
		{Split{Folds: 100}, Split{}, "100 folds need at least one each"},
		{Split{PerClass: []int{1000}}, Split{}, "test"},
		{Split{PerClass: []int{2, 1000}}, Split{}, "test"},
		{Split{PerClass: []int{2}, GivenTest: true}, Split{}, "these do not; choose another split"},
		{Split{PerClass: []int{1}}, Split{Folds: 30}, "Study.Inner"},
	} {
		s := &Study{Data: []Data{{Set: d}}, Methods: []Method{{Estimator: Centroids{}, Grid: grid}}, Split: test.split, Inner: test.inner}
		if test.inner.zero() {
			s.Methods[0].Grid = nil
		}
		_, err := s.Run(t.Context())
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), `data set "tree"`) {
			t.Errorf("%+v: error %v", test.split, err)
		}
	}
}

// TestSameCells has cells twice.
func TestSameCells(t *testing.T) {
	d := linearTree(t, 20)
	round := dataset.Division{Train: []int{0, 1, 2, 3}, Test: []int{5}}
	one := []Method{{Estimator: Centroids{}}}
	for _, test := range []struct {
		s    *Study
		want string
	}{
		{&Study{Data: []Data{{Set: d}}, Methods: []Method{{Name: "a", Estimator: Centroids{}}, {Name: "b", Estimator: &Centroids{Noise: 1}, Grid: Grid{"Noise": {0.0}}}}}, ""},
		{&Study{Data: []Data{{Set: d}}, Methods: []Method{{Name: "a", Estimator: Centroids{}}, {Name: "b", Estimator: Centroids{}}}}, `methods "a" and "b" are the same; leave one out`},
		{&Study{Data: []Data{{Set: d}, {Name: "e", Set: d}}, Methods: one}, `data sets "tree" and "e" have the same content`},
		{&Study{Data: []Data{{Set: d}}, Methods: one, Split: Split{Rounds: []dataset.Division{round, round}}}, "the same round at positions 0 and 1"},
	} {
		_, err := test.s.Run(t.Context())
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}

// TestNoLeakage makes vectors of texts whose words tell their rows.
func TestNoLeakage(t *testing.T) {
	d := linearTree(t, 40)
	texts := &dataset.Corpus{Name: "t", Taxonomy: d.Taxonomy}
	for i := range d.Len() {
		texts.Documents = append(texts.Documents, dataset.Document{Text: fmt.Sprintf("w%d x%d", i, i%3), Labels: d.Labels[i]})
	}
	s := &Study{
		Data: []Data{{Corpus: texts, Prepare: func(train *dataset.Dataset) (func(*dataset.Dataset) (*dataset.Dataset, error), error) {
			if n := train.Len(); n >= 40 {
				return nil, fmt.Errorf("prepared on %d instances", n)
			}
			return func(d *dataset.Dataset) (*dataset.Dataset, error) { return d, nil }, nil
		}}},
		Methods: []Method{{Name: "m", Grid: Grid{"x": {1, 2}}, Fit: func(ctx context.Context, d *dataset.Dataset, p Params) (metric.Scorer, error) {
			words := 0
			for _, w := range d.Vocabulary {
				if strings.HasPrefix(w, "w") {
					words++
				}
			}
			if words != d.Len() {
				return nil, fmt.Errorf("%d words of %d instances", words, d.Len())
			}
			return Centroids{}.Fit(ctx, d)
		}}},
		Split: Split{Folds: 4}, Inner: Split{Folds: 2},
	}
	for _, c := range complete(t, s).all() {
		if c.Error != "" {
			t.Errorf("%+v", c)
		}
	}
}

// TestGroupsInStudies trains in all kinds of divisions, inner ones too, on whole groups alone.
func TestGroupsInStudies(t *testing.T) {
	d := linearTree(t, 90)
	rows := make(map[string]int)
	for i := range d.Len() {
		d.Groups = append(d.Groups, fmt.Sprint("group ", i*i%19))
		rows[d.Groups[i]]++
	}
	texts := &dataset.Corpus{Name: "t", Taxonomy: d.Taxonomy}
	said, of, day := make([]string, d.Len()), make([]string, d.Len()), make([]float64, d.Len())
	for i := range d.Len() {
		said[i], of[i], day[i] = fmt.Sprintf("w%d w%d only%d", i%7, i%5, i), d.Groups[i], float64((i*37)%90)
		texts.Documents = append(texts.Documents, dataset.Document{Text: said[i], Labels: d.Labels[i], Group: d.Groups[i]})
	}
	table, err := dataset.NewTable("table", dataset.Texts("said", said...), dataset.Words("of", of...), dataset.Numbers("day", day...))
	if err != nil {
		t.Fatal(err)
	}
	if table, err = table.WithGroups("of"); err != nil {
		t.Fatal(err)
	}
	table.Taxonomy, table.Labels = d.Taxonomy, d.Labels
	both := &dataset.Collection{Name: "both", Train: d.Subset(sequence(0, 50)), Test: d.Subset(sequence(50, 90))}
	fit := func(ctx context.Context, d *dataset.Dataset, p Params) (metric.Scorer, error) {
		seen := make(map[string]int)
		for _, name := range d.Groups {
			seen[name]++
		}
		if len(seen) == 0 || len(seen) == len(rows) {
			return nil, fmt.Errorf("trained on %d groups of %d", len(seen), len(rows))
		}
		for name, n := range seen {
			if n != rows[name] {
				return nil, fmt.Errorf("trained on %d of %d rows of %s", n, rows[name], name)
			}
		}
		return Centroids{}.Fit(ctx, d)
	}
	for _, data := range []Data{{Set: d}, {Corpus: texts}, {Table: table}, {Collection: both}} {
		for _, split := range []Split{{HeldOut: 0.3}, {Folds: 4}, {Folds: len(rows)}} {
			for _, inner := range []Split{{}, {HeldOut: 0.3}, {Folds: 3}} {
				s := &Study{Data: []Data{data}, Methods: []Method{{Name: "m", Fit: fit, Grid: Grid{"x": {1, 2}}}}, Split: split, Inner: inner}
				r := complete(t, s)
				for _, c := range slices.Concat(r.Cells, r.Inner) {
					if c.Error != "" {
						t.Fatalf("%s, %v within %v: %s", c.Data, inner, split, c.Error)
					}
				}
			}
		}
	}

	// Forward in time, inner divisions are of what is trained on.
	if table, err = table.WithGroups("said"); err != nil {
		t.Fatal(err)
	}
	columns := features.Columns{Only: []string{"said"}}
	s := &Study{Data: []Data{{Table: table, Columns: columns}}, Methods: []Method{{Name: "m", Estimator: Centroids{}, Grid: Grid{"Noise": {0, 1}}}}, Split: Split{Forward: 2, Time: "day"}, Inner: Split{Forward: 1, Time: "day"}}
	r := complete(t, s)
	var sizes []string
	for _, c := range slices.Concat(r.Cells, r.Inner) {
		sizes = append(sizes, fmt.Sprintf("%d/%d%s", c.Train, c.Test, c.Error))
	}
	if got, want := strings.Join(sizes, " "), "30/30 60/30 15/15 15/15 30/30 30/30"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
