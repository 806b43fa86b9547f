package metric

import (
	"errors"
	"fmt"
	"math"

	"github.com/hierml/notebook/hierml/dataset"
)

// Propensities returns, for every leaf in the order of Taxonomy.Leaves, the probability that the
// label is recorded where it is true [JPV16], above 0 and at most 1:
//
//	1/p_l = 1 + C (N_l + B)^-A  with C = (log N - 1) (B + 1)^A, A = 0.55, B = 1.5
//
// for N training instances, of which N_l have the label. Rare labels are missed most often and
// count most when found: see Settings.Propensities. A and B are the values of the extreme
// classification repository for most of its data; for its other data, compute 1/p_l in the same
// way.
func Propensities(train *dataset.Dataset) ([]float64, error) {
	if train == nil || train.Taxonomy == nil || len(train.Labels) == 0 {
		return nil, errors.New("metric: Propensities needs a dataset with labels and their taxonomy; pass the training data of the model")
	}
	t := train.Taxonomy
	p := make([]float64, len(t.Leaves())) // the numbers of instances, first
	for i, set := range train.Labels {
		if err := checkLeaves(t, set, i); err != nil {
			return nil, err
		}
		for _, y := range set {
			p[t.LeafIndex(y)]++
		}
	}
	const a, b = 0.55, 1.5
	c := max(0, math.Log(float64(len(train.Labels)))-1) * math.Pow(b+1, a)
	for k, n := range p {
		p[k] = 1 / (1 + c*math.Pow(n+b, -a))
	}
	return p, nil
}

// worths returns the value of each leaf by the propensities, or nil without propensities.
func (s Settings) worths(leaves int) ([]float64, error) {
	if s.Propensities == nil {
		return nil, nil
	}
	if len(s.Propensities) != leaves {
		return nil, fmt.Errorf("metric: %d propensities for %d leaves; pass one per leaf, such as those of Propensities for the training data", len(s.Propensities), leaves)
	}
	worth := make([]float64, leaves)
	for k, p := range s.Propensities {
		if !(p > 0 && p <= 1) {
			return nil, fmt.Errorf("metric: the propensity of leaf %d of %d is %v; it must be above 0 and at most 1", k+1, leaves, p)
		}
		worth[k] = 1 / p
	}
	return worth, nil
}
