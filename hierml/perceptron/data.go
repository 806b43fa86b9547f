package perceptron

import (
	"fmt"
	"math"
	"slices"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/structured"
)

// positions checks the data and returns the labels of every instance as positions among the
// candidates.
func (m *method) positions(d *dataset.Dataset) ([][]int32, error) {
	if d.X.Rows == 0 {
		return nil, fmt.Errorf("perceptron: dataset %q has no instances to learn from", d.Name)
	}
	if len(d.Labels) != d.X.Rows {
		return nil, fmt.Errorf("perceptron: dataset %q has %d instances and labels for %d; Labels needs one entry per instance", d.Name, d.X.Rows, len(d.Labels))
	}
	if err := structured.CheckMatrix(d.X); err != nil {
		return nil, err
	}
	total := 0
	for _, set := range d.Labels {
		total += len(set)
	}
	if total == 0 {
		return nil, fmt.Errorf("perceptron: no instance of dataset %q has a label to learn from", d.Name)
	}
	all := make([]int32, 0, total)
	positions := make([][]int32, len(d.Labels))
	for i, set := range d.Labels {
		before := len(all)
		var err error
		if all, err = m.appendPositions(all, set); err != nil {
			return nil, fmt.Errorf("perceptron: row %d of dataset %q has %w", i, d.Name, err)
		}
		positions[i] = all[before:len(all):len(all)]
	}
	return positions, nil
}

// appendPositions appends the positions of the labels, or returns an error if they are invalid.
func (m *method) appendPositions(dst []int32, labels []int) ([]int32, error) {
	t := m.attributes.Taxonomy()
	if m.hieron && len(labels) != 1 {
		return dst, fmt.Errorf("%d labels; a Hieron needs exactly one per instance, use a perceptron for several", len(labels))
	}
	for k, n := range labels {
		if n < 0 || n >= t.Len() {
			return dst, fmt.Errorf("label %d; the taxonomy has nodes 0..%d", n, t.Len()-1)
		}
		if k > 0 && labels[k-1] >= n {
			return dst, fmt.Errorf("the labels %v, which do not ascend; list each once, the smallest node first", labels)
		}
		at := m.attributes.Candidate(n)
		if at < 0 {
			return dst, fmt.Errorf("label %q, an inner node; move such labels to added leaves with Dataset.Leafed, or with Collection.Leafed for both parts", t.Name(n))
		}
		if err := m.checkLoss(at); err != nil {
			return dst, fmt.Errorf("label %q: %w", t.Name(n), err)
		}
		dst = append(dst, int32(at))
	}
	return dst, nil
}

// checkLoss returns an error if the losses are invalid when the candidate at position y is true.
func (m *method) checkLoss(y int) error {
	if m.checked[y] {
		return nil
	}
	t, candidates := m.attributes.Taxonomy(), m.attributes.Candidates()
	costs := make([]float64, len(candidates))
	if slices.Equal(candidates, t.Leaves()) {
		loss.Row(m.loss, t, candidates[y], costs)
	} else {
		for z, n := range candidates {
			costs[z] = m.loss.Cost(candidates[y], n)
		}
	}
	for z, v := range costs {
		if !(v >= 0) || math.IsInf(v, 1) || z == y && v != 0 {
			return fmt.Errorf("the loss of predicting %q instead is %v; a loss must be finite, not negative, and zero for the truth", t.Name(candidates[z]), v)
		}
	}
	m.checked[y] = true
	return nil
}
