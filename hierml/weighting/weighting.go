// Package weighting chooses the node weights alpha of normalized hierarchical support vector
// machines [CSS16]: how much of a label's score each of its ancestors carries. The weights on every
// path, from a leaf to all of its ancestors, sum to 1, or to a little more where Path or MaxMin is
// told so by T.
//
// Path has (6) and (8) of that paper, MaxMin (7), Flat and Split are given by the taxonomy or the
// caller, and Shared has the weights step of the shared SVM, (20), which depends on what was
// learned, and Heaviest the linear program of its bound.
//
// The weights become class attributes, their square roots, in the package structured, and the
// normalized loss in the package loss.
package weighting

import "github.com/hierml/notebook/hierml/taxonomy"

// Flat returns the weights 1 for leaves and 0 for inner nodes, which make the normalized SVM a flat
// one.
func Flat(t *taxonomy.Taxonomy) []float64 {
	alpha := make([]float64, t.Len())
	for _, l := range t.Leaves() {
		alpha[l] = 1
	}
	return alpha
}
