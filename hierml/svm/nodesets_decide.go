package svm

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
)

// LeafScores returns the probabilities of the leaves of Taxonomy: one row per row of x, one column
// per leaf. Package metric calls it and Decide to evaluate the model, and package experiment to
// compare it with others, on data whose labels are leaves, such as those of Dataset.Leafed.
func (m *NodeSetModel) LeafScores(x *dataset.Matrix) *mat.Dense {
	return classifier.LeafColumns(m.Taxonomy, m.NodeProbabilities(x))
}

// Check returns an error if x is not a matrix over the features of the training data.
func (m *NodeSetModel) Check(x *dataset.Matrix) error { return m.Model.Check(x) }

// Decide returns, for every row of x, a set of leaves, ascending. It is the set with the largest
// sum of probability minus Level over its leaves and their ancestors. It equals the result of
// Predict where that consists of leaves.
func (m *NodeSetModel) Decide(x *dataset.Matrix, _ *mat.Dense) ([][]int, error) {
	if err := x.CheckColumns(m.Model.Features(), m.Model.Vocabulary); err != nil {
		return nil, fmt.Errorf("svm: %w", err)
	}
	return classifier.LeafSets(m.Taxonomy, m.NodeProbabilities(x), m.Level)
}
