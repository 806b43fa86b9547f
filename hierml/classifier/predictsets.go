package classifier

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/calibration"
	"github.com/hierml/notebook/hierml/dataset"
)

// PredictSets returns, for every row of x, the labels that a cut of the scores chooses, as node
// ids, ascending, possibly none. Package calibration learns cuts, preferably from held-out
// instances:
//
//	relevant, err := model.Relevant(held)
//	cut, err := calibration.Threshold(model.LeafScores(held.X), relevant)
//	sets := model.PredictSets(test.X, cut)
//
// It panics as LeafScores does if the columns of x do not fit. LabelSets returns the best sets
// under a model that was trained on sets.
func (m *Model) PredictSets(x *dataset.Matrix, cut calibration.Cut) [][]int {
	sets := make([][]int, x.Len())
	labels := m.attributes.Candidates()
	m.each(x, func(s *scorer, i int) {
		s.candidates(s.labels)
		sets[i] = cut.Choose(s.labels, nil)
		for k, y := range sets[i] {
			sets[i][k] = labels[y]
		}
	})
	return sets
}

// Relevant returns, for every instance of d, the columns of LeafScores that are its labels.
func (m *Model) Relevant(d *dataset.Dataset) ([][]int, error) {
	if d == nil {
		return nil, fmt.Errorf("classifier: no dataset")
	}
	relevant := make([][]int, len(d.Labels))
	for i, set := range d.Labels {
		for _, n := range set {
			y := m.attributes.Candidate(n)
			if y < 0 {
				return nil, fmt.Errorf("classifier: label %d of row %d of dataset %q is not a label that the model chooses from; move labels at inner nodes to leaves with Dataset.Leafed", n, i, d.Name)
			}
			relevant[i] = append(relevant[i], y)
		}
	}
	return relevant, nil
}

// Cutting is a model that predicts label sets by a cut of its scores, so that package metric can
// compare it with others:
//
//	metric.Evaluate(model.Cutting{Model: model, Cut: cut}, test)
type Cutting struct {
	*Model
	Cut calibration.Cut
}

// Decide returns PredictSets of the rows of x; scores are LeafScores of x, or nil.
func (c Cutting) Decide(x *dataset.Matrix, scores *mat.Dense) ([][]int, error) {
	if c.Model == nil || c.Cut == nil {
		return nil, fmt.Errorf("classifier: Cutting needs a model and a cut")
	}
	if err := c.checkColumns(x); err != nil {
		return nil, err
	}
	return c.PredictSets(x, c.Cut), nil
}
