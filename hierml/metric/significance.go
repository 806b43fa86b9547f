package metric

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Test is the outcome of a test whether two classifiers differ significantly on the same instances.
// P is the two-sided p-value: the probability of a difference of at least this size if the
// classifiers are equally good.
type Test struct {
	Name       string  `json:"name"`              // of the test
	Measure    string  `json:"measure,omitempty"` // that was compared, if known
	Statistic  float64 `json:"statistic"`         // what the test computes P from
	P          float64 `json:"p"`                 // between 0 and 1
	Difference float64 `json:"difference"`        // mean of the first minus mean of the second
	N          int     `json:"n"`                 // pairs that were compared
	// Interval is the 95 % confidence interval of the difference, by Student's distribution. Its
	// Level is 0 if there is none because there is a single pair.
	Interval Interval `json:"interval,omitzero"`
}

// differenceLevel is the confidence level of intervals of differences.
const differenceLevel = 0.95

// StudentInterval is the 95 % confidence interval of a mean with the given standard error and
// degrees of freedom: mean ± t error.
func StudentInterval(mean, err, freedom float64) Interval {
	half := err * distuv.StudentsT{Sigma: 1, Nu: freedom}.Quantile((1+differenceLevel)/2)
	return Interval{Mean: mean, Low: mean - half, High: mean + half, Level: differenceLevel}
}

// ShareInterval is the interval of Clopper and Pearson [CP34] of the share of k in n independent
// cases, with at least 95 % confidence: the shares for which neither k or fewer nor k or more is
// too improbable. It returns an error unless n is positive and k is from 0 to n.
func ShareInterval(k, n int) (Interval, error) {
	if n < 1 || k < 0 || k > n {
		return Interval{}, fmt.Errorf("metric: the share of %d in %d; the number of cases must be positive and at least the count", k, n)
	}
	i := Interval{Mean: float64(k) / float64(n), High: 1, Level: differenceLevel}
	const tail = (1 - differenceLevel) / 2
	if k > 0 {
		i.Low = distuv.Beta{Alpha: float64(k), Beta: float64(n - k + 1)}.Quantile(tail)
	}
	if k < n {
		i.High = distuv.Beta{Alpha: float64(k + 1), Beta: float64(n - k)}.Quantile(1 - tail)
	}
	return i, nil
}

// intervalOf returns the interval of the mean of differences.
func intervalOf(d []float64) Interval {
	if len(d) < 2 {
		return Interval{}
	}
	mean, deviation := stat.MeanStdDev(d, nil)
	n := float64(len(d))
	return StudentInterval(mean, deviation/math.Sqrt(n), n-1)
}

// String returns the result as a sentence. For the zero value it says that there is no result.
func (t Test) String() string {
	if t.Name == "" {
		return "no test"
	}
	what := "the mean"
	if t.Measure != "" {
		what = t.Measure
	}
	direction := "does not differ"
	switch {
	case t.Difference > 0:
		direction = fmt.Sprintf("of the first is %.4g higher", t.Difference)
	case t.Difference < 0:
		direction = fmt.Sprintf("of the first is %.4g lower", -t.Difference)
	}
	between := ""
	if t.Interval.Level > 0 && t.Difference != 0 {
		between = fmt.Sprintf(" (%g %% confidence: %.4g to %.4g)", math.Round(1e6*t.Interval.Level)/1e4, t.Interval.Low, t.Interval.High)
	}
	return fmt.Sprintf("%s %s%s, over %d pairs; %s by %s", what, direction, between, t.N, probability(t.P), t.Name)
}

// HTML returns the sentence.
func (t Test) HTML() string { return paragraph(t.String()) }

// probability prints p as papers do.
func probability(p float64) string {
	if p < 0.0001 {
		return "p < 0.0001"
	}
	return fmt.Sprintf("p = %.4f", p)
}

// differences returns a - b without pairs that have a NaN, the value of a measure that is undefined
// for an instance.
func differences(a, b []float64) ([]float64, error) {
	if len(a) != len(b) {
		return nil, fmt.Errorf("metric: %d and %d values; a paired test needs one of each per instance", len(a), len(b))
	}
	d := make([]float64, 0, len(a))
	for i := range a {
		if math.IsNaN(a[i]) || math.IsNaN(b[i]) {
			continue
		}
		v := a[i] - b[i]
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return nil, fmt.Errorf("metric: the values %v and %v of pair %d are not finite", a[i], b[i], i)
		}
		d = append(d, v)
	}
	return d, nil
}

// PairedT is Student's t-test for the mean of the differences a - b of two or more pairs. Pairs
// with a NaN are left out. If all differences are 0, P is 1; if they are equal but not 0, P is 0.
func PairedT(a, b []float64) (Test, error) {
	d, err := differences(a, b)
	if err != nil {
		return Test{}, err
	}
	if len(d) < 2 {
		return Test{}, fmt.Errorf("metric: the paired t-test needs two pairs or more; there are %d", len(d))
	}
	mean, deviation := stat.MeanStdDev(d, nil)
	t := Test{Name: "the paired t-test", Difference: mean, N: len(d), P: 1, Interval: intervalOf(d)}
	switch {
	case slices.Min(d) == slices.Max(d) && d[0] == 0:
	case slices.Min(d) == slices.Max(d):
		t.Statistic, t.P = math.Copysign(math.Inf(1), mean), 0
	default:
		t.Statistic = mean / deviation * math.Sqrt(float64(len(d)))
		student := distuv.StudentsT{Sigma: 1, Nu: float64(len(d) - 1)}
		t.P = min(1, 2*student.CDF(-math.Abs(t.Statistic)))
	}
	return t, nil
}

const (
	// DefaultRounds is the default number of samples of Permutation and Bootstrap.
	DefaultRounds = 10000

	exactPairs = 16 // number of non-zero differences up to which all signs are tried
)

// Permutation tests the mean of the differences a - b against random exchanges of the two values of
// each pair. Pairs with a NaN are left out. With up to 16 differing pairs, or more if rounds
// allows, it tries all exchanges and P is exact. Otherwise it draws rounds exchanges (DefaultRounds
// if 0 or less) by the seed, and P is (1 + the number of exchanges with a difference of at least
// this size) / (1 + rounds).
func Permutation(a, b []float64, rounds int, seed uint64) (Test, error) {
	d, err := differences(a, b)
	if err != nil {
		return Test{}, err
	}
	if len(d) == 0 {
		return Test{}, errors.New("metric: the permutation test needs a pair of values")
	}
	if rounds <= 0 {
		rounds = DefaultRounds
	}
	n := len(d)
	sum, size := 0.0, 0.0
	for _, v := range d {
		sum += v
		size += math.Abs(v)
	}
	t := Test{Difference: sum / float64(n), Statistic: sum / float64(n), N: n, Interval: intervalOf(d)}
	d = slices.DeleteFunc(d, func(v float64) bool { return v == 0 })
	// Sums that differ only by rounding count as equal.
	least := math.Abs(sum) - 1e-12*size
	if len(d) <= exactPairs || len(d) < 31 && 1<<len(d) <= rounds {
		t.Name = "the exact permutation test"
		t.P = exactPermutation(d, sum, least)
		return t, nil
	}
	t.Name = fmt.Sprintf("the permutation test of %d rounds", rounds)
	random := rand.New(rand.NewPCG(seed, 0))
	extreme := 0
	for range rounds {
		var signed float64
		for from := 0; from < len(d); from += 64 {
			signs := random.Uint64()
			for _, v := range d[from:min(from+64, len(d))] {
				// The lowest bit becomes the sign.
				signed += math.Float64frombits(math.Float64bits(v) ^ signs<<63)
				signs >>= 1
			}
		}
		if math.Abs(signed) >= least {
			extreme++
		}
	}
	t.P = float64(1+extreme) / float64(1+rounds)
	return t, nil
}

// exactPermutation is the fraction of all choices of signs of d whose sum has at least the given
// size. It enumerates them so that each differs from the previous one in a single sign.
func exactPermutation(d []float64, sum, least float64) float64 {
	signed := slices.Clone(d)
	extreme, total := 0, 1<<len(d)
	for i := range total {
		if i > 0 {
			k := bits.TrailingZeros(uint(i))
			signed[k] = -signed[k]
			sum += 2 * signed[k]
		}
		if math.Abs(sum) >= least {
			extreme++
		}
	}
	return float64(extreme) / float64(total)
}

// McNemar tests [McN47] whether two classifiers are right equally often; a and b say for which
// instances each was right. It uses the instances where exactly one was right: the number where the
// first was right is binomial. P is exact; Statistic is the smaller of the two numbers.
func McNemar(a, b []bool) (Test, error) {
	first, second, err := disagreements(a, b)
	if err != nil {
		return Test{}, err
	}
	t := Test{Name: "McNemar's exact test", Statistic: float64(min(first, second)), P: 1, N: len(a)}
	t.Difference, t.Interval = ofOutcomes(first, second, len(a))
	if first+second > 0 {
		binomial := distuv.Binomial{N: float64(first + second), P: 0.5}
		t.P = min(1, 2*binomial.CDF(float64(min(first, second))))
	}
	return t, nil
}

// McNemarCorrected is McNemar by the chi-squared distribution with Edwards' continuity correction
// [Edw48], as in most papers: Statistic is (|f-s| - 1)² / (f+s) for the numbers f and s of
// instances where the first or the second alone was right, and 0 where they are equal.
func McNemarCorrected(a, b []bool) (Test, error) {
	first, second, err := disagreements(a, b)
	if err != nil {
		return Test{}, err
	}
	t := Test{Name: "McNemar's test with continuity correction", P: 1, N: len(a)}
	t.Difference, t.Interval = ofOutcomes(first, second, len(a))
	if first != second {
		excess := math.Abs(float64(first-second)) - 1
		t.Statistic = excess * excess / float64(first+second)
		t.P = distuv.ChiSquared{K: 1}.Survival(t.Statistic)
	}
	return t, nil
}

// ofOutcomes returns the difference of the shares of n pairs of outcomes, and its interval.
func ofOutcomes(first, second, n int) (float64, Interval) {
	d := make([]float64, n)
	for i := range first {
		d[i] = 1
	}
	for i := range second {
		d[first+i] = -1
	}
	return float64(first-second) / float64(n), intervalOf(d)
}

// disagreements counts where a alone and where b alone is true.
func disagreements(a, b []bool) (first, second int, err error) {
	if len(a) != len(b) || len(a) == 0 {
		return 0, 0, fmt.Errorf("metric: %d and %d outcomes; McNemar's test needs one of each per instance", len(a), len(b))
	}
	for i := range a {
		switch {
		case a[i] && !b[i]:
			first++
		case b[i] && !a[i]:
			second++
		}
	}
	return first, second, nil
}
