package weighting

import (
	"fmt"
	"math"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// Weights returns the weight of every node.
func (p Path) Weights(t *taxonomy.Taxonomy) ([]float64, error) {
	rho, err := p.rho()
	if err != nil {
		return nil, err
	}
	if !t.IsTree() {
		return nil, fmt.Errorf("weighting: a node of the taxonomy has several parents; the weights are known for trees and forests only")
	}
	alpha := make([]float64, t.Len())
	newSubtrees(t, rho).spread(t, make([]float64, t.Len()), alpha)
	for v := range alpha {
		alpha[v] = math.Exp(alpha[v])
	}
	return alpha, nil
}
