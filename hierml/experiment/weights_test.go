package experiment_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/experiment"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/svm"
)

// Rows of weight 0 are neither trained on nor measured: a cross-validation is right where all
// others are, also in the choice of a point.
func TestWeightsAreMeasuredBy(t *testing.T) {
	d := example.Dense(example.Tree(2, 2), 200, 3, 1)
	leaves := d.Taxonomy.Leaves()
	for i := range d.X.Rows { // rows of weight 1 are easy, and others contradict them
		k := i % 4
		_, values := d.X.Row(i)
		values[0], values[1], values[2] = float32(k%2*4-2), float32(k/2*4-2), 1
		d.Labels[i] = []int{leaves[k]}
		if i%8 >= 4 {
			d.Labels[i] = []int{leaves[(k+1)%4]}
		}
	}
	d.Weights = slices.Repeat([]float64{1, 1, 1, 1, 0, 0, 0, 0}, d.Len()/8)
	for name, e := range map[string]any{"estimator": svm.Flat{}, "grid": experiment.Method{Estimator: svm.Flat{}, Grid: experiment.Grid{"C": {0.1, 1.0}}}} {
		v, err := experiment.CrossValidate(context.Background(), e, d, 3)
		if err != nil {
			t.Fatal(err)
		}
		m, err := v.Measure("accuracy")
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(m.Interval.Mean-1) > 1e-12 || !slices.ContainsFunc(v.Notes, func(n string) bool { return strings.Contains(n, "weighted by the weights") }) {
			t.Errorf("%s: accuracy %v, notes %q", name, m.Scores, v.Notes)
		}
	}
}
