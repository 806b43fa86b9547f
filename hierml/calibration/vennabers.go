package calibration

import (
	"fmt"
	"slices"
	"sort"
)

// VennAbers has two probabilities for each score: the result of isotonic regression if the instance
// is added as a negative, and if it is added as a positive [VPF15]. One of the two is calibrated
// for any distribution, if the instance is drawn like the training instances. Their distance shows
// the uncertainty. Both are step functions.
type VennAbers struct {
	Scores []float64 // ascending: where the steps are
	// Low has the probability, if it is a negative, from a score up to the next; it is 0 below the
	// first. High has the probability, if it is a positive, down to the score before;
	// it is 1 above the last.
	Low, High []float64
}

// String returns the number of steps.
func (p *VennAbers) String() string {
	return fmt.Sprintf("Venn-ABERS probabilities with steps at %d scores", len(p.Scores))
}

// Interval returns both probabilities of a score.
func (p *VennAbers) Interval(score float64) (low, high float64) {
	at := sort.SearchFloat64s(p.Scores, score) // first not below
	high = 1
	if at < len(p.Scores) {
		high = p.High[at]
		if p.Scores[at] == score {
			return p.Low[at], high
		}
	}
	if at > 0 {
		low = p.Low[at-1]
	}
	return low, high
}

// Probability returns one probability of a score, of smallest regret under the log loss:
// high / (1 - low + high) [VPF15].
func (p *VennAbers) Probability(score float64) float64 {
	low, high := p.Interval(score)
	return high / (1 - low + high)
}

// VennABERS learns the probabilities of inductive Venn-ABERS prediction [VPF15]. Weights, if there
// are any, are one per score; a new instance has weight 1. The complexity is O(n log n).
func VennABERS(scores []float64, positive []bool, weights ...float64) (*VennAbers, error) {
	c, err := check(scores, positive, weights)
	if err != nil {
		return nil, err
	}
	up := c.byScore(scores, positive)
	p := new(VennAbers)
	high := ifPositive(up)
	// A negative at a score is a positive at the opposite one, where all are turned round.
	down := slices.Clone(up)
	slices.Reverse(down)
	for k := range down {
		down[k].positive = down[k].count - down[k].positive
	}
	low := ifPositive(down)
	slices.Reverse(low)
	for k := range low {
		low[k] = 1 - low[k]
	}
	for k, b := range up {
		if k > 0 && k < len(up)-1 && low[k] == low[k-1] && high[k] == high[k+1] {
			continue // no step
		}
		p.Scores, p.Low, p.High = append(p.Scores, b.first), append(p.Low, low[k]), append(p.High, high[k])
	}
	return p, nil
}

// ifPositive returns, for every score, the isotonic regression there if one more instance has it,
// and is a positive. The regression is the slope of the greatest convex minorant of the points
// (sum of weights, sum of those of positives); the instance moves the points before its score by
// (-1, -1). Those before are a convex chain that grows by a point a score; so do those from the
// score on, from the right; the slope is that of the line that touches both.
func ifPositive(blocks []block) []float64 {
	n := len(blocks)
	points := make([]point, n+1)
	for k, b := range blocks {
		points[k+1] = point{points[k].x + b.count, points[k].y + b.positive}
	}
	// The minorant of all points and of (-1, -1), its last corner first.
	var corners []point
	push := func(p point) {
		for len(corners) > 1 && !left(corners[len(corners)-2], corners[len(corners)-1], p) {
			corners = corners[:len(corners)-1]
		}
		corners = append(corners, p)
	}
	push(point{-1, -1})
	for _, p := range points {
		push(p)
	}
	slices.Reverse(corners)
	values := make([]float64, n)
	moved := point{-1, -1} // the point before the score
	for k := range n {
		last := len(corners) - 1
		first, second := corners[last], corners[last-1]
		values[k] = (second.y - first.y) / (second.x - first.x)
		// The next score has this one before it: the point there, moved.
		moved = point{moved.x + points[k+1].x - points[k].x, moved.y + points[k+1].y - points[k].y}
		if !left(first, moved, second) {
			continue // not below the line: no corner
		}
		corners = corners[:last]
		for len(corners) > 1 && !left(moved, corners[len(corners)-1], corners[len(corners)-2]) {
			corners = corners[:len(corners)-1]
		}
		corners = append(corners, moved)
	}
	return values
}

type point struct{ x, y float64 }

// left reports whether the way from a over b to c turns left, as a convex chain does.
func left(a, b, c point) bool {
	return (b.x-a.x)*(c.y-b.y)-(b.y-a.y)*(c.x-b.x) > 0
}
