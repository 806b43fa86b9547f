// Package calibration turns the scores of a classifier into probabilities and into label sets:
// [Platt] and [Isotonic] learn how likely a label is given its score, [RelativePlatt] given the
// highest score of the instance too, [Threshold], [PerLabel] and [Size] where to cut a ranking of
// labels. [NewReliability] tells how far probabilities can be believed. [HLoss] decides for the
// label sets of the smallest expected H-loss, given probabilities of nodes.
//
// Scores to learn from should be of instances that the classifier was not trained on, because those
// of its own training data are too good.
package calibration

import (
	"fmt"
	"math"
)

// check reports the first thing wrong with scores and their truth and returns the number of
// positives.
func check(scores []float64, positive []bool) (int, error) {
	if len(scores) == 0 || len(scores) != len(positive) {
		return 0, fmt.Errorf("calibration: %d scores with the truth of %d; give at least one, and a truth to each", len(scores), len(positive))
	}
	n := 0
	for i, s := range scores {
		if math.IsNaN(s) || math.IsInf(s, 0) {
			return 0, fmt.Errorf("calibration: score %d is %v; scores are finite", i, s)
		}
		if positive[i] {
			n++
		}
	}
	return n, nil
}
