package metric

import (
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/internal/guarded"
)

// ROC has areas under ROC curves: how often a leaf that is a label has a higher score than one that
// is not, where a tie counts half [HM82]. It compares the scores of different instances: the
// probabilities of a Prober, and the scores of other models as they are, which for some, such as
// Crammer and Singer's, are made to be compared within an instance only.
type ROC struct {
	// Micro is that of all pairs of an instance and a leaf, and Macro the mean of the areas of the
	// leaves that some instances have and others have not, NaN where there is none. They are
	// roc_auc_score of scikit-learn for indicators of the labels, without the classes that it has
	// no area for.
	Micro, Macro float64
}

// roc measures scores of leaves for instances that have labels, whose columns at tells.
func (s Settings) roc(scores *mat.Dense, labels [][]int, at func(label int) int) *ROC {
	_, leaves := scores.Dims()
	pairs := s.pairs(scores, labels, at, leaves)
	areas, all := make([]float64, leaves), make([]int, leaves)
	for k := range leaves {
		areas[k], all[k] = pairs.of(k).roc(), k
	}
	macro, _ := mean(areas, nil)
	return &ROC{Micro: pairs.of(all...).roc(), Macro: macro}
}

// pairs are those of an instance and a column, with a score each.
type pairs struct {
	s      Settings
	scores *mat.Dense
	with   [][]int // by column: the instances that have it, and a weight
	rows   []int   // that have a weight
	total  float64 // their weight
}

// pairs returns those of the instances that have labels, whose columns at tells.
func (s Settings) pairs(scores *mat.Dense, labels [][]int, at func(label int) int, columns int) *pairs {
	p := &pairs{s: s, scores: scores, with: make([][]int, columns), rows: make([]int, 0, len(labels))}
	sizes, all := make([]int, columns), 0
	for i, set := range labels {
		w := weightOf(s.Weights, i)
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

// of returns the steps of some columns together. Only scores of positive pairs are thresholds that
// add to the recall: the others are counted between them.
func (p *pairs) of(columns ...int) steps {
	size := 0
	for _, n := range columns {
		size += len(p.with[n])
	}
	own := make([]float64, 0, size)
	for _, n := range columns {
		for _, i := range p.with[n] {
			own = append(own, p.scores.At(i, n))
		}
	}
	s := steps{negative: p.total * float64(len(columns))}
	slices.Sort(own)
	positives := len(own)
	own = slices.Compact(own)
	at := make([]step, len(own))
	for _, n := range columns {
		for _, i := range p.with[n] {
			k, _ := slices.BinarySearch(own, p.scores.At(i, n))
			w := weightOf(p.s.Weights, i)
			at[k].own += w
			s.positives += w
		}
	}
	if s.negative -= s.positives; positives == len(p.rows)*len(columns) {
		s.negative = 0
	}
	reach, level := p.count(own, columns)
	var found, reached float64
	s.all = make([]step, 0, len(own))
	for k := len(own) - 1; k >= 0; k-- {
		found, reached = found+at[k].own, reached+reach[k]
		at[k].threshold, at[k].level, at[k].found, at[k].reached = own[k], level[k], found, reached
		s.all = append(s.all, at[k])
	}
	return s
}

// count returns, for each of the ascending thresholds, the weight of the pairs that reach it and
// not the next one, and of those that have it.
func (p *pairs) count(own []float64, columns []int) (reach, level []float64) {
	workers := max(1, min(guarded.Workers(p.s.Workers), len(p.rows)*len(columns)/fewScores))
	if p.s.Weights != nil {
		workers = 1 // sums of weights do not depend on who adds them up
	}
	reached, levels := make([][]float64, workers), make([][]float64, workers)
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			reach, level := make([]float64, len(own)), make([]float64, len(own))
			for _, i := range p.rows[w*len(p.rows)/workers : (w+1)*len(p.rows)/workers] {
				row, weight := p.scores.RawRowView(i), weightOf(p.s.Weights, i)
				for _, n := range columns {
					if len(own) == 0 || row[n] < own[0] {
						continue
					}
					k, is := slices.BinarySearch(own, row[n])
					if is {
						level[k] += weight
					} else {
						k--
					}
					reach[k] += weight
				}
			}
			reached[w], levels[w] = reach, level
		})
	}
	wait.Wait()
	for w := 1; w < workers; w++ {
		for k := range own {
			reached[0][k] += reached[w][k]
			levels[0][k] += levels[w][k]
		}
	}
	return reached[0], levels[0]
}
