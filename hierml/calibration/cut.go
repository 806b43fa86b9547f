package calibration

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Cut chooses a set of labels by their scores.
type Cut interface {
	// Choose appends the positions of the labels chosen to dst, ascending.
	Choose(scores []float64, dst []int) []int
}

// Above chooses the labels with scores above a number, the same for all.
type Above float64

// Choose appends the labels chosen; see [Cut].
func (t Above) Choose(scores []float64, dst []int) []int { return above(scores, float64(t), dst) }

// Thresholds chooses the labels with scores above a threshold of their own.
type Thresholds []float64

// Choose appends the labels chosen; see [Cut].
func (t Thresholds) Choose(scores []float64, dst []int) []int {
	for y, s := range scores {
		if s > t[y] {
			dst = append(dst, y)
		}
	}
	return dst
}

// Linear is a linear function of the scores of an instance.
type Linear struct {
	Coefficients []float64 // one a label
	Intercept    float64
}

// At returns the value for the scores of an instance.
func (l Linear) At(scores []float64) float64 {
	v := l.Intercept
	for y, c := range l.Coefficients {
		v += c * scores[y]
	}
	return v
}

// String returns the number of coefficients.
func (l Linear) String() string {
	return fmt.Sprintf("a linear function of %d scores, intercept %.4g", len(l.Coefficients), l.Intercept)
}

// LinearThreshold chooses the labels with scores above a linear function of all scores.
type LinearThreshold struct{ Linear }

// String describes what the threshold is a function of.
func (t LinearThreshold) String() string { return "scores above " + t.Linear.String() }

// Choose appends the labels chosen; see [Cut].
func (t LinearThreshold) Choose(scores []float64, dst []int) []int {
	return above(scores, t.At(scores), dst)
}

// LinearSize chooses the labels with the highest scores, in case of a tie the first. Their number
// is the rounded value of a linear function of all scores, at least one.
type LinearSize struct{ Linear }

// String describes what the size is a function of.
func (t LinearSize) String() string { return "as many of the highest scores as " + t.Linear.String() }

// Choose appends the labels chosen; see [Cut].
func (t LinearSize) Choose(scores []float64, dst []int) []int {
	size := int(min(max(math.Round(t.At(scores)), 1), float64(len(scores))))
	order := make([]int, len(scores))
	for y := range order {
		order[y] = y
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	slices.Sort(order[:size])
	return append(dst, order[:size]...)
}

func above(scores []float64, threshold float64, dst []int) []int {
	for y, s := range scores {
		if s > threshold {
			dst = append(dst, y)
		}
	}
	return dst
}
