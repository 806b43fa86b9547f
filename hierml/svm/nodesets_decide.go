package svm

import (
	"fmt"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/labelset"
)

// LeafScores returns the probabilities of the leaves of Taxonomy: a row of x a row, a column a
// leaf. With it and Decide, package metric evaluates the model and package experiment compares it
// with others, on data whose labels are leaves, such as Dataset.Leafed makes.
func (m *NodeSetModel) LeafScores(x *dataset.Matrix) *mat.Dense {
	if x.Rows == 0 {
		return new(mat.Dense)
	}
	all := m.Probabilities(x)
	leaves := m.Taxonomy.Leaves()
	scores := mat.NewDense(x.Rows, len(leaves), nil)
	for i := range x.Rows {
		from, to := all.RawRowView(i), scores.RawRowView(i)
		for y, n := range leaves {
			to[y] = from[n]
		}
	}
	return scores
}

// Check returns an error if x is not a matrix over the features of the training data.
func (m *NodeSetModel) Check(x *dataset.Matrix) error { return m.Model.Check(x) }

// Decide returns, for every row of x, a set of leaves, ascending: that with the largest sum, over
// the leaves and all nodes above, of what their probabilities are above Level. It is what Predict
// says where that ends at leaves.
func (m *NodeSetModel) Decide(x *dataset.Matrix, _ *mat.Dense) ([][]int, error) {
	space, err := labelset.New(m.Taxonomy)
	if err != nil {
		return nil, err
	}
	all := m.Probabilities(x)
	sets := make([][]int, x.Rows)
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	const chunk = 64
	for from := 0; from < x.Rows; from += chunk {
		group.Go(func() error {
			searcher := space.NewSearcher()
			searcher.Branches = decisionBranches
			for i := from; i < min(from+chunk, x.Rows); i++ {
				rewards := all.RawRowView(i)
				for n := range rewards {
					rewards[n] -= m.Level
				}
				best, err := searcher.Best(rewards)
				if err != nil {
					return fmt.Errorf("svm: row %d: %w", i, err)
				}
				sets[i] = slices.Clone(best.Leaves)
			}
			return nil
		})
	}
	return sets, group.Wait()
}

// decisionBranches bounds the search for a set on taxonomies whose nodes have several parents.
const decisionBranches = 200
