// Package calibration turns the scores of a classifier into probabilities and into label sets.
// [Platt], [Isotonic], [Beta] and [VennABERS] learn the probability of a label given its score,
// [RelativePlatt] given also the highest score of the instance, and [SoftmaxTemperature] given the
// scores of all labels. [Threshold], [PerLabel] and [Size] learn where to cut a ranking of labels.
// [NewReliability] measures how reliable probabilities are. Package decision makes decisions from
// them.
//
// Learn from scores of instances that the classifier was not trained on, because scores of its
// training data are too optimistic.
package calibration

import (
	"fmt"
	"math"

	"github.com/hierml/notebook/hierml/internal/weigh"
)

// check returns an error for the first thing wrong with scores, their truth, and weights, of which
// there may be none.
func check(scores []float64, positive []bool, weights []float64) (counted, error) {
	if len(scores) == 0 || len(scores) != len(positive) {
		return counted{}, fmt.Errorf("calibration: %d scores and the truth of %d; give at least one score, and the truth for each", len(scores), len(positive))
	}
	if len(weights) > 0 && len(weights) != len(scores) {
		return counted{}, fmt.Errorf("calibration: %d scores with %d weights; give one weight for each, or none", len(scores), len(weights))
	}
	if err := weigh.Check(weights); err != nil {
		return counted{}, fmt.Errorf("calibration: %w", err)
	}
	c := counted{weights: weights}
	for i, s := range scores {
		if math.IsNaN(s) || math.IsInf(s, 0) {
			return counted{}, fmt.Errorf("calibration: score %d is %v; scores must be finite", i, s)
		}
		w := c.weight(i)
		c.all += w
		if positive[i] {
			c.positive += w
		}
	}
	return c, nil
}

// counted are the weights of scores, none for ones, added up.
type counted struct {
	weights       []float64
	all, positive float64
}

func (c counted) weight(i int) float64 { return weigh.Of(c.weights, i) }

// targets are those of [Pla99] of a positive and of a negative.
func (c counted) targets() (hi, lo float64) {
	return (c.positive + 1) / (c.positive + 2), 1 / (c.all - c.positive + 2)
}

// prior is the logarithm of the odds that targets of Platt have on average.
func (c counted) prior() float64 {
	hi, lo := c.targets()
	mean := (c.positive*hi + (c.all-c.positive)*lo) / c.all
	return math.Log(mean) - math.Log1p(-mean)
}

// logOdds are those of a negative among all, each counted once more.
func (c counted) logOdds() float64 { return math.Log(c.all-c.positive+1) - math.Log(c.positive+1) }
