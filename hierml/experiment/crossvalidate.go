package experiment

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/internal/table"
)

// CrossValidation has the measures of the folds of a cross-validation. It is shown as a table of
// the measures with their means and intervals.
type CrossValidation struct {
	Method, Data string
	// Cells has the folds: the training and test instances of each, its measures by name, and the
	// chosen point of a grid.
	Cells []*Cell
	Notes []string // about the data
}

// CrossValidate trains an estimator k times, each time on all data except one of k folds, and
// measures it on that fold. The folds are those of Dataset.Folds: classes are split evenly, and
// groups are not split. Everything that is learned from data is learned in each fold from the
// training part alone, so nothing leaks.
//
// The estimator is one that a Method may have, such as svm.Flat{} or svm.NodeSets{}, or a Method. A
// Method with a Grid, which may set features as well as the estimator, chooses its point in each
// fold separately, on the fifth of the other folds that Split{HeldOut: 0.2} draws.
//
// Data with weights are measured by them.
//
// The data are a *dataset.Dataset, a *dataset.Corpus, whose words are weighted by the zero
// features.Text, a *dataset.Table, whose columns become features by the zero features.Columns, or a
// Data, which says how:
//
//	experiment.CrossValidate(ctx, svm.Normalized{}, experiment.Data{Table: table, Columns: columns}, 5)
//
// It returns an error if a fold cannot be trained or measured. For several methods, repeats, or
// folds saved on disk, use [Study].
func CrossValidate(ctx context.Context, estimator, data any, k int) (*CrossValidation, error) {
	s := &Study{Split: Split{Folds: k}}
	switch d := data.(type) {
	case Data:
		s.Data = []Data{d}
	case *dataset.Dataset:
		s.Data = []Data{{Set: d}}
	case *dataset.Corpus:
		s.Data = []Data{{Corpus: d}}
	case *dataset.Table:
		s.Data = []Data{{Table: d}}
	default:
		return nil, fmt.Errorf("experiment: a %T is no data to validate on; give a *dataset.Dataset, *dataset.Corpus, *dataset.Table or an experiment.Data", data)
	}
	switch e := estimator.(type) {
	case Method:
		s.Methods = []Method{e}
		if points, err := e.points(s.Seed); err == nil && len(points) > 1 {
			s.Inner = Split{HeldOut: 0.2}
		}
	case classifier.Estimator:
		s.Methods = []Method{{Estimator: e}}
	default:
		fit, err := fitterOf(e)
		if err != nil {
			return nil, err
		}
		s.Methods = []Method{{Name: fmt.Sprintf("%T", e), Fit: func(ctx context.Context, d *dataset.Dataset, _ Params) (metric.Scorer, error) {
			return fit(ctx, d)
		}}}
	}
	if k < 2 {
		return nil, fmt.Errorf("experiment: %d folds; at least two are needed, one to train on and one to test on", k)
	}
	checked, err := s.checked()
	if err != nil {
		return nil, err
	}
	results, err := checked.inProcess(ctx)
	if err != nil {
		return nil, err
	}
	v := &CrossValidation{Method: checked.Methods[0].Name, Data: checked.Data[0].Name, Cells: results.Cells}
	for _, c := range v.Cells {
		if c.Error != "" {
			return nil, fmt.Errorf("experiment: %s on fold %d of %d: %s", v.Method, c.Fold, k, strings.TrimPrefix(c.Error, "experiment: "))
		}
	}
	note := func(format string, args ...any) { v.Notes = append(v.Notes, fmt.Sprintf(format, args...)) }
	results.noteWeights(note)
	results.noteEquals(note)
	for _, note := range v.Notes {
		progress.Note(ctx, note)
	}
	return v, nil
}

// Validated is a measure of a cross-validation.
type Validated struct {
	Measure string
	Scores  []float64 // of the folds, NaN where the measure is not defined
	// Interval has the mean of the scores and its 95 % confidence interval for other data of the
	// same kind. It uses Student's distribution with the corrected variance of [NB03], because the
	// training parts of the folds overlap: with n scores of variance s^2,
	//
	//	mean ± t(n-1) sqrt((1/n + tested/trained) s^2)
	//
	// It assumes normal scores, and is limited to the range of the measure.
	Interval metric.Interval
}

// Measure returns a measure by its name: one of metric.Measures, or "seconds" of training. It
// returns an error if no fold has it.
func (v *CrossValidation) Measure(name string) (Validated, error) {
	found := Validated{Measure: metric.CurrentName(name)}
	var defined []float64
	trained, tested := 0, 0
	for _, c := range v.Cells {
		score, ok := c.value(found.Measure)
		if !ok {
			score = math.NaN()
		}
		found.Scores = append(found.Scores, score)
		if !math.IsNaN(score) {
			defined = append(defined, score)
			trained, tested = trained+c.Train, tested+c.Test
		}
	}
	if len(defined) == 0 {
		return found, fmt.Errorf("experiment: no fold has a measure called %q; there are %s", name, strings.Join(append(measureNames(), seconds), ", "))
	}
	mean := stat.Mean(defined, nil)
	found.Interval = metric.Interval{Mean: mean, Low: math.NaN(), High: math.NaN(), Level: 0.95}
	if n := float64(len(defined)); n > 1 {
		_, variance := stat.MeanVariance(defined, nil)
		found.Interval = metric.StudentInterval(mean, math.Sqrt((1/n+float64(tested)/float64(trained))*variance), n-1)
	}
	return found, nil
}

// String is the measures as text.
func (v *CrossValidation) String() string { return v.table().String() }

// HTML is the measures as a table.
func (v *CrossValidation) HTML() string { return v.table().HTML() }

// table has the measures that studies have by default, and the time of training.
func (v *CrossValidation) table() *table.Table {
	shown := &table.Table{Columns: []table.Column{{Name: v.Method + " on " + v.Data, Head: true}, {Name: "mean", Right: true}, {Name: "95 % interval", Right: true}}}
	for k := range v.Cells {
		shown.Columns = append(shown.Columns, table.Column{Name: fmt.Sprint("fold ", k+1), Right: true})
	}
	for _, name := range slices.Concat(defaultMeasures, []string{seconds}) {
		m, err := v.Measure(name)
		if err != nil {
			continue // it is not defined on such data
		}
		row := []string{name, figure(name, m.Interval.Mean), figure(name, m.Interval.Low) + " to " + figure(name, m.Interval.High)}
		for _, score := range m.Scores {
			row = append(row, figure(name, score))
		}
		shown.Rows = append(shown.Rows, table.Texts(row...))
	}
	shown.Notes = slices.Clone(v.Notes)
	return shown
}
