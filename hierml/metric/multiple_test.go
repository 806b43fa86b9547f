package metric_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/hierml/notebook/hierml/metric"
)

// TestHolm compares with statsmodels 0.15, multipletests([.01, .04, .03, .005, .6], method="holm").
func TestHolm(t *testing.T) {
	got := metric.Holm([]float64{0.01, math.NaN(), 0.04, 0.03, 0.005, 0.6})
	for i, want := range []float64{0.04, math.NaN(), 0.09, 0.09, 0.025, 0.6} {
		near(t, "p", got[i], want)
	}
	if got := metric.Holm([]float64{0.9, 0.8}); got[0] != 1 || got[1] != 1 {
		t.Errorf("%v above 1", got)
	}
	if got := metric.Holm(nil); len(got) != 0 {
		t.Errorf("%v of nothing", got)
	}
}

// byAUC are four methods on fourteen data sets, one of them with ties alone.
var byAUC = [][]float64{
	{0.763, 0.768, 0.771, 0.798}, {0.599, 0.591, 0.590, 0.569}, {0.954, 0.971, 0.968, 0.967}, {0.628, 0.661, 0.654, 0.657},
	{0.882, 0.888, 0.886, 0.898}, {0.936, 0.931, 0.916, 0.931}, {0.661, 0.668, 0.609, 0.685}, {0.583, 0.583, 0.563, 0.625},
	{0.775, 0.838, 0.866, 0.875}, {1, 1, 1, 1}, {0.940, 0.962, 0.965, 0.962}, {0.619, 0.666, 0.614, 0.669},
	{0.972, 0.981, 0.975, 0.975}, {0.957, 0.978, 0.946, 0.970},
}

// TestFriedman compares with scipy 1.17, where T is byAUC:
//
//	stats.rankdata(-row), friedmanchisquare(*T.T), F by its definition with stats.f.sf,
//	q = stats.studentized_range.ppf(0.95, 4, inf)/sqrt(2), CD = q*sqrt(4*5/(6*14)),
//	and of a pair stats.studentized_range.sf(|difference|/sqrt(4*5/(6*14))*sqrt(2), 4, inf)
//
// [Dem06, table 5] has 2.569 for q.
func TestFriedman(t *testing.T) {
	for _, lower := range []bool{false, true} {
		values := byAUC
		if lower {
			values = nil
			for _, row := range byAUC {
				var losses []float64
				for _, v := range row {
					losses = append(losses, 1-v)
				}
				values = append(values, losses)
			}
		}
		r, err := metric.Friedman(values, lower)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []float64{44. / 14, 2, 41. / 14, 27. / 14} {
			near(t, "mean rank", r.Mean[i], want)
		}
		near(t, "chi-squared", r.ChiSquared, 10.952380952380956)
		near(t, "F", r.F, 4.585889570552149)
		for what, v := range map[string][2]float64{
			"P": {r.P, 0.007628838730725745}, "critical difference": {r.Difference, 1.2535591471176057},
			"q": {r.Difference * math.Sqrt(6*14/20.), 2.569031772546482}, "P of a pair": {r.Pair(0, 3), 0.06168325891240056},
		} {
			if math.Abs(v[0]-v[1]) > 1e-9 {
				t.Errorf("%s: %v, want %v", what, v[0], v[1])
			}
		}
	}
	// Quantiles for 2, 5 and 10 classifiers, by the same function.
	for k, want := range map[int]float64{2: 1.9599639845400534, 5: 2.7277743708703763, 10: 3.163683577053373} {
		r, err := metric.Friedman([][]float64{make([]float64, k), make([]float64, k)}, false)
		if err != nil || r.P != 1 || r.ChiSquared != 0 {
			t.Fatalf("of ties alone: %+v, %v", r, err)
		}
		if q := r.Difference / math.Sqrt(float64(k*(k+1))/12); math.Abs(q-want) > 1e-9 {
			t.Errorf("q of %d is %v, want %v", k, q, want)
		}
	}
	same, err := metric.Friedman([][]float64{{1, 2, 3}, {4, 5, 6}, {1, 3, 5}}, true)
	if err != nil || same.P != 0 || !math.IsInf(same.F, 1) || same.Mean[2] != 3 {
		t.Errorf("of one order everywhere: %+v, %v", same, err)
	}
	for _, values := range [][][]float64{nil, {{1, 2}}, {{1}, {2}}, {{1, 2}, {1}}, {{1, 2}, {math.NaN(), 1}}} {
		if _, err := metric.Friedman(values, false); err == nil {
			t.Errorf("%v is taken", values)
		}
	}
}

func ExampleFriedman() {
	// Accuracies of three methods on five data sets.
	ranks, err := metric.Friedman([][]float64{{0.81, 0.83, 0.80}, {0.64, 0.70, 0.66}, {0.92, 0.93, 0.90}, {0.55, 0.61, 0.60}, {0.77, 0.78, 0.74}}, false)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("mean ranks %.1f, p = %.4f, critical difference %.2f\n", ranks.Mean, ranks.P, ranks.Difference)
	// Output:
	// mean ranks [2.4 1.0 2.6], p = 0.0033, critical difference 1.48
}

// TestDifferenceInterval compares with scipy 1.17, stats.ttest_rel(b, a).confidence_interval(0.95).
func TestDifferenceInterval(t *testing.T) {
	a, b := []float64{0.5, 0.6, 0.7, 0.65}, []float64{0.6, 0.8, 0.7, 0.7}
	paired, err := metric.PairedT(b, a)
	if err != nil {
		t.Fatal(err)
	}
	permuted, err := metric.Permutation(b, a, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, got := range []metric.Interval{paired.Interval, permuted.Interval} {
		near(t, "low", got.Low, -0.048376544189800835)
		near(t, "high", got.High, 0.22337654418980082)
		near(t, "mean", got.Mean, 0.0875)
		near(t, "level", got.Level, 0.95)
	}
	outcomes, err := metric.McNemar([]bool{true, true, false, true}, []bool{true, false, false, true})
	if err != nil {
		t.Fatal(err)
	}
	of, err := metric.PairedT([]float64{1, 1, 0, 1}, []float64{1, 0, 0, 1})
	if err != nil || math.Abs(outcomes.Interval.Low-of.Interval.Low) > 1e-12 || math.Abs(outcomes.Interval.High-of.Interval.High) > 1e-12 {
		t.Errorf("of outcomes %v, want %v (%v)", outcomes.Interval, of.Interval, err)
	}
	if one, err := metric.Permutation([]float64{1}, []float64{0}, 0, 1); err != nil || one.Interval.Level != 0 {
		t.Errorf("of one pair %+v (%v)", one, err)
	}
}
