package svm

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// LeafScores returns the scores of the leaves by which Model chooses; the probabilities are learned
// from them. Package metric calls it, Probabilities, NodeProbabilities and Decide to evaluate the
// probabilities and the predicted sets.
func (p *Calibrated) LeafScores(x *dataset.Matrix) *mat.Dense { return p.Model.ChoiceScores(x) }

// Check returns an error if x is not a matrix over the features of the training data.
func (p *Calibrated) Check(x *dataset.Matrix) error {
	if p == nil || p.Model == nil {
		return fmt.Errorf("svm: the probabilities have no model; create them with Calibrate or LoadCalibrated")
	}
	return p.Model.Check(x)
}

// CheckTaxonomy returns an error if the labels of t are not those of the model.
func (p *Calibrated) CheckTaxonomy(t *taxonomy.Taxonomy) error { return p.Model.CheckTaxonomy(t) }

// Probabilities returns LeafProbabilities, computed from scores, which are LeafScores of x.
func (p *Calibrated) Probabilities(_ *dataset.Matrix, scores *mat.Dense) *mat.Dense {
	if scores.IsEmpty() {
		return new(mat.Dense)
	}
	return p.probabilities(finite(mat.DenseCopyOf(scores)))
}

// probabilities turns finite scores of the leaves into probabilities.
func (p *Calibrated) probabilities(scores *mat.Dense) *mat.Dense {
	rows, _ := scores.Dims()
	unseen := p.unseen(p.Model.Taxonomy.Leaves())
	for i := range rows {
		p.leafProbabilities(scores.RawRowView(i), unseen)
	}
	return scores
}

// Decide returns, for every row of x, the predicted leaves, ascending. Where some training
// instances had several labels, they are those of Sets. Otherwise, and where Model itself predicts
// sets, they are the decisions of Model. scores are LeafScores of x.
func (p *Calibrated) Decide(x *dataset.Matrix, scores *mat.Dense) ([][]int, error) {
	if p.single || slices.Contains([]classifier.Rule{classifier.BestSet, classifier.ClosedSet, classifier.TopDown, classifier.BottomUp}, p.Model.Rule) {
		return p.Model.Decide(x, scores)
	}
	if err := p.Check(x); err != nil {
		return nil, err
	}
	return p.Sets(p.Probabilities(x, scores)), nil
}

// Sets returns, for every row of leaf probabilities, the leaves with a probability of at least one
// half, ascending. If there are none, it returns the most probable leaf.
func (p *Calibrated) Sets(probabilities *mat.Dense) [][]int {
	const half = 0.5
	rows, _ := probabilities.Dims()
	sets, labels := make([][]int, rows), p.Model.Taxonomy.Leaves()
	for i := range sets {
		row := probabilities.RawRowView(i)
		for y, probability := range row {
			if probability >= half {
				sets[i] = append(sets[i], labels[y])
			}
		}
		if sets[i] == nil {
			sets[i] = []int{labels[floats.MaxIdx(row)]}
		}
	}
	return sets
}
