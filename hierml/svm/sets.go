package svm

import (
	"context"
	"fmt"
	"slices"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/labelset"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
)

// sets is a problem whose labels are the non-empty sets of leaves.
type sets struct {
	name       string
	attributes *structured.Attributes
	loss       loss.Decomposing
	c          float64
	kernel     gram.Kernel // nil for linear models
	settings   solver.Settings
	method     solver.Method
}

// inexact is the share of the gap asked for that searches on graphs may leave.
const inexact = 0.1

// predictionBranches is the limit of branches of a search in prediction.
const predictionBranches = 200

// severalLabels reports whether some instance has more than one label.
func severalLabels(d *dataset.Dataset) bool {
	return slices.ContainsFunc(d.Labels, func(set []int) bool { return len(set) > 1 })
}

// fit solves the problem on data that checkData accepts, and wraps the result.
func (s *sets) fit(ctx context.Context, d *dataset.Dataset) (*Model, error) {
	c, err := defaultC(s.c)
	if err != nil {
		return nil, err
	}
	gap := min(1, s.settings.Gap)
	if !(gap > 0) {
		gap = solver.DefaultGap
	}
	competitors, err := structured.NewSets(s.attributes, d.Labels, s.loss, c, inexact*gap)
	if err != nil {
		return nil, err
	}
	// The numbers of sets are those of one training: another's dual point names others by them.
	s.settings.Start = nil
	m, err := trainKernel(ctx, s.attributes, competitors, d, s.kernel, s.settings, s.method)
	if m != nil {
		m.Name, m.C, m.Rule = s.name, c, BestSet
	}
	return m, err
}

// LabelSets returns, for every row of x, the non-empty set of leaves with the highest score, where the
// score of a set is the sum over its leaves and all their ancestors, each once: NHSVM equation 18 without the loss, by
// dynamic programming on trees and forests and by branch and bound on other graphs (package labelset). That
// says something of models whose Rule is BestSet; for others, which learned to compare single leaves, see PredictSets. It
// treats a matrix of another width as LeafScores does. It is an error if the attributes of the model differ
// between the leaves below a node, so that a set has no score.
func (m *Model) LabelSets(x *dataset.Matrix) ([][]int, error) {
	values, err := m.attributes.NodeValues()
	if err != nil {
		return nil, fmt.Errorf("svm: this model scores no label sets: %w", err)
	}
	space, err := labelset.New(m.Taxonomy)
	if err != nil {
		return nil, err
	}
	predicted := make([][]int, x.Rows)
	failed := make([]error, x.Rows)
	inChunks(x.Rows, m.workers, func() func(i int) {
		searcher, scorer, rewards := space.NewSearcher(), m.newScorer(), make([]float64, len(values))
		searcher.Branches = predictionBranches
		return func(i int) {
			scorer.load(x, i)
			scorer.nodes(rewards)
			for n, v := range values {
				rewards[n] *= v
			}
			best, err := searcher.Best(rewards)
			predicted[i], failed[i] = slices.Clone(best.Leaves), err
		}
	})
	for i, err := range failed {
		if err != nil {
			return nil, fmt.Errorf("svm: row %d: %w", i, err)
		}
	}
	return predicted, nil
}
