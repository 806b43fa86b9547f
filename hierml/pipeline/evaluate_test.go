package pipeline_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/features"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/pipeline"
	"github.com/hierml/notebook/hierml/svm"
)

// TestFitAndEvaluate does by hand what both do.
func TestFitAndEvaluate(t *testing.T) {
	all := table(rand.New(rand.NewPCG(1, 2)), 120)
	var half [2][]int
	for i := range all.Len() {
		half[i%2] = append(half[i%2], i)
	}
	train, test := all.Subset(half[0]), all.Subset(half[1])
	columns, e := features.Columns{Number: features.Number{Missing: features.Mean}}, svm.Flat{}
	p, err := pipeline.Fit(t.Context(), columns, e, train)
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.Evaluate(t.Context(), test)
	if err != nil {
		t.Fatal(err)
	}
	encoder, err := columns.Fit(t.Context(), train)
	if err != nil {
		t.Fatal(err)
	}
	of := func(table *dataset.Table) *dataset.Dataset {
		d, err := encoder.Transform(t.Context(), table)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	model, err := e.Fit(t.Context(), of(train))
	if err != nil {
		t.Fatal(err)
	}
	want, err := metric.Evaluate(model, of(test))
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != want.String() {
		t.Errorf("%v\nwant %v", got, want)
	}

	// Sets by probabilities, where rows have several labels.
	several := *train
	several.Labels = make([][]int, train.Len())
	for i := range several.Labels {
		several.Labels[i] = train.Labels[i]
		if other := train.Labels[(i+1)%train.Len()][0]; i%3 == 0 && other > several.Labels[i][0] {
			several.Labels[i] = []int{several.Labels[i][0], other}
		}
	}
	calibrated, err := svm.Calibrate(t.Context(), svm.OneVsRest{}, of(&several))
	if err != nil {
		t.Fatal(err)
	}
	q := &pipeline.Pipeline{Columns: encoder, Calibrated: calibrated}
	if got, err = q.Evaluate(t.Context(), &several); err != nil {
		t.Fatal(err)
	}
	sets, err := q.Sets(t.Context(), &several)
	if err != nil {
		t.Fatal(err)
	}
	want, err = metric.Settings{}.EvaluateSets(calibrated.Model.LeafScores(of(&several).X), sets, several.Labels, several.Taxonomy)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range want.Measures() {
		is, _ := got.Value(m.Name)
		// areas under ROC curves are those of the probabilities
		if should, _ := want.Value(m.Name); is != should && !(math.IsNaN(is) && math.IsNaN(should)) && !strings.HasSuffix(m.Name, "AUC") {
			t.Errorf("%s is %v, want %v", m.Name, is, should)
		}
	}
	if v, ok := got.Value("log loss by label"); !ok || !(v > 0) {
		t.Errorf("the log loss is %v, %v", v, ok)
	}

	plain := *test
	plain.Taxonomy, plain.Labels = nil, nil
	if _, err := p.Evaluate(t.Context(), &plain); err == nil || !strings.Contains(err.Error(), "has no labels to compare with") {
		t.Errorf("a table without labels: %v", err)
	}
	if _, err := pipeline.Fit(t.Context(), columns, nil, train); err == nil {
		t.Error("there is a model without an estimator")
	}
	if _, err := pipeline.Fit(t.Context(), features.Columns{}, e, train); err == nil {
		t.Error("missing numbers are refused by Columns, and not by Fit")
	}
}
