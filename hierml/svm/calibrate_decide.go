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

// LeafScores returns the scores of the leaves by which Model chooses, which the probabilities are
// learned of. With it, Probabilities, NodeProbabilities and Decide, package metric evaluates the
// probabilities, and the sets that they give.
func (p *Calibrated) LeafScores(x *dataset.Matrix) *mat.Dense { return p.Model.ChoiceScores(x) }

// Check returns an error if x is not a matrix over the features of the training data.
func (p *Calibrated) Check(x *dataset.Matrix) error {
	if p == nil || p.Model == nil {
		return fmt.Errorf("svm: the probabilities have no model; Calibrate and LoadCalibrated give one")
	}
	return p.Model.Check(x)
}

// CheckTaxonomy returns an error if the labels of t are not those of the model.
func (p *Calibrated) CheckTaxonomy(t *taxonomy.Taxonomy) error { return p.Model.CheckTaxonomy(t) }

// Probabilities returns LeafProbabilities, made of scores, which are LeafScores of x.
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

// Decide returns, for every row of x, the leaves that are predicted, ascending: Sets, where some
// training instances had several labels, and otherwise what Model decides, as it does where its
// rule is to predict sets. scores are LeafScores of x.
func (p *Calibrated) Decide(x *dataset.Matrix, scores *mat.Dense) ([][]int, error) {
	if p.single || slices.Contains([]classifier.Rule{classifier.BestSet, classifier.ClosedSet, classifier.TopDown, classifier.BottomUp}, p.Model.Rule) {
		return p.Model.Decide(x, scores)
	}
	if err := p.Check(x); err != nil {
		return nil, err
	}
	return p.Sets(p.Probabilities(x, scores)), nil
}

// Sets returns, for every row of probabilities of the leaves, the leaves with a probability of at
// least one half, ascending, and the likeliest if none has that.
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
