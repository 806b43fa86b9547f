package classifier

import (
	"fmt"
	"slices"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/labelset"
)

// predictionBranches is the limit of branches of a search in prediction.
const predictionBranches = 200

// LabelSets returns, for every row of x, the non-empty set of leaves with the highest score, where
// the score of a set is the sum over its leaves and all their ancestors, each once: [CSS16, (18)]
// without the loss, by dynamic programming on trees and forests and by branch and bound on other
// graphs (package labelset). That says something of models whose Rule is BestSet; for others, which
// learned to compare single leaves, see PredictSets. It treats a matrix of another width as
// LeafScores does. It is an error if the attributes of the model differ between the leaves below a
// node, so that a set has no score.
func (m *Model) LabelSets(x *dataset.Matrix) ([][]int, error) {
	values, err := m.attributes.NodeValues()
	if err != nil {
		return nil, fmt.Errorf("classifier: this model scores no label sets: %w", err)
	}
	space, err := labelset.New(m.Taxonomy)
	if err != nil {
		return nil, err
	}
	predicted := make([][]int, x.Rows)
	failed := make([]error, x.Rows)
	inChunks(x.Rows, m.Workers, func() func(i int) {
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
			return nil, fmt.Errorf("classifier: row %d: %w", i, err)
		}
	}
	return predicted, nil
}
