package metric

import (
	"errors"
	"fmt"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// F1 has the harmonic means of precision and recall of predicted label sets.
type F1 struct {
	// MicroPrecision is the fraction of the predicted labels, over all instances, that are true, MicroRecall that
	// of the true labels that were predicted, and Micro their harmonic mean.
	MicroPrecision, MicroRecall, Micro float64
	// Macro is the mean over all leaves of the harmonic mean of the leaf's own precision and recall, which is 0 for a leaf
	// that is never true or never predicted.
	Macro float64
}

// LabelSets compares predicted sets of leaves, which may be empty, with the true ones, which are not. Both are
// ascending.
func LabelSets(truth, predicted [][]int, t *taxonomy.Taxonomy) (F1, error) {
	if t == nil {
		return F1{}, errors.New("metric: LabelSets needs a taxonomy")
	}
	if len(truth) != len(predicted) {
		return F1{}, fmt.Errorf("metric: %d true and %d predicted label sets; expected one of each an instance", len(truth), len(predicted))
	}
	c := newCounts(len(t.Leaves()))
	for i, labels := range truth {
		if err := checkLabels(t, labels, i); err != nil {
			return F1{}, err
		}
		if len(predicted[i]) > 0 {
			if err := checkLabels(t, predicted[i], i); err != nil {
				return F1{}, err
			}
		}
		c.add(labels, predicted[i], t)
	}
	return c.f1(), nil
}

// counts has, for each leaf, how often it was true, predicted, and both.
type counts struct {
	truth, predicted, both []int
}

func newCounts(q int) counts {
	return counts{make([]int, q), make([]int, q), make([]int, q)}
}

// add counts an instance's two ascending sets.
func (c counts) add(truth, predicted []int, t *taxonomy.Taxonomy) {
	for _, y := range truth {
		c.truth[t.LeafIndex(y)]++
	}
	j := 0
	for _, y := range predicted {
		k := t.LeafIndex(y)
		c.predicted[k]++
		for j < len(truth) && truth[j] < y {
			j++
		}
		if j < len(truth) && truth[j] == y {
			c.both[k]++
		}
	}
}

func (c counts) f1() F1 {
	var truth, predicted, both int
	var f F1
	for k := range c.truth {
		truth += c.truth[k]
		predicted += c.predicted[k]
		both += c.both[k]
		f.Macro += ratio(2*c.both[k], c.truth[k]+c.predicted[k]) / float64(len(c.truth))
	}
	f.MicroPrecision = ratio(both, predicted)
	f.MicroRecall = ratio(both, truth)
	f.Micro = ratio(2*both, truth+predicted)
	return f
}

// ratio is 0 where there is nothing to divide by.
func ratio(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}
