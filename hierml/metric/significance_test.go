package metric_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/metric"
)

// reference has what scipy and statsmodels computed; see testdata/significance.py.
type reference struct {
	Paired []struct {
		Name         string
		A, B         []float64
		T            float64
		TP           float64  `json:"t_p"`
		PermutationP *float64 `json:"permutation_p"`
		SampledP     *float64 `json:"sampled_p"`
		Percentile   [2]float64
		BCa          [2]float64
	}
	Right []struct {
		Name                         string
		Both, First, Second, Neither int
		ExactStatistic               float64 `json:"exact_statistic"`
		ExactP                       float64 `json:"exact_p"`
		CorrectedStatistic           float64 `json:"corrected_statistic"`
		CorrectedP                   float64 `json:"corrected_p"`
	}
}

func readReference(t *testing.T) reference {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "significance.json"))
	if err != nil {
		t.Fatal(err)
	}
	var r reference
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Paired) == 0 || len(r.Right) == 0 {
		t.Fatal("no cases")
	}
	return r
}

// close compares up to a relative difference.
func close(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*math.Max(1e-300, math.Abs(want))) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func TestPairedAgainstScipy(t *testing.T) {
	for _, c := range readReference(t).Paired {
		got, err := metric.PairedT(c.A, c.B)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got.Statistic-c.T) > 1e-12*math.Abs(c.T) {
			t.Errorf("%s: t is %v, want %v", c.Name, got.Statistic, c.T)
		}
		close(t, c.Name+": p of t", got.P, c.TP, 1e-9)
		if got, err = metric.Permutation(c.A, c.B, 0, 1); err != nil {
			t.Fatal(err)
		}
		if c.PermutationP != nil {
			close(t, c.Name+": exact p", got.P, *c.PermutationP, 1e-12)
		} else if p, n := *c.SampledP, float64(metric.DefaultRounds); math.Abs(got.P-p) > 4*math.Sqrt(p*(1-p)/n)+2/n {
			t.Errorf("%s: sampled p is %v, want about %v", c.Name, got.P, p)
		}
		for name, f := range map[string]func([]float64, float64, int, uint64) (metric.Interval, error){"percentile": metric.Bootstrap, "BCa": metric.BootstrapBCa} {
			want := c.Percentile
			if name == "BCa" {
				want = c.BCa
			}
			interval, err := f(c.A, 0.9, 50000, 2)
			if err != nil {
				t.Fatal(err)
			}
			slack := 0.03*(want[1]-want[0]) + 1e-12
			if math.Abs(interval.Low-want[0]) > slack || math.Abs(interval.High-want[1]) > slack {
				t.Errorf("%s: %s interval %v, want %v", c.Name, name, interval, want)
			}
		}
	}
}

func TestMcNemarAgainstStatsmodels(t *testing.T) {
	for _, c := range readReference(t).Right {
		var a, b []bool
		for range c.Both {
			a, b = append(a, true), append(b, true)
		}
		for range c.First {
			a, b = append(a, true), append(b, false)
		}
		for range c.Second {
			a, b = append(a, false), append(b, true)
		}
		for range c.Neither {
			a, b = append(a, false), append(b, false)
		}
		got, err := metric.McNemar(a, b)
		if err != nil {
			t.Fatal(err)
		}
		if got.Statistic != c.ExactStatistic || got.N != len(a) {
			t.Errorf("%s: %+v, want the statistic %v", c.Name, got, c.ExactStatistic)
		}
		close(t, c.Name+": exact p", got.P, c.ExactP, 1e-9)
		close(t, c.Name+": difference", got.Difference, float64(c.First-c.Second)/float64(len(a)), 1e-12)
		if got, err = metric.McNemarCorrected(a, b); err != nil {
			t.Fatal(err)
		}
		close(t, c.Name+": corrected statistic", got.Statistic, c.CorrectedStatistic, 1e-12)
		close(t, c.Name+": corrected p", got.P, c.CorrectedP, 1e-9)
	}
}

// TestPermutationByBinomial checks sampling against what is known: of differences of one size, the
// number of those above 0 is binomial.
func TestPermutationByBinomial(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	a, b := make([]float64, 90), make([]float64, 90)
	right := [2][]bool{make([]bool, 90), make([]bool, 90)}
	for i := range a {
		right[0][i], right[1][i] = random.IntN(10) < 7, random.IntN(10) < 5
		if right[0][i] {
			a[i] = 1
		}
		if right[1][i] {
			b[i] = 1
		}
	}
	want, err := metric.McNemar(right[0], right[1])
	if err != nil {
		t.Fatal(err)
	}
	got, err := metric.Permutation(a, b, 50000, 3)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(got.P-want.P) > 4*math.Sqrt(want.P/50000) {
		t.Errorf("p is %v, want about %v", got.P, want.P)
	}
	again, err := metric.Permutation(a, b, 50000, 3)
	if err != nil || again != got {
		t.Errorf("with the same seed %v, then %v (%v)", got, again, err)
	}
}

func TestSignificanceAtTheEdges(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, c := range map[string]struct {
		a, b []float64
		p    float64
	}{
		"all the same":           {[]float64{1, 2, 3}, []float64{1, 2, 3}, 1},
		"a NaN in both":          {[]float64{1, nan, 2}, []float64{1, nan, 2}, 1},
		"all differ by the same": {[]float64{2, 3, 4}, []float64{1, 2, 3}, 0},
	} {
		got, err := metric.PairedT(c.a, c.b)
		if err != nil || got.P != c.p {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		if got, err = metric.Permutation(c.a, c.b, 0, 1); err != nil || got.P != max(c.p, 0.25) {
			t.Errorf("%s: permutation %v, %v", name, got, err)
		}
	}
	for name, err := range map[string]error{
		"2 and 1":    second(metric.PairedT([]float64{1, 2}, []float64{1})),
		"two pairs":  second(metric.PairedT([]float64{1, nan}, []float64{1, 2})),
		"not finite": second(metric.PairedT([]float64{1, inf}, []float64{1, 2})),
		"a pair":     second(metric.Permutation([]float64{nan}, []float64{nan}, 0, 1)),
		"0 and 0":    second(metric.McNemar(nil, nil)),
		"1 and 0":    second(metric.McNemarCorrected([]bool{true}, nil)),
		"level":      second(metric.Bootstrap([]float64{1}, 1, 0, 1)),
		"a value":    second(metric.Bootstrap([]float64{nan}, 0.9, 0, 1)),
		"level NaN":  second(metric.BootstrapBCa([]float64{1}, nan, 0, 1)),
		"finite":     second(metric.Bootstrap([]float64{1, inf}, 0.9, 0, 1)),
	} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if text := (metric.Test{}).String(); text != "no test" {
		t.Error(text)
	}
	equal, err := metric.McNemarCorrected([]bool{true, false, true}, []bool{false, true, true})
	if err != nil || equal.P != 1 || equal.Statistic != 0 {
		t.Errorf("equal: %v, %v", equal, err)
	}
	for _, f := range []func([]float64, float64, int, uint64) (metric.Interval, error){metric.Bootstrap, metric.BootstrapBCa} {
		if one, err := f([]float64{3, 3, nan}, 0.95, 0, 1); err != nil || one != (metric.Interval{Mean: 3, Low: 3, High: 3, Level: 0.95}) {
			t.Errorf("a constant: %v, %v", one, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func ExampleSignificance() {
	g, flat, hierarchical, labels := example()
	a, err := metric.EvaluateScores(flat, labels, g)
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := metric.EvaluateScores(hierarchical, labels, g)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, measure := range []string{"accuracy", "tree loss"} {
		test, err := metric.Significance(a, b, measure)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(test)
	}
	// Output:
	// accuracy of the first is 0.25 lower (95 % confidence: -0.4761 to -0.02386), over 40 pairs; p = 0.0525 by McNemar's exact test
	// tree loss of the first is 1.5 higher (95 % confidence: 0.8245 to 2.176), over 40 pairs; p = 0.0004 by the permutation test of 10000 rounds
}

func ExampleBootstrap() {
	interval, err := metric.Bootstrap([]float64{0, 1, 1, 1, 0, 1, 1, 0, 1, 1}, 0.95, 0, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(interval)
	// Output:
	// 0.7000, with 95 % confidence between 0.4000 and 1.0000
}

// TestShareInterval holds the ends to the binomial distribution, summed term by term: at each what
// was counted, or more extreme, has a probability of 2.5 %.
func TestShareInterval(t *testing.T) {
	tail := func(n, from, to int, p float64) (sum float64) {
		for k := from; k <= to; k++ {
			term := 1.0
			for i := range k {
				term *= float64(n-i) / float64(i+1) * p
			}
			sum += term * math.Pow(1-p, float64(n-k))
		}
		return sum
	}
	for n := 1; n < 25; n++ {
		for k := range n + 1 {
			got, err := metric.ShareInterval(k, n)
			if err != nil {
				t.Fatal(err)
			}
			if k == 0 != (got.Low == 0) || k == n != (got.High == 1) || got.Mean != float64(k)/float64(n) {
				t.Errorf("%d of %d: %v", k, n, got)
			}
			if k > 0 && math.Abs(tail(n, k, n, got.Low)-0.025) > 1e-9 || k < n && math.Abs(tail(n, 0, k, got.High)-0.025) > 1e-9 {
				t.Errorf("%d of %d: %v", k, n, got)
			}
		}
	}
	for _, c := range [][2]int{{0, 0}, {-1, 2}, {3, 2}} {
		if _, err := metric.ShareInterval(c[0], c[1]); err == nil {
			t.Errorf("%d of %d: no error", c[0], c[1])
		}
	}
}
