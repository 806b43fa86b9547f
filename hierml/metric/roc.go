package metric

import (
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/internal/guarded"
	"github.com/hierml/notebook/hierml/internal/weigh"
)

// ROC has areas under ROC curves: how often a leaf that is a label has a higher score than one that
// is not, where a tie counts half [HM82]. It compares the scores of different instances. For a
// Prober these are the probabilities, otherwise the scores themselves; those of some models, such
// as Crammer and Singer's, are comparable only within an instance.
type ROC struct {
	// Micro is the area over all pairs of an instance and a leaf. Macro is the mean of the areas of
	// the leaves that some but not all instances have, NaN if there are none. They equal
	// roc_auc_score of scikit-learn for indicators of the labels, without classes whose area is
	// undefined.
	Micro, Macro float64
}

// roc measures scores of leaves for instances that have labels. at returns the columns of the
// labels.
func (s Settings) roc(scores *mat.Dense, labels [][]int, at func(label int) int) *ROC {
	_, leaves := scores.Dims()
	pairs := s.pairs(scores, labels, at, leaves)
	areas, all := make([]float64, leaves), make([]int, leaves)
	for k, own := range pairs.steps(single(leaves)...) {
		areas[k], all[k] = own.roc(), k
	}
	macro, _ := mean(areas, nil)
	return &ROC{Micro: pairs.steps(all)[0].roc(), Macro: macro}
}

// pairs are pairs of an instance and a column, with a score each.
type pairs struct {
	s      Settings
	scores *mat.Dense
	with   [][]int // by column: the instances that have it, and a weight
	rows   []int   // that have a weight
	total  float64 // their weight
}

// pairs returns the pairs of the instances that have labels. at returns the columns of the labels.
func (s Settings) pairs(scores *mat.Dense, labels [][]int, at func(label int) int, columns int) *pairs {
	p := &pairs{s: s, scores: scores, with: make([][]int, columns), rows: make([]int, 0, len(labels))}
	sizes, all := make([]int, columns), 0
	for i, set := range labels {
		w := weigh.Of(s.Weights, i)
		if w == 0 {
			continue
		}
		p.rows = append(p.rows, i)
		p.total += w
		for _, y := range set {
			sizes[at(y)]++
			all++
		}
	}
	instances := make([]int, all)
	for k, n := range sizes {
		p.with[k], instances = instances[:0:n], instances[n:]
	}
	for _, i := range p.rows {
		for _, y := range labels[i] {
			k := at(y)
			p.with[k] = append(p.with[k], i)
		}
	}
	return p
}

// itself is the column of a node where there is one for each.
func itself(n int) int { return n }

// step is a score that some positive pairs have, the highest first.
type step struct {
	threshold float64
	own       float64 // weight of the positive pairs with the score
	level     float64 // weight of all pairs with it
	found     float64 // weight of the positive pairs that reach it
	reached   float64 // weight of all pairs that reach it
}

// steps are the thresholds of some columns together.
type steps struct {
	all                 []step
	positives, negative float64 // weights; the second is 0 only if there is no such pair
}

// precisionRecall is the area under the precision-recall curve, NaN without positive pairs.
func (s steps) precisionRecall() float64 {
	sum := 0.0
	for _, t := range s.all {
		sum += t.own * t.found / t.reached
	}
	return sum / s.positives
}

// roc is the area under the ROC curve, NaN without positive or without negative pairs.
func (s steps) roc() float64 {
	if s.positives == 0 || s.negative == 0 {
		return math.NaN()
	}
	sum := 0.0
	for _, t := range s.all {
		below := max(0, s.negative-(t.reached-t.found))
		sum += t.own * (below + (t.level-t.own)/2)
	}
	return min(1, sum/s.positives/s.negative)
}

// steps returns the steps of each group of columns; the groups are disjoint. Only scores of
// positive pairs are thresholds that increase the recall. The others are counted between them, in
// one pass over the scores.
func (p *pairs) steps(groups ...[]int) []steps {
	found, all := make([]steps, len(groups)), make([]ladder, len(groups))
	groupOf := make([]int, len(p.with)) // by column, -1 if there is nothing to count
	for k := range groupOf {
		groupOf[k] = -1
	}
	size, most := 0, 0
	for _, columns := range groups {
		for _, k := range columns {
			most += len(p.with[k])
		}
	}
	room, own := make([]step, most), make([]float64, 0, most)
	for g, columns := range groups {
		s := &found[g]
		own = own[len(own):]
		for _, k := range columns {
			for _, i := range p.with[k] {
				own = append(own, p.scores.At(i, k))
			}
		}
		s.negative = p.total * float64(len(columns))
		positives := len(own)
		all[g] = newLadder(own, size)
		size += len(all[g].own)
		s.all, room = room[:len(all[g].own)], room[len(all[g].own):]
		for _, k := range columns {
			if positives > 0 {
				groupOf[k] = g
			}
			for _, i := range p.with[k] {
				at, _ := all[g].find(p.scores.At(i, k))
				w := weigh.Of(p.s.Weights, i)
				s.all[at].own += w
				s.positives += w
			}
		}
		if s.negative -= s.positives; positives == len(p.rows)*len(columns) {
			s.negative = 0
		}
	}
	reach, level := p.count(all, groupOf, size)
	for g, s := range found {
		var own, reached float64
		for at := len(s.all) - 1; at >= 0; at-- {
			t := &s.all[at]
			own, reached = own+t.own, reached+reach[all[g].from+at]
			t.threshold, t.level, t.found, t.reached = all[g].own[at], level[all[g].from+at], own, reached
		}
		slices.Reverse(s.all)
	}
	return found
}

// count returns, for each threshold of all ladders, the weight of the pairs that reach it but not
// the next one, and of the pairs equal to it.
func (p *pairs) count(all []ladder, groupOf []int, size int) (reach, level []float64) {
	workers := max(1, min(guarded.Workers(p.s.Workers), len(p.rows)*len(groupOf)/fewScores))
	if p.s.Weights != nil {
		workers = 1 // sums of weights must not depend on the workers
	}
	reached, levels := make([][]float64, workers), make([][]float64, workers)
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			reach, level := make([]float64, size), make([]float64, size)
			for _, i := range p.rows[w*len(p.rows)/workers : (w+1)*len(p.rows)/workers] {
				row, weight := p.scores.RawRowView(i), weigh.Of(p.s.Weights, i)
				for k, g := range groupOf {
					if g < 0 || row[k] < all[g].own[0] {
						continue
					}
					at, is := all[g].find(row[k])
					if is {
						level[all[g].from+at] += weight
					} else {
						at--
					}
					reach[all[g].from+at] += weight
				}
			}
			reached[w], levels[w] = reach, level
		})
	}
	wait.Wait()
	for w := 1; w < workers; w++ {
		for k := range size {
			reached[0][k] += reached[w][k]
			levels[0][k] += levels[w][k]
		}
	}
	return reached[0], levels[0]
}

// ladder finds scores among ascending ones.
type ladder struct {
	own  []float64
	from int // start of its counts
	// the ones from buckets[b] up to buckets[b+1] have scores whose distance to the lowest, times
	// scale, is b when it is rounded down; nil where they are few or not finite
	buckets []int32
	scale   float64
}

// fewSteps is the number of steps up to which a search needs no buckets.
const fewSteps = 256

// newLadder sorts the scores and removes duplicates.
func newLadder(own []float64, from int) ladder {
	slices.Sort(own)
	own = slices.Compact(own)
	l := ladder{own: own, from: from}
	if len(own) < fewSteps || len(own) > math.MaxInt32 {
		return l
	}
	l.scale = float64(len(own)-1) / (own[len(own)-1] - own[0])
	if !(l.scale > 0) || math.IsInf(l.scale, 1) {
		return l
	}
	l.buckets = make([]int32, len(own)+1)
	b := 0
	for k, v := range own {
		for ; b <= l.bucket(v); b++ {
			l.buckets[b] = int32(k)
		}
	}
	for ; b < len(l.buckets); b++ {
		l.buckets[b] = int32(len(own))
	}
	return l
}

// bucket returns the bucket of a score that is not below the lowest. It is monotone in the score.
func (l *ladder) bucket(v float64) int {
	return int(min((v-l.own[0])*l.scale, float64(len(l.own)-1)))
}

// find returns the position of a score that is not below the lowest, or the position after those
// below it, and whether it is there.
func (l *ladder) find(v float64) (int, bool) {
	if l.buckets == nil {
		return slices.BinarySearch(l.own, v)
	}
	b := l.bucket(v)
	low, high := int(l.buckets[b]), int(l.buckets[b+1])
	at, is := slices.BinarySearch(l.own[low:high], v)
	return low + at, is
}

// single returns a group for each column.
func single(columns int) [][]int {
	groups := make([][]int, columns)
	for k := range groups {
		groups[k] = []int{k}
	}
	return groups
}
