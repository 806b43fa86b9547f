package calibration

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// Steps is a probability that never falls as the score rises: it is given at some scores, linear
// between them and constant outside.
type Steps struct {
	Scores        []float64 // ascending
	Probabilities []float64 // ascending or equal
}

// Probability returns the probability of a score.
func (p *Steps) Probability(score float64) float64 {
	n := len(p.Scores)
	at := sort.SearchFloat64s(p.Scores, score) // first not below
	switch {
	case at == n:
		return p.Probabilities[n-1]
	case at == 0 || p.Scores[at] == score:
		return p.Probabilities[at]
	}
	share := (score - p.Scores[at-1]) / (p.Scores[at] - p.Scores[at-1])
	return p.Probabilities[at-1] + share*(p.Probabilities[at]-p.Probabilities[at-1])
}

// Isotonic returns the isotonic regression of the truth on the scores: the non-decreasing function
// with the smallest squared difference to 1 at the scores of positives and to 0 at those of
// negatives, found by pooling adjacent violators [ZE02]. It needs more data than [Platt], because
// it assumes no form. Weights, if there are any, are one per score. The complexity is O(n log n).
func Isotonic(scores []float64, positive []bool, weights ...float64) (*Steps, error) {
	c, err := check(scores, positive, weights)
	if err != nil {
		return nil, err
	}
	var blocks []block
	for _, b := range c.byScore(scores, positive) {
		for len(blocks) > 0 && blocks[len(blocks)-1].mean() >= b.mean() {
			before := blocks[len(blocks)-1]
			blocks = blocks[:len(blocks)-1]
			b.first = before.first
			b.count += before.count
			b.positive += before.positive
		}
		blocks = append(blocks, b)
	}
	p := new(Steps)
	for _, b := range blocks {
		p.Scores = append(p.Scores, b.first)
		p.Probabilities = append(p.Probabilities, b.mean())
		if b.last > b.first {
			p.Scores = append(p.Scores, b.last)
			p.Probabilities = append(p.Probabilities, b.mean())
		}
	}
	return p, nil
}

// block has the scores of one probability.
type block struct {
	first, last     float64 // scores
	count, positive float64 // sums of weights
}

func (b block) mean() float64 { return b.positive / b.count }

// byScore returns the scores that count, ascending, equal ones together.
func (c counted) byScore(scores []float64, positive []bool) []block {
	var order []int
	for i := range scores {
		if c.weight(i) > 0 {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(scores[a], scores[b]) })
	var blocks []block
	for _, i := range order {
		if n := len(blocks); n == 0 || blocks[n-1].first != scores[i] {
			blocks = append(blocks, block{first: scores[i], last: scores[i]})
		}
		b := &blocks[len(blocks)-1]
		b.count += c.weight(i)
		if positive[i] {
			b.positive += c.weight(i)
		}
	}
	return blocks
}

// finite reports whether all values are numbers.
func finite(values []float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}
