package metric

import (
	"fmt"
	"math"
	"strconv"
)

// Measure is what one number of a Report says.
type Measure struct {
	Name  string // as the tables call it, and Report.Value takes it
	Help  string // what it measures
	Group string // "labels", "ranking" or "taxonomy"
	Lower bool   // lower values are better

	digits int // of the fraction, in tables
	field  func(*Report) *float64
	column int // of the values of instances, -1 where it is no mean over them
}

// Measures returns all measures that a report has unless it was told otherwise, in the order of tables.
func Measures() []Measure {
	return append([]Measure(nil), measures...)
}

var measures = []Measure{
	{"accuracy", "how often the highest score is that of a true label", "labels", false, 4, func(r *Report) *float64 { return &r.Accuracy }, accuracy},
	{"parent accuracy", "how often the prediction has a parent in common with a true label", "taxonomy", false, 4, func(r *Report) *float64 { return &r.ParentAccuracy }, parentAccuracy},
	{"tree loss", "edges of the taxonomy between prediction and truth", "taxonomy", true, 3, func(r *Report) *float64 { return &r.TreeLoss }, treeLoss},
	{"average precision", "precision of the ranking at its true labels", "ranking", false, 4, func(r *Report) *float64 { return &r.AveragePrecision }, averagePrecision},
	{"ranking loss", "fraction of pairs of a true and a wrong label in the wrong order", "ranking", true, 4, func(r *Report) *float64 { return &r.RankingLoss }, rankingLoss},
	{"micro F1", "F1 of all predictions together", "labels", false, 4, func(r *Report) *float64 { return &r.MicroF1 }, -1},
	{"macro F1", "mean of the F1 of the leaves", "labels", false, 4, func(r *Report) *float64 { return &r.MacroF1 }, -1},
	{"hierarchical F1", "F1 of all predictions together with their ancestors", "taxonomy", false, 4, func(r *Report) *float64 { return &r.HierarchicalF1 }, -1},
}

// The columns of the values of instances.
const (
	accuracy = iota
	parentAccuracy
	treeLoss
	averagePrecision
	rankingLoss
	columns
)

// Measures returns the measures that the report has, in the order of tables.
func (r *Report) Measures() []Measure { return Measures() }

// measure returns the measure of the name.
func (r *Report) measure(name string) (Measure, bool) {
	for _, m := range r.Measures() {
		if m.Name == name {
			return m, true
		}
	}
	return Measure{}, false
}

// Value returns the value of the measure called name, NaN where it is not defined on the data, and false where the report has no such
// measure.
func (r *Report) Value(name string) (float64, bool) {
	if r == nil {
		return 0, false
	}
	m, ok := r.measure(name)
	if !ok {
		return 0, false
	}
	return *m.field(r), true
}

// PerInstance returns the values of the measure called name of every instance, in their order, for paired tests; NaN where it is not
// defined for an instance. It is nil where the report has no such measure, or one that is no mean over the instances. The slice is
// the report's.
func (r *Report) PerInstance(name string) []float64 {
	if r == nil || r.perInstance == nil {
		return nil
	}
	m, ok := r.measure(name)
	if !ok || m.column < 0 {
		return nil
	}
	return r.perInstance[m.column]
}

// format returns the value of r, or a dash where there is none.
func (m Measure) format(r *Report) string {
	if r == nil || math.IsNaN(*m.field(r)) {
		return "–"
	}
	return strconv.FormatFloat(*m.field(r), 'f', m.digits, 64)
}

// arrow points to the better values.
func (m Measure) arrow() string {
	if m.Lower {
		return "↓"
	}
	return "↑"
}

// Significance tests whether two reports on the same instances differ in the measure by more than chance: by McNemar's exact test where
// an instance is right or wrong, and otherwise by the permutation test. It is an error if the reports are on different numbers of instances,
// or the measure is no mean over them.
func Significance(a, b *Report, measure string) (Test, error) {
	if a == nil || b == nil {
		return Test{}, fmt.Errorf("metric: Significance needs two reports")
	}
	first, second := a.PerInstance(measure), b.PerInstance(measure)
	if first == nil || second == nil {
		if _, ok := a.Value(measure); ok {
			return Test{}, fmt.Errorf("metric: the reports have no values of instances for %q; a test needs a measure that is a mean over instances, and reports as Evaluate returns them", measure)
		}
		return Test{}, fmt.Errorf("metric: there is no measure %q", measure)
	}
	if len(first) != len(second) {
		return Test{}, fmt.Errorf("metric: one report is on %d instances, the other on %d; both have to be on the same", len(first), len(second))
	}
	var t Test
	var err error
	if right, ok := outcomes(first, second); ok {
		t, err = McNemar(right[0], right[1])
	} else {
		t, err = Permutation(first, second, 0, 1)
	}
	t.Measure = measure
	return t, err
}

// outcomes returns the values as outcomes, where they are 0 and 1, without the instances that have a NaN in either.
func outcomes(values ...[]float64) ([2][]bool, bool) {
	var right [2][]bool
	for i := range values[0] {
		x, y := values[0][i], values[1][i]
		if math.IsNaN(x) || math.IsNaN(y) {
			continue
		}
		if x != 0 && x != 1 || y != 0 && y != 1 {
			return right, false
		}
		right[0], right[1] = append(right[0], x == 1), append(right[1], y == 1)
	}
	return right, len(right[0]) > 0
}
