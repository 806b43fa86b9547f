package classifier

import (
	"fmt"
	"slices"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/labelset"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// predictionBranches limits the branches of a search in prediction.
const predictionBranches = 200

// LabelSets returns, for every row of x, the non-empty set of leaves with the highest score, where
// the score of a set is the sum over its leaves and all their ancestors, each counted once: [CSS16,
// (18)] without the loss. It uses dynamic programming on trees and forests and branch and bound on
// other graphs (package labelset). It is meaningful for models whose Rule is BestSet; for others,
// which learned to compare single leaves, see PredictSets. It returns an error if the columns of x
// do not fit, for models with a link, and if the attributes of the model differ between the leaves
// below a node, because a set then has no score.
func (m *Model) LabelSets(x *dataset.Matrix) ([][]int, error) {
	return m.bestSets(x, m.seenCandidates(), func(_ *taxonomy.Taxonomy, space *labelset.Space) func(rewards []float64) ([]int, error) {
		searcher := space.NewSearcher()
		searcher.Branches = predictionBranches
		return func(rewards []float64) ([]int, error) {
			best, err := searcher.Best(rewards)
			return slices.Clone(best.Leaves), err
		}
	})
}

// ClosedSets returns, for every row of x, a set of nodes that contains all ancestors of its nodes.
// For models whose Rule is ClosedSet it is the set with the highest score, where the score of a set
// is the sum over its nodes; it is exact on every graph (labelset.Closed). For models whose Rule is
// TopDown or BottomUp it is the set of the rule. Sets are in their most specific form: ascending,
// none above another. They may end at inner nodes or be empty; Taxonomy.Closure adds the ancestors.
// metric.LabelSets and metric.HLoss measure them. It returns an error in the same cases as
// LabelSets.
func (m *Model) ClosedSets(x *dataset.Matrix) ([][]int, error) {
	if m.Rule == BottomUp {
		return m.bottomUp(x)
	}
	var seen []int
	for n := range m.Taxonomy.Len() {
		if !m.Unseen(n) {
			seen = append(seen, n)
		}
	}
	return m.bestSets(x, seen, func(t *taxonomy.Taxonomy, space *labelset.Space) func(rewards []float64) ([]int, error) {
		searcher, above := space.NewClosed(), make([]bool, t.Len())
		var passed []int
		return func(rewards []float64) ([]int, error) {
			var nodes []int
			var err error
			if m.Rule == TopDown {
				passed = topDown(t, rewards, above, passed[:0])
				nodes = passed
			} else {
				nodes, _, err = searcher.Best(rewards)
			}
			clear(above)
			set := []int{}
			for _, n := range slices.Backward(nodes) { // children first
				if !above[n] {
					set = append(set, n)
				}
				for _, p := range t.Parents(n) {
					above[p] = true // implied
				}
			}
			slices.Sort(set)
			return set, err
		}
	})
}

// bottomUp returns, for every row of x, the lowest nodes with positive coherent scores.
func (m *Model) bottomUp(x *dataset.Matrix) ([][]int, error) {
	if err := m.checkColumns(x); err != nil {
		return nil, err
	}
	scores := m.CoherentScores(x)
	sets := make([][]int, x.Len())
	for i := range sets {
		row := scores.RawRowView(i)
		sets[i] = []int{}
		for n, v := range row {
			if v > 0 && !slices.ContainsFunc(m.Taxonomy.Children(n), func(child int) bool { return row[child] > 0 }) {
				sets[i] = append(sets[i], n)
			}
		}
	}
	return sets, nil
}

// topDown appends the nodes whose scores, and those of all ancestors, are not negative, parents
// first. in is scratch space, one entry per node.
func topDown(t *taxonomy.Taxonomy, nodes []float64, in []bool, dst []int) []int {
	for _, n := range t.Topological() {
		in[n] = nodes[n] >= 0
		for _, p := range t.Parents(n) {
			in[n] = in[n] && in[p]
		}
		if in[n] {
			dst = append(dst, n)
		}
	}
	return dst
}

// bestSets returns the sets that a search, created for each goroutine, finds for the rewards of the
// nodes. If nodes are unseen, it uses only the seen nodes.
func (m *Model) bestSets(x *dataset.Matrix, some []int, start func(t *taxonomy.Taxonomy, space *labelset.Space) func(rewards []float64) ([]int, error)) ([][]int, error) {
	if m.linked != nil {
		return nil, fmt.Errorf("classifier: the model, %s, has no scores of label sets; use PredictSets with a cut of its probabilities", m.Name)
	}
	values, err := m.attributes.NodeValues()
	if err != nil {
		return nil, fmt.Errorf("classifier: the model has no scores of label sets: %w", err)
	}
	if err := m.checkColumns(x); err != nil {
		return nil, err
	}
	t, nodes := m.seenPart(some)
	space, err := labelset.New(t)
	if err != nil {
		return nil, err
	}
	predicted := make([][]int, x.Len())
	failed := make([]error, x.Rows)
	inChunks(x.Rows, m.Workers, func() func(i int) {
		search, scorer, rewards := start(t, space), m.newScorer(), make([]float64, len(values))
		return func(i int) {
			scorer.load(x, i)
			scorer.nodes(rewards)
			for n, v := range values {
				rewards[n] *= v
			}
			if nodes == nil {
				predicted[i], failed[i] = search(rewards)
				return
			}
			for k, n := range nodes {
				rewards[k] = rewards[n] // nodes ascend
			}
			predicted[i], failed[i] = search(rewards[:len(nodes)])
			for k, n := range predicted[i] {
				predicted[i][k] = nodes[n]
			}
		}
	})
	for i, err := range failed {
		if err != nil {
			return nil, fmt.Errorf("classifier: row %d: %w", i, err)
		}
	}
	return predicted, nil
}
