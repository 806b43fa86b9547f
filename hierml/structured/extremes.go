package structured

import (
	"math"
	"slices"
)

// extremes is the search of a ranking in which every pair has the same loss, so that a pair is
// violated the more, the lower the score of its label and the higher that of the other candidate:
// the worst is found by one look at every candidate instead of one at every pair.
type extremes struct {
	*rankingSearch
	low, high []int32 // positions of labels in the block, candidates
}

func (s *extremes) Load(b int, scores []float64) float64 {
	s.turn(b, scores)
	lowest, highest := math.Inf(1), math.Inf(-1)
	for _, y := range s.labels {
		lowest = min(lowest, s.scores[y])
	}
	for z, f := range s.scores {
		if f > highest && !s.relevant[z] {
			highest = f
		}
	}
	return max(0, s.violation(s.ranking.same, lowest-highest))
}

func (s *extremes) Violation(id int32) float64 {
	q := int32(len(s.scores))
	return s.violation(s.ranking.same, s.scores[s.labels[id/q]]-s.scores[id%q])
}

func (s *extremes) Worst(n int, floor float64, known []int32, dst []int32) []int32 {
	floor = max(floor, 0)
	if n <= 0 {
		return dst
	}
	// Of the n worst that are not known none has a label or a candidate that is not among the first
	// of these.
	count := n + len(known)
	s.low, s.high = s.low[:0], s.high[:0]
	for r, y := range s.labels {
		s.low = insert(s.low, int32(r), count, s.scores[y], func(r int32) float64 { return s.scores[s.labels[r]] })
	}
	for z, f := range s.scores {
		if !s.relevant[z] {
			s.high = insert(s.high, int32(z), count, -f, func(z int32) float64 { return -s.scores[z] })
		}
	}
	q, worst := int32(len(s.scores)), dst[len(dst):]
	for _, r := range s.low {
		for _, z := range s.high {
			id := r*q + z
			v := s.Violation(id)
			if v <= floor {
				break
			}
			if !slices.Contains(known, id) {
				worst, floor = insertWorst(s, worst, n, id, v, floor)
			}
		}
	}
	return append(dst, worst...)
}

// insertWorst inserts a competitor, with its violation, into the n most violated of those that a
// search has looked at so far, the most violated first. It returns them, and the violation above
// which the next one counts.
func insertWorst(s Search, worst []int32, n int, id int32, violation, floor float64) ([]int32, float64) {
	worst = insert(worst, id, n, -violation, func(id int32) float64 { return -s.Violation(id) })
	if len(worst) == n {
		floor = max(floor, s.Violation(worst[n-1]))
	}
	return worst, floor
}

// insert puts an item with the given key into a list that ascends by keys and keeps at most count
// of its items.
func insert(list []int32, item int32, count int, key float64, keyOf func(int32) float64) []int32 {
	if len(list) == count {
		if keyOf(list[count-1]) <= key {
			return list
		}
		list = list[:count-1]
	}
	at := len(list)
	list = append(list, item)
	for at > 0 && keyOf(list[at-1]) > key {
		list[at] = list[at-1]
		at--
	}
	list[at] = item
	return list
}
