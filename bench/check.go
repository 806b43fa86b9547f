package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
)

// checkedNodes is the number of nodes whose weights are checked.
const checkedNodes = 20

// deviation returns how far the weights of some nodes of a flat or hierarchical model are from
// their definition, the sum over the examples i and the competitors k of the coefficient of k times
// x_i, added for nodes that have the true label at or below them, and taken away for those that
// have k: the largest distance as a share of the larger norm.
func deviation(m *classifier.Model, d *dataset.Dataset, hierarchical bool) (float64, error) {
	point := m.Training.Certificate.Point
	if point.Blocks() != d.Len() {
		return 0, fmt.Errorf("%d blocks of %d instances", point.Blocks(), d.Len())
	}
	leaves := d.Taxonomy.Leaves()
	nodes := leaves
	if hierarchical {
		nodes = nil
		for n := range d.Taxonomy.Len() {
			nodes = append(nodes, n)
		}
	}
	sums := make(map[int][]float64)
	for _, k := range rand.New(rand.NewPCG(1, 0)).Perm(len(nodes))[:min(checkedNodes, len(nodes))] {
		sums[nodes[k]] = make([]float64, d.X.Cols)
	}
	add := func(i, leaf int, v float64) {
		above := []int{leaf}
		if hierarchical {
			above = d.Taxonomy.Ancestors(leaf) // and the leaf
		}
		indices, values := d.X.Row(i)
		for _, n := range above {
			if sum := sums[n]; sum != nil {
				for k, f := range indices {
					sum[f] += v * float64(values[k])
				}
			}
		}
	}
	for i := range d.Len() {
		ids, values := point.Row(i)
		for k, id := range ids {
			add(i, d.Labels[i][0], values[k])
			add(i, leaves[id], -values[k])
		}
	}
	var worst float64
	for n, sum := range sums {
		w := m.Weights(n)
		if norm := math.Max(floats.Norm(w, 2), floats.Norm(sum, 2)); norm > 0 {
			worst = math.Max(worst, floats.Distance(w, sum, 2)/norm)
		}
	}
	return worst, nil
}
