package metric

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat/distuv"
)

// Holm returns the p-values of several tests, corrected for their number by [Hol79], in their
// order. If you reject all tests with a corrected p-value up to a level, the probability of any
// false rejection is at most that level. NaNs stay NaN and are not counted.
func Holm(p []float64) []float64 {
	corrected := slices.Clone(p)
	var order []int
	for i, v := range p {
		if !math.IsNaN(v) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case p[a] < p[b]:
			return -1
		case p[a] > p[b]:
			return 1
		}
		return 0
	})
	largest := 0.0
	for k, i := range order {
		largest = max(largest, min(1, float64(len(order)-k)*p[i]))
		corrected[i] = largest
	}
	return corrected
}

// Ranks compares several classifiers over several data sets by their ranks on each, as [Dem06]
// recommends: by the test of Friedman with the correction of Iman and Davenport, and pair by pair
// by that of Nemenyi.
type Ranks struct {
	// Mean has the mean rank of each classifier, where 1 is the best; tied classifiers share their
	// ranks.
	Mean []float64
	// Sets is the number of data sets.
	Sets int
	// ChiSquared is Friedman's statistic, corrected for ties, F that of Iman and Davenport, which
	// is (N-1) ChiSquared / (N (k-1) - ChiSquared) for N data sets and k classifiers, and P the
	// probability of an F at least as large if all are equally good, by the F distribution with k-1
	// and (k-1) (N-1) degrees of freedom.
	ChiSquared, F, P float64
	// Level is 0.05, and Difference the critical difference of Nemenyi: mean ranks that are at
	// least that far apart differ at the level, for any pair.
	Level, Difference float64
}

// rankLevel is the level of critical differences.
const rankLevel = 0.05

// Friedman ranks classifiers on data sets. values has one row per data set and one column per
// classifier, two or more of each, and no NaN. lower means that lower values are better.
func Friedman(values [][]float64, lower bool) (Ranks, error) {
	if len(values) < 2 || len(values[0]) < 2 {
		return Ranks{}, errors.New("metric: Friedman's test needs two data sets and two classifiers or more")
	}
	n, k := float64(len(values)), len(values[0])
	r := Ranks{Mean: make([]float64, k), Sets: len(values), Level: rankLevel, P: 1}
	ties := 0.0
	for i, row := range values {
		if len(row) != k {
			return Ranks{}, fmt.Errorf("metric: data set %d has %d values, the first %d; Friedman's test needs all classifiers on all data sets", i, len(row), k)
		}
		for j, v := range row {
			if math.IsNaN(v) {
				return Ranks{}, fmt.Errorf("metric: the value of classifier %d on data set %d is not a number", j, i)
			}
			better, same := 0, 0 // itself among the same
			for _, w := range row {
				switch {
				case w == v:
					same++
				case w < v == lower:
					better++
				}
			}
			r.Mean[j] += (float64(better) + float64(same+1)/2) / n
			ties += float64(same*same - 1) // t³ - t for each group of t, shared among its members
		}
	}
	c := float64(k)
	r.Difference = nemenyi(k, rankLevel) * math.Sqrt(c*(c+1)/(6*n))
	spread := 0.0
	for _, m := range r.Mean {
		spread += (m - (c+1)/2) * (m - (c+1)/2)
	}
	correction := 1 - ties/(n*c*(c*c-1))
	if correction < 1e-12 { // all are equal on all data sets
		return r, nil
	}
	r.ChiSquared = 12 * n / (c * (c + 1)) * spread / correction
	left := n*(c-1) - r.ChiSquared
	if left < 1e-9 { // the same order everywhere
		r.F, r.P = math.Inf(1), 0
		return r, nil
	}
	r.F = (n - 1) * r.ChiSquared / left
	if r.F > 0 {
		r.P = distuv.F{D1: c - 1, D2: (c - 1) * (n - 1)}.Survival(r.F)
	}
	return r, nil
}

// Pair returns the p-value of Nemenyi's test of two classifiers, by their positions.
func (r Ranks) Pair(a, b int) float64 {
	k := float64(len(r.Mean))
	return 1 - studentizedRange(math.Abs(r.Mean[a]-r.Mean[b])/math.Sqrt(k*(k+1)/(6*float64(r.Sets)))*math.Sqrt2, len(r.Mean))
}

// nemenyi is the critical value of [Dem06, table 5]: the quantile of the studentized range of k
// values with infinitely many degrees of freedom, divided by the root of 2.
func nemenyi(k int, level float64) float64 {
	low, high := 0.0, 100.0
	for range 100 {
		if q := (low + high) / 2; studentizedRange(q, k) < 1-level {
			low = q
		} else {
			high = q
		}
	}
	return low / math.Sqrt2
}

// studentizedRange is the probability that the range of k independent standard normal values is at
// most q: k times the integral over z of the density at z of the smallest, with the others between
// z and z+q.
func studentizedRange(q float64, k int) float64 {
	if q <= 0 {
		return 0
	}
	normal := distuv.UnitNormal
	const far = 9 // beyond this the density is below the precision of a double
	integral := quad.Fixed(func(z float64) float64 {
		return normal.Prob(z) * math.Pow(normal.CDF(z+q)-normal.CDF(z), float64(k-1))
	}, -far, far, 400, nil, 0)
	return min(1, float64(k)*integral)
}
