package experiment

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/features"
	"github.com/hierml/notebook/hierml/forest"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/svm"
)

// TestCrossValidate compares the scores with trainings on the folds by hand, and the interval with
// its definition.
func TestCrossValidate(t *testing.T) {
	d := linearTree(t, 100)
	for i := range d.Len() {
		d.Groups = append(d.Groups, fmt.Sprint(i*i%23))
	}
	var tested []string
	e := spy{Centroids{}, func(train *dataset.Dataset) { tested = append(tested, strings.Join(train.Groups, " ")) }}
	v, err := CrossValidate(t.Context(), e, d, 4)
	if err != nil {
		t.Fatal(err)
	}
	if len(tested) != 4 || len(v.Cells) != 4 {
		t.Fatalf("%d trainings, %d cells", len(tested), len(v.Cells))
	}
	m, err := v.Measure("accuracy")
	if err != nil {
		t.Fatal(err)
	}
	// The folds are known by what is trained on.
	var scores []float64
	trained, all := 0, 0
	for _, groups := range tested {
		var train, test []int
		for i, name := range d.Groups {
			if slices.Contains(strings.Fields(groups), name) {
				train = append(train, i)
			} else {
				test = append(test, i)
			}
		}
		model, err := Centroids{}.Fit(t.Context(), d.Subset(train))
		if err != nil {
			t.Fatal(err)
		}
		report, err := metric.Evaluate(model, d.Subset(test))
		if err != nil {
			t.Fatal(err)
		}
		scores, trained, all = append(scores, report.Accuracy), trained+len(train), all+len(test)
	}
	got := slices.Clone(m.Scores)
	slices.Sort(got)
	slices.Sort(scores)
	if !slices.Equal(got, scores) || all != 100 {
		t.Errorf("scores %v, by hand %v on %d rows", got, scores, all)
	}
	mean, square := 0.0, 0.0
	for _, s := range scores {
		mean += s / 4
	}
	for _, s := range scores {
		square += (s - mean) * (s - mean) / 3
	}
	half := distuv.StudentsT{Sigma: 1, Nu: 3}.Quantile(0.975) * math.Sqrt((0.25+float64(all)/float64(trained))*square)
	for _, pair := range [][2]float64{{m.Interval.Mean, mean}, {m.Interval.Low, mean - half}, {m.Interval.High, mean + half}} {
		if math.Abs(pair[0]-pair[1]) > 1e-12 {
			t.Errorf("interval %+v, want %v ± %v", m.Interval, mean, half)
		}
	}
	for _, text := range []string{v.String(), v.HTML()} {
		for _, part := range []string{"accuracy", "95 % interval", "fold 4", fmt.Sprintf("%.4f", mean)} {
			if !strings.Contains(text, part) {
				t.Errorf("no %q in %s", part, text)
			}
		}
	}
	if _, err := v.Measure("luck"); err == nil {
		t.Error("there is a measure of luck")
	}
}

// serial lets one spy tell at a time.
var serial sync.Mutex

// spy tells what it is trained on.
type spy struct {
	Centroids
	tell func(train *dataset.Dataset)
}

func (s spy) Fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	serial.Lock()
	defer serial.Unlock()
	s.tell(d)
	return s.Centroids.Fit(ctx, d)
}

func TestCrossValidateOfAllKinds(t *testing.T) {
	d := linearTree(t, 60)
	corpus := &dataset.Corpus{Name: "texts", Taxonomy: d.Taxonomy}
	said := make([]string, d.Len())
	for i := range d.Len() {
		said[i] = fmt.Sprintf("word%d common word%d", d.Labels[i][0], i%3)
		corpus.Documents = append(corpus.Documents, dataset.Document{Text: said[i], Labels: d.Labels[i]})
	}
	table, err := dataset.NewTable("table", dataset.Texts("said", said...))
	if err != nil {
		t.Fatal(err)
	}
	table.Taxonomy, table.Labels = d.Taxonomy, d.Labels
	for name, of := range map[string][2]any{
		"vectors":       {svm.Flat{}, d},
		"texts":         {svm.Flat{}, corpus},
		"table":         {svm.Flat{}, table},
		"data":          {svm.Flat{}, Data{Table: table, Columns: features.Columns{Text: features.Text{MinDocuments: 2}}}},
		"sets":          {svm.NodeSets{Method: svm.Flat{}}, d},
		"forest":        {forest.Forest{Trees: 3}, d},
		"method":        {Method{Estimator: svm.Flat{}, Grid: Grid{"C": {0.1, 1}}}, d},
		"named":         {Method{Named: Named{Type: "svm.Flat"}}, d},
		"features grid": {Method{Estimator: svm.Flat{}, Grid: Grid{"Data.Columns.Text.MinDocuments": {1, 2}}}, table},
	} {
		v, err := CrossValidate(t.Context(), of[0], of[1], 3)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		tested := 0
		for _, c := range v.Cells {
			tested += c.Test
			if strings.Contains(name, "grid") != c.Chosen && name != "method" {
				t.Errorf("%s: chosen %v", name, c.Chosen)
			}
		}
		if tested != d.Len() || len(v.Cells) != 3 {
			t.Errorf("%s: %d rows are tested on in %d folds", name, tested, len(v.Cells))
		}
		if name == "texts" && (len(v.Notes) != 1 || !strings.Contains(v.String(), "for testing are equal to instances for training")) {
			t.Errorf("notes %q\n%s", v.Notes, v)
		}
	}
	for want, of := range map[string][3]any{
		"is no data to validate on":                        {svm.Flat{}, "data.csv", 3},
		"a string is not an estimator that trains a model": {"flat", d, 3},
		"1 folds; at least two":                            {svm.Flat{}, d, 1},
		"61 folds need at least one":                       {svm.Flat{}, d, 61},
		"svm.Flat on fold 1 of 3: svm: C is -1":            {svm.Flat{C: -1}, d, 3},
	} {
		if _, err := CrossValidate(t.Context(), of[0], of[1], of[2].(int)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}
