// Package weighting chooses the node weights alpha of normalized hierarchical support vector
// machines (NHSVM): how much of a label's score each of its ancestors carries. The weights on every path,
// from a leaf to all of its ancestors, sum to 1.
//
// The weights become class attributes, their square roots, in the package structured, and the
// normalized loss in the package loss.
package weighting

import (
	"fmt"
	"math"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// Flat returns the weights 1 for leaves and 0 for inner nodes, which make the normalized SVM a flat one.
func Flat(t *taxonomy.Taxonomy) []float64 {
	alpha := make([]float64, t.Len())
	for _, l := range t.Leaves() {
		alpha[l] = 1
	}
	return alpha
}

// Path chooses the weights of NHSVM, equation 6: among all alpha >= 0 whose sum over the ancestors
// of every leaf, the leaf included, is 1, those with the smallest sum of alpha^Rho over all nodes.
// They are unique.
//
// With Rho near 1 nearly all weight goes to the nodes that many leaves share: on a tree with one root the
// root's weight tends to 1, and at 1.1 little is left for the rest. As Rho grows the largest weights
// shrink.
type Path struct {
	// Rho is the exponent, above 1. The default value is 2.
	Rho float64
}

// rho returns the exponent or what is wrong with it.
func (p Path) rho() (float64, error) {
	if p.Rho == 0 {
		return 2, nil
	}
	if !(p.Rho > 1) || math.IsInf(p.Rho, 1) {
		return 0, fmt.Errorf("weighting: Rho is %v; it is a finite number above 1, or 0 for the default value of 2", p.Rho)
	}
	return p.Rho, nil
}
