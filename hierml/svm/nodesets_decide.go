package svm

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
)

// LeafScores returns the probabilities of the leaves of Taxonomy: a row of x a row, a column a
// leaf. With it and Decide, package metric evaluates the model and package experiment compares it
// with others, on data whose labels are leaves, such as Dataset.Leafed makes.
func (m *NodeSetModel) LeafScores(x *dataset.Matrix) *mat.Dense {
	return classifier.LeafColumns(m.Taxonomy, m.NodeProbabilities(x))
}

// Check returns an error if x is not a matrix over the features of the training data.
func (m *NodeSetModel) Check(x *dataset.Matrix) error { return m.Model.Check(x) }

// Decide returns, for every row of x, a set of leaves, ascending: that with the largest sum, over
// the leaves and all nodes above, of what their probabilities are above Level. It is what Predict
// says where that ends at leaves.
func (m *NodeSetModel) Decide(x *dataset.Matrix, _ *mat.Dense) ([][]int, error) {
	if err := x.CheckColumns(m.Model.Features(), m.Model.Vocabulary); err != nil {
		return nil, fmt.Errorf("svm: %w", err)
	}
	return classifier.LeafSets(m.Taxonomy, m.NodeProbabilities(x), m.Level)
}
