package clustering

import (
	"context"

	"github.com/hierml/notebook/hierml/dataset"
)

// Halved returns the classes of d as vectors, and the left half of all after each step from two of
// them.
func Halved(d *dataset.Dataset, a, b int) (vectors [][]float64, steps [][]int, err error) {
	s, err := newClasses(d, true)
	if err != nil {
		return nil, nil, err
	}
	t := &halving{vectors: newUnits(s), direction: make([]float64, s.x.Cols)}
	all := make([]int, s.len())
	for k, u := range t.vectors {
		all[k] = k
		v := make([]float64, s.x.Cols)
		u.addTo(v, 1)
		vectors = append(vectors, v)
	}
	_, _, err = t.halve(context.Background(), all, a, b, func(left []int) { steps = append(steps, left) })
	return vectors, steps, err
}

// The two ways in which Random draws the same choices.
var (
	ByRejection = byRejection
	ByCounts    = byCounts
)
