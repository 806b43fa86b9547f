// Package weighting chooses the node weights alpha of normalized hierarchical support vector
// machines [CSS16]: the share of each ancestor in a label's score. The weights on every path, from
// a leaf to all of its ancestors, sum to 1, or to a little more if T of Path or MaxMin is set.
//
// Path implements (6) and (8) of that paper, and MaxMin (7). Flat and Split depend only on the
// taxonomy or the caller. Shared is the weights step of the shared SVM, (20), which depends on the
// learned predictors, and Heaviest the linear program of its bound.
//
// Their square roots are the class attributes of package structured, and they define the normalized
// loss of package loss.
package weighting

import "github.com/hierml/notebook/hierml/taxonomy"

// Flat returns the weights 1 for leaves and 0 for inner nodes, which turn the normalized SVM into a
// flat one.
func Flat(t *taxonomy.Taxonomy) []float64 {
	alpha := make([]float64, t.Len())
	for _, l := range t.Leaves() {
		alpha[l] = 1
	}
	return alpha
}
