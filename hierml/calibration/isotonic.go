package calibration

import (
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

// Isotonic returns the isotonic regression of the truth on the scores: of all functions that
// never fall, the one closest in least squares to 1 at the scores of positives and 0 at those of
// negatives, found by pooling adjacent violators [ZE02]. It needs more data than [Platt], whose
// form it does not assume. Weights, if there are any, are one a score. The complexity is O(n log
// n).
func Isotonic(scores []float64, positive []bool, weights ...float64) (*Steps, error) {
	c, err := check(scores, positive, weights)
	if err != nil {
		return nil, err
	}
	var order []int
	for i := range scores {
		if c.weight(i) > 0 {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		if scores[a] < scores[b] {
			return -1
		}
		if scores[a] > scores[b] {
			return 1
		}
		return 0
	})
	type block struct {
		first, last     float64 // scores
		count, positive float64
	}
	mean := func(b block) float64 { return b.positive / b.count }
	var blocks []block
	for k := 0; k < len(order); {
		// Equal scores have one probability.
		b := block{first: scores[order[k]], last: scores[order[k]]}
		for ; k < len(order) && scores[order[k]] == b.first; k++ {
			b.count += c.weight(order[k])
			if positive[order[k]] {
				b.positive += c.weight(order[k])
			}
		}
		for len(blocks) > 0 && mean(blocks[len(blocks)-1]) >= mean(b) {
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
		p.Probabilities = append(p.Probabilities, mean(b))
		if b.last > b.first {
			p.Scores = append(p.Scores, b.last)
			p.Probabilities = append(p.Probabilities, mean(b))
		}
	}
	return p, nil
}

// finite reports whether all values are numbers.
func finite(values []float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}
