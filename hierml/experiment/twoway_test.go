package experiment

import (
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// TestTwoWay compares with numpy 2 and scipy 1, where m are the means of the rows of D, R = 3, v =
// m.var(ddof=1), a = np.nanmean(D, 0).var(ddof=1)/7, u = v/7, c = 2*sqrt(u*a), or 0 with a given
// test part, A = v/R + u + c/2, B = a + c/2, t = m.mean()/sqrt(A+B), df = (A+B)**2/(A*A/2 + B*B/7),
// p = 2*stats.t.sf(t, df).
func TestTwoWay(t *testing.T) {
	nan := math.NaN()
	rows := [][]float64{{1, 0, nan, 0, 1, 0, -1, 1}, {nan, 0, 1, 0, 1, 1, 0, 0}, {1, nan, 0, 0, 0, 1, 0, 1}}
	for given, want := range map[bool][2]float64{false: {1.8299202402365553, 0.10062003486159106}, true: {2.108381207900852, 0.0669015442735723}} {
		d := &draws{rows: rows, tested: 7, share: 1. / 8, given: given}
		for _, row := range rows {
			var values []float64
			for _, v := range row {
				if !math.IsNaN(v) {
					values = append(values, v)
				}
			}
			d.means = append(d.means, stat.Mean(values, nil))
		}
		got, err := d.twoWay()
		if err != nil || math.Abs(got.Statistic-want[0]) > 1e-12 || math.Abs(got.P-want[1]) > 1e-12 || math.Abs(got.Difference-8./21) > 1e-12 || got.N != 3 {
			t.Errorf("given %v: %+v, %v; want %v", given, got, err, want)
		}
	}
	same := &draws{means: []float64{0, 0}, rows: [][]float64{{0, 0}, {0, 0}}, tested: 2, share: 0.5}
	if got, err := same.twoWay(); err != nil || got.P != 1 {
		t.Errorf("of equal values: %+v, %v", got, err)
	}
	same.means, same.rows = []float64{1, 1}, [][]float64{{1, 1}, {1, 1}}
	if got, err := same.twoWay(); err != nil || got.P != 0 || !math.IsInf(got.Statistic, 1) {
		t.Errorf("of values one apart: %+v, %v", got, err)
	}
	for _, d := range []*draws{{means: []float64{1}}, {means: []float64{1, 2}, rows: [][]float64{{nan, 1}, {nan, nan}}}} {
		if _, err := d.twoWay(); err == nil {
			t.Errorf("%+v is tested", d)
		}
	}
}

// TestDraws has the values of instances of several draws, from the study to the test.
func TestDraws(t *testing.T) {
	s := &Study{
		Data:    []Data{{Name: "d", Set: linearTree(t, 200)}},
		Methods: []Method{{Name: "a", Estimator: Centroids{}}, {Name: "b", Estimator: Centroids{Noise: 30}}},
		Split:   Split{PerClass: []int{4, 30}}, Repeats: 4, Baseline: "a", Measures: []string{"accuracy", "macro F1 of all classes"}, Directory: t.TempDir(),
	}
	complete(t, s)
	r := complete(t, s) // read again
	for _, c := range r.Cells {
		values, defined, sum := c.Instances["accuracy"], 0, 0.0
		for _, v := range values {
			if !math.IsNaN(v) {
				defined++
				sum += v
			}
		}
		if len(values) != 200 || c.Pool != 200 || c.GivenTest || defined != c.Test || math.Abs(sum/float64(defined)-c.Values["accuracy"]) > 1e-12 {
			t.Errorf("cell with %d values, %d of them defined with the sum %v, of %d tested: %+v", len(values), defined, sum, c.Test, c)
		}
	}
	const few, corrected = "the two-way t-test over draws and instances", "the corrected resampled t-test"
	rows := r.Summary().Rows
	for i, want := range map[int][2]string{1: {few, corrected}, 3: {corrected, corrected}} {
		for k, v := range rows[i].Values {
			if v.Test.Name != want[k] {
				t.Errorf("%s of %d of every class by %q, want %q", r.Measures[k], rows[i].PerClass, v.Test.Name, want[k])
			}
		}
	}
	if text := r.String(); !strings.Contains(text, "p: "+corrected+" for macro F1 of all classes, accuracy; "+few+" for accuracy against a") {
		t.Errorf("the tests are not named in\n%s", text)
	}
	asked, err := r.Against("a", TwoWayT)
	if err != nil {
		t.Fatal(err)
	}
	summary := asked.Summary()
	if v := summary.Rows[3].Values; v[0].Test.Name != few || v[1].Tested || !strings.Contains(summary.String(), "no test of the macro F1 of all classes of b on d, 30 of every class: the cells have no values of instances") {
		t.Errorf("%+v\n%v", v, summary)
	}
	folds := byHand()
	folds.Test = TwoWayT
	if _, err := folds.compare("accuracy", folds.Cells[3:6], folds.Cells[:3]); !errors.Is(err, errInstances) {
		t.Errorf("of divisions without draws: %v", err)
	}
}

// TestSampled keeps the values of some rows.
func TestSampled(t *testing.T) {
	rows := sampled(3*maxInstances + 1)
	if len(rows) != maxInstances || rows[0] != 0 || rows[1] != 3 || rows[maxInstances-1] > 3*maxInstances {
		t.Errorf("%d rows from %d to %d", len(rows), rows[0], rows[len(rows)-1])
	}
	got := ofDraw([]float64{5, 6, 7}, []int{1, 4, 9}, []int{0, 4, 8, 9})
	for i, want := range []float64{math.NaN(), 6, math.NaN(), 7} {
		if got[i] != want && !(math.IsNaN(got[i]) && math.IsNaN(want)) {
			t.Errorf("%v", got)
		}
	}
}
