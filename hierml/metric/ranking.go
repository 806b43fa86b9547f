package metric

import (
	"math"
	"slices"
)

// rated is a label and its score.
type rated struct {
	score float64
	leaf  int
}

// ranking measures the order of the scores, in one pass over them: O(leaves · log labels). A wrong
// leaf with the score of a true label counts as ranked above it.
func (w *worker) ranking(scores []float64, labels []int, at int) {
	w.own = w.own[:0]
	for _, y := range labels {
		w.own = append(w.own, rated{scores[w.t.LeafIndex(y)], y})
	}
	slices.SortFunc(w.own, func(a, b rated) int {
		if a.score < b.score {
			return -1
		}
		if a.score > b.score {
			return 1
		}
		return a.leaf - b.leaf
	})
	relevant, irrelevant := len(labels), len(scores)-len(labels)
	// above[j]: the wrong leaves that have the score of j true labels or a higher one.
	w.above = slices.Grow(w.above[:0], relevant+1)[:relevant+1]
	clear(w.above)
	lowest := w.own[0].score
	for k, s := range scores {
		if s >= lowest && !w.isTrue[k] {
			w.above[w.reached(s)]++
		}
	}
	// From the highest true labels down, equal scores together. wrong counts the wrong leaves
	// above.
	wrong, misordered := 0, 0
	precision := 0.0
	for hi := relevant; hi > 0; {
		lo := hi - 1
		for lo > 0 && w.own[lo-1].score == w.own[lo].score {
			lo--
		}
		wrong += w.above[hi]
		misordered += (hi - lo) * wrong
		precision += float64(hi-lo) * float64(relevant-lo) / float64(relevant-lo+wrong)
		w.ranks(relevant-hi+wrong+1, relevant-lo+wrong, at)
		if w.worth != nil {
			w.worthsAt(w.own[lo:hi], relevant-hi+wrong, at)
		}
		hi = lo
	}
	w.columns[averagePrecision][at] = precision / float64(relevant)
	w.columns[rankingLoss][at] = math.NaN()
	if irrelevant > 0 {
		w.columns[rankingLoss][at] = float64(misordered) / float64(relevant) / float64(irrelevant)
	}
	for i, k := range w.at {
		ideal := 0.0
		for rank := 1; rank <= min(k, relevant); rank++ {
			ideal += w.gains[rank]
		}
		c := w.atColumn(i)
		w.columns[c][at] /= float64(k)
		w.columns[c+1][at] /= ideal
	}
	if w.worth != nil {
		w.reachable(at)
	}
	if misordered > 0 {
		w.columns[maximalLoss][at] = w.maximal(scores)
	}
}

// reached counts the true labels with a score of at most s.
func (w *worker) reached(s float64) int {
	lo, hi := 1, len(w.own) // the first is one of them
	for lo < hi {
		mid := (lo + hi) / 2
		if w.own[mid].score <= s {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// ranks adds true labels at the ranks from from up to to, counted from 1, to the precision, the
// gain and the accuracy at each k.
func (w *worker) ranks(from, to, at int) {
	for i, k := range w.at {
		if from > k {
			continue
		}
		c := w.atColumn(i)
		w.columns[c+2][at] = 1
		for rank := from; rank <= min(k, to); rank++ {
			w.columns[c][at]++
			w.columns[c+1][at] += w.gains[rank]
		}
	}
}

// worthsAt adds the values of true labels with one score, and the given number of leaves above, to
// the propensity-scored precision at each k. The least valuable ones count as ranked first.
func (w *worker) worthsAt(own []rated, above, at int) {
	w.sortWorths(own)
	for i, k := range w.at {
		for _, v := range w.worths[:max(0, min(k-above, len(own)))] {
			w.columns[w.atColumn(i)+3][at] += v / float64(k)
		}
	}
}

// reachable writes, for each k, the maximum of the propensity-scored precision of the instance.
func (w *worker) reachable(at int) {
	w.sortWorths(w.own)
	for i, k := range w.at {
		for _, v := range w.worths[max(0, len(w.worths)-k):] {
			w.columns[w.atColumn(i)+4][at] += v / float64(k)
		}
	}
}

// sortWorths writes the values of the true labels to w.worths, ascending.
func (w *worker) sortWorths(own []rated) {
	w.worths = w.worths[:0]
	for _, r := range own {
		w.worths = append(w.worths, w.worth[w.t.LeafIndex(r.leaf)])
	}
	slices.Sort(w.worths)
}
