package calibration

import "math"

// leastProbability is what a smaller probability counts as in a log loss, so that a label that was
// held to be impossible does not make it infinite: the epsilon of float64, as in scikit-learn.
const leastProbability = 0x1p-52

func logOf(p float64) float64 { return math.Log(min(max(p, leastProbability), 1-leastProbability)) }

// Brier returns the score of [Bri50] for the probabilities of the labels of an instance, of which
// relevant has the columns that are true, each once: the sum over the labels of the squared
// difference between the probability and 1 where the label is true, 0 elsewhere. With one true
// label and probabilities that sum to 1 it is between 0 and 2, and equals brier_score_loss of
// scikit-learn with scale_by_half=False. Divided by the number of labels it is the mean of the
// scores of the separate labels, as in [Reliability].
func Brier(probabilities []float64, relevant []int) float64 {
	sum := 0.0
	for _, p := range probabilities {
		sum += squaredError(p, false)
	}
	for _, y := range relevant {
		sum += squaredError(probabilities[y], true) - squaredError(probabilities[y], false)
	}
	return max(0, sum)
}

// squaredError is that of the probability of an event.
func squaredError(p float64, positive bool) float64 {
	if positive {
		p = 1 - p
	}
	return p * p
}

// LogLoss returns minus the logarithm of the probability of the true label of an instance, or the
// mean over several: log_loss of scikit-learn. A probability below 2^-52 counts as 2^-52. It suits
// probabilities that sum to 1, with one label per instance.
func LogLoss(probabilities []float64, relevant []int) float64 {
	sum := 0.0
	for _, y := range relevant {
		sum -= logOf(probabilities[y])
	}
	return sum / float64(len(relevant))
}

// LabelsLogLoss returns the mean over the labels of an instance of minus the logarithm of the
// probability of the outcome: of p if the label is true, of 1 - p if not. Its other conventions are
// those of [LogLoss]. It suits instances of several labels.
func LabelsLogLoss(probabilities []float64, relevant []int) float64 {
	sum := 0.0
	for _, p := range probabilities {
		sum -= logOf(1 - p)
	}
	for _, y := range relevant {
		sum += logOf(1-probabilities[y]) - logOf(probabilities[y])
	}
	return sum / float64(len(probabilities))
}
