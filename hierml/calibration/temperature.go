package calibration

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Temperature divides scores by one number, T, so that their softmax is calibrated. Its value is
// 1/T, from 0, where all labels are equally likely.
type Temperature float64

// Probability returns exp(s/T), of which the softmax is the share in the sum over the labels.
func (t Temperature) Probability(score float64) float64 { return math.Exp(float64(t) * score) }

// String returns the temperature, infinite if 1/T is 0.
func (t Temperature) String() string { return fmt.Sprintf("temperature %.4g", 1/float64(t)) }

// SoftmaxTemperature returns the temperature with maximum likelihood [GPSW17, section 4.2] for
// scores, with one row per instance; truth has the column of its label. Minus infinity is the score
// of an impossible label. The target of n instances is (n+1)/(n+2) for the true label, and the rest
// is divided among the others, as in Platt: so T is above 0 even if every instance is right.
// Weights, if there are any, are one per instance, and n is their sum.
func SoftmaxTemperature(scores *mat.Dense, truth []int, weights ...float64) (Temperature, error) {
	if scores == nil {
		return 0, fmt.Errorf("calibration: there are no scores to learn a temperature from")
	}
	rows, columns := scores.Dims()
	if rows == 0 || rows != len(truth) {
		return 0, fmt.Errorf("calibration: scores of %d instances and labels of %d; give at least one instance, and one label for each", rows, len(truth))
	}
	// The scores below the highest, in units of the largest difference; those of the labels that
	// can be, with the place of the true one.
	type row struct {
		below []float64
		truth int
	}
	all, size := make([]row, 0, rows), 0.0
	none := make([]float64, rows)
	for i := range rows {
		if y := truth[i]; y < 0 || y >= columns {
			return 0, fmt.Errorf("calibration: instance %d has label %d; the scores have columns 0..%d", i, y, columns-1)
		}
		from := scores.RawRowView(i)
		highest, r := floats.Max(from), row{}
		for y, s := range from {
			if y == truth[i] {
				r.truth = len(r.below)
			} else if math.IsInf(s, -1) {
				continue
			}
			if math.IsNaN(s) || math.IsInf(s, 0) {
				return 0, fmt.Errorf("calibration: instance %d, column %d: score %v; scores must be finite, or minus infinity for an impossible label", i, y, s)
			}
			r.below = append(r.below, s-highest)
			size = max(size, highest-s)
		}
		all = append(all, r)
	}
	c, err := check(none, make([]bool, rows), weights)
	if err != nil {
		return 0, err
	}
	if size == 0 {
		return 1, nil // no score is above another: every temperature gives the same
	}
	rest := 1 / (c.all + 2)
	// slope is the derivative, by 1/T, of the negative logarithm of the likelihood, which is
	// convex.
	slope := func(inverse float64) float64 {
		var sum float64
		for i, r := range all {
			if len(r.below) < 2 {
				continue
			}
			var total, mean, target float64
			for y, s := range r.below {
				e := math.Exp(inverse * s / size)
				total += e
				mean += e * s / size
				share := rest / float64(len(r.below)-1)
				if y == r.truth {
					share = 1 - rest
				}
				target += share * s / size
			}
			sum += c.weight(i) * (mean/total - target)
		}
		return sum
	}
	if slope(0) >= 0 {
		return 0, nil // the scores say nothing of the labels
	}
	low, high := 0.0, 1.0
	for slope(high) < 0 {
		low, high = high, 2*high
		if math.IsInf(high, 1) {
			return 0, fmt.Errorf("calibration: no temperature fits these scores, which differ by %v at most", size)
		}
	}
	for range 200 {
		middle := low + (high-low)/2
		if middle == low || middle == high {
			break
		}
		if slope(middle) < 0 {
			low = middle
		} else {
			high = middle
		}
	}
	return Temperature(low / size), nil
}
