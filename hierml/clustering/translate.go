package clustering

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Scorer is a trained model, as package metric evaluates it.
type Scorer interface {
	// LeafScores returns the scores of all leaves of the model's taxonomy, a row an instance.
	LeafScores(x *dataset.Matrix) *mat.Dense
}

// Translated is a model that was trained with one taxonomy and predicts the leaves of another, by
// name. Package metric evaluates it on instances under the other taxonomy, so parents and tree loss
// refer to that one.
type Translated struct {
	// Model is the model itself, and From the taxonomy that it was trained with.
	Model Scorer
	From  *taxonomy.Taxonomy
	// To is the taxonomy of the labels that it predicts.
	To *taxonomy.Taxonomy

	column []int // of the model's scores, by leaf of To; -1 where the model does not know the leaf
	node   []int // of To, by leaf of From
}

// Translate returns the model, which was trained with the taxonomy from, as one that predicts
// leaves of to. Every leaf of from has the LabelName of one of to. A leaf of to that from does
// not have is never predicted: its scores are -Inf.
func Translate(model Scorer, from, to *taxonomy.Taxonomy) (*Translated, error) {
	if model == nil || from == nil || to == nil {
		return nil, errors.New("clustering: Translate needs a model and two taxonomies")
	}
	m := &Translated{Model: model, From: from, To: to, column: make([]int, len(to.Leaves())), node: make([]int, len(from.Leaves()))}
	for k := range m.column {
		m.column[k] = -1
	}
	for k, leaf := range from.Leaves() {
		n, ok := to.LabelNode(from.LabelName(leaf))
		if !ok || !to.IsLeaf(n) {
			return nil, fmt.Errorf("clustering: the model predicts %q, which is no leaf of the taxonomy to translate to", from.LabelName(leaf))
		}
		m.column[to.LeafIndex(n)], m.node[k] = k, n
	}
	return m, nil
}

// LeafScores returns the scores of all leaves of To, a row an instance.
func (m *Translated) LeafScores(x *dataset.Matrix) *mat.Dense {
	scores := m.Model.LeafScores(x)
	rows, _ := scores.Dims()
	if rows == 0 {
		return scores
	}
	translated := mat.NewDense(rows, len(m.column), nil)
	for i := range rows {
		from, to := scores.RawRowView(i), translated.RawRowView(i)
		for k, c := range m.column {
			to[k] = math.Inf(-1)
			if c >= 0 {
				to[k] = from[c]
			}
		}
	}
	return translated
}

// Decide returns the leaves of To that the model decides for, one set per row of x. If the model
// has only scores, it returns the leaf with the highest; scores are LeafScores of x.
func (m *Translated) Decide(x *dataset.Matrix, scores *mat.Dense) ([][]int, error) {
	decider, ok := m.Model.(interface {
		Decide(x *dataset.Matrix, scores *mat.Dense) ([][]int, error)
	})
	if !ok {
		if scores == nil {
			scores = m.LeafScores(x)
		}
		sets := make([][]int, x.Len())
		for i := range sets {
			row := scores.RawRowView(i)
			best := 0
			for k, s := range row {
				if s > row[best] {
					best = k
				}
			}
			sets[i] = []int{m.To.Leaves()[best]}
		}
		return sets, nil
	}
	var own *mat.Dense
	if scores != nil && x.Rows > 0 {
		own = mat.NewDense(x.Rows, len(m.node), nil)
		for i := range x.Rows {
			from, to := scores.RawRowView(i), own.RawRowView(i)
			for k, c := range m.column {
				if c >= 0 {
					to[c] = from[k]
				}
			}
		}
	}
	sets, err := decider.Decide(x, own)
	if err != nil {
		return nil, err
	}
	for i, set := range sets {
		moved := make([]int, len(set))
		for k, n := range set {
			leaf := -1
			if n >= 0 && n < m.From.Len() {
				leaf = m.From.LeafIndex(n)
			}
			if leaf < 0 {
				return nil, fmt.Errorf("clustering: the model decides for node %d, which is no leaf of its taxonomy", n)
			}
			moved[k] = m.node[leaf]
		}
		slices.Sort(moved)
		sets[i] = moved
	}
	return sets, nil
}

// Predict returns the leaf of To with the highest score for every row of x, among the leaves that
// the model decides for if it makes decisions; -1 if there are none.
func (m *Translated) Predict(x *dataset.Matrix) ([]int, error) {
	if err := m.Check(x); err != nil {
		return nil, err
	}
	scores := m.LeafScores(x)
	sets, err := m.Decide(x, scores)
	if err != nil {
		return nil, err
	}
	predicted := make([]int, len(sets))
	for i, set := range sets {
		predicted[i] = -1
		row := scores.RawRowView(i)
		for _, n := range set {
			if predicted[i] < 0 || row[m.To.LeafIndex(n)] > row[m.To.LeafIndex(predicted[i])] {
				predicted[i] = n
			}
		}
	}
	return predicted, nil
}

// Check returns an error if the model cannot score the rows of x.
func (m *Translated) Check(x *dataset.Matrix) error {
	if x == nil {
		return errors.New("clustering: there is no matrix to predict for")
	}
	if c, ok := m.Model.(interface{ Check(*dataset.Matrix) error }); ok {
		return c.Check(x)
	}
	return nil
}

// CheckTaxonomy returns an error if the nodes of t are not those of To.
func (m *Translated) CheckTaxonomy(t *taxonomy.Taxonomy) error {
	if t == m.To {
		return nil
	}
	if t == nil || !slices.Equal(t.Names(), m.To.Names()) || !slices.Equal(t.Leaves(), m.To.Leaves()) {
		return errors.New("clustering: the instances have another taxonomy than the translated model; call Translate with theirs")
	}
	return nil
}

// String describes the model and the taxonomy that it was translated to.
func (m *Translated) String() string {
	return fmt.Sprintf("%v\n%s\n", m.Model, m.note())
}

func (m *Translated) note() string {
	return fmt.Sprintf("trained with a taxonomy of %d nodes, predicts the leaves of one of %d", m.From.Len(), m.To.Len())
}
