package features

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
)

// dense returns rows as a data set over example.Fruit, with labels by name.
func dense(t *testing.T, rows [][]float64, labels [][]string) *dataset.Dataset {
	t.Helper()
	d := &dataset.Dataset{Name: "table", Taxonomy: example.Fruit(), X: &dataset.Matrix{Rows: len(rows), Cols: len(rows[0]), Indptr: []int{0}}}
	for i, row := range rows {
		for j, v := range row {
			if v != 0 {
				d.X.Indices = append(d.X.Indices, int32(j))
				d.X.Values = append(d.X.Values, float32(v))
			}
		}
		d.X.Indptr = append(d.X.Indptr, len(d.X.Values))
		var nodes []int
		for _, label := range labels[i] {
			nodes = append(nodes, example.Node(t, d.Taxonomy, label))
		}
		d.Labels = append(d.Labels, d.Taxonomy.MostSpecific(nodes))
	}
	return d
}

// The statistics are those of scikit-learn and scipy, which testdata/chi2.py wrote.
func TestChiSquare(t *testing.T) {
	data, err := os.ReadFile("testdata/chi2.json")
	if err != nil {
		t.Fatal(err)
	}
	type forms struct {
		Max, Mean, Sums []float64
		Class           []string
	}
	var want struct {
		X       [][]float64
		Labels  [][]string
		Labels0 forms `json:"level 0"`
		Roots   forms `json:"level 1"`
	}
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	d := dense(t, want.X, want.Labels)
	for level, want := range []forms{want.Labels0, want.Roots} {
		for form, want := range map[ChiForm][]float64{ChiMax: want.Max, ChiMean: want.Mean, ChiSums: want.Sums} {
			s, err := ChiSquare{Form: form, Level: level}.Fit(d)
			if err != nil {
				t.Fatal(err)
			}
			for j, score := range want {
				if !(math.Abs(s.Scores[j]-score) <= 1e-9*(1+score)) {
					t.Errorf("level %d, %v, column %d: %v, want %v", level, form, j, s.Scores[j], score)
				}
			}
		}
		s, err := ChiSquare{Level: level}.Fit(d)
		if err != nil {
			t.Fatal(err)
		}
		for j, class := range want.Class {
			if name := "-"; level == 0 && want.Max[j] > 0 {
				if s.Classes[j] >= 0 {
					name = d.Taxonomy.Name(s.Classes[j])
				}
				if name != class {
					t.Errorf("column %d tells of %s, want %s", j, name, class)
				}
			}
		}
		if slices.Contains(s.Columns, 7) || slices.Contains(s.Columns, 8) {
			t.Error("a column that is the same everywhere was chosen")
		}
	}
}

// plainChi is the definition, class by class.
func plainChi(d *dataset.Dataset, form ChiForm, j int) float64 {
	n := float64(d.Len())
	result := 0.0
	for class := range d.Taxonomy.Len() {
		var a, b, c, e, own, all float64
		for i := range d.Len() {
			v := 0.0
			indices, values := d.X.Row(i)
			if k, ok := slices.BinarySearch(indices, int32(j)); ok {
				v = float64(values[k])
			}
			all += v
			in := slices.Contains(d.Labels[i], class)
			if in {
				own += v
			}
			switch {
			case in && v != 0:
				a++
			case v != 0:
				b++
			case in:
				c++
			default:
				e++
			}
		}
		statistic := 0.0
		if m := (a + c) * (b + e) * (a + b) * (c + e); m > 0 {
			statistic = n * (a*e - c*b) * (a*e - c*b) / m
		}
		switch form {
		case ChiMax:
			result = max(result, statistic)
		case ChiMean:
			result += (a + c) / n * statistic
		case ChiSums:
			if expected := all * (a + c) / n; expected > 0 {
				result += (own - expected) * (own - expected) / expected
			}
		}
	}
	return result
}

// Classes that have none of a column, all of them, or no instances at all, and instances of no
// class.
func TestChiSquareDrawn(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 1))
		names := []string{"apple", "pear", "bread", "tool"}[:1+rng.IntN(4)]
		var rows [][]float64
		var labels [][]string
		for range 2 + rng.IntN(12) {
			row := make([]float64, 6)
			for j := range row {
				if rng.IntN(6) >= j {
					row[j] = float64(1 + rng.IntN(3))
				}
			}
			rows = append(rows, row)
			var set []string
			for _, name := range names {
				if rng.IntN(2) == 0 {
					set = append(set, name)
				}
			}
			labels = append(labels, set)
		}
		d := dense(t, rows, labels)
		for _, form := range []ChiForm{ChiMax, ChiMean, ChiSums} {
			s, err := ChiSquare{Form: form}.Fit(d)
			if err != nil && !strings.Contains(err.Error(), "no column of") {
				t.Fatal(err)
			}
			for j := range 6 {
				want := plainChi(d, form, j)
				if err != nil && want > 1e-9 || err == nil && !(math.Abs(s.Scores[j]-want) <= 1e-9*(1+want)) {
					t.Errorf("seed %d, %v, column %d: want %v, got %v, %v", seed, form, j, want, s, err)
				}
			}
		}
	}
}

func TestSelection(t *testing.T) {
	d := dense(t, [][]float64{{1, 1, 0, 0}, {2, 0, 1, 0}, {0, 1, 0, 1}, {0, 0, 1, 1}}, [][]string{{"apple"}, {"apple"}, {"tool"}, {"tool"}})
	d.Vocabulary = []string{"sour", "a", "<b>", "iron"}
	s, err := ChiSquare{Features: 1}.Fit(d)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := s.String(), "1 of 4 features by chi-square max; best: sour 4 (apple)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if s, err = (ChiSquare{Least: 3.9, Level: 1}).Fit(d); err != nil || fmt.Sprint(s.Columns, s.Names) != "[0 3] [sour iron]" {
		t.Errorf("%v, %v", s, err)
	}
	some, err := s.Transform(d.Subset([]int{1, 2}))
	if err != nil {
		t.Fatal(err)
	}
	example.CheckMatrix(t, some.X)
	if fmt.Sprint(some.X.Indices, some.X.Values, some.X.Cols, some.Vocabulary, some.Labels) != fmt.Sprint([]int{0, 1}, []int{2, 1}, 2, s.Names, d.Labels[1:3]) {
		t.Error(some.X.Indices, some.X.Values, some)
	}
	other := *d
	other.Vocabulary = []string{"sour", "a", "b", "wood"}
	if _, err := s.Transform(&other); err == nil || !strings.Contains(err.Error(), `column 3 of "table" is "wood"`) {
		t.Error(err)
	}
	if _, err := s.Transform(some); err == nil || !strings.Contains(err.Error(), "has 2 columns, and the selection was fitted on 4") {
		t.Error(err)
	}
	frequent, err := DocumentFrequency{MinDocuments: 2, MaxShare: 0.5, Features: 3}.Fit(d)
	if err != nil || fmt.Sprint(frequent.Columns) != "[0 1 2]" {
		t.Error(frequent, err)
	}
	if html := frequent.HTML(); !strings.Contains(html, "&lt;b&gt;</td><td>2</td>") || strings.Contains(html, "class</th>") {
		t.Error(html)
	}
}

func TestSelectionErrors(t *testing.T) {
	d := dense(t, [][]float64{{1, -1}, {1, 2}}, [][]string{{"apple"}, {"tool"}})
	for want, fit := range map[string]func() (*Selection, error){
		"Features is -1":               ChiSquare{Features: -1}.with(d),
		"score is not a number":        ChiSquare{Least: math.NaN()}.with(d),
		"ChiForm is 5":                 ChiSquare{Form: 5}.with(d),
		"Level is -2":                  ChiSquare{Level: -2}.with(d),
		"has -1 in column 1":           ChiSquare{Form: ChiSums}.with(d),
		"above zero and at least 0":    ChiSquare{}.with(d),
		"no instances or no columns":   ChiSquare{}.with(d.Subset(nil)),
		"MaxShare is 2":                func() (*Selection, error) { return DocumentFrequency{MaxShare: 2}.Fit(d) },
		"by document frequency, above": func() (*Selection, error) { return DocumentFrequency{MinDocuments: 3}.Fit(d) },
	} {
		if _, err := fit(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}

func (s ChiSquare) with(d *dataset.Dataset) func() (*Selection, error) {
	return func() (*Selection, error) { return s.Fit(d) }
}
