package forest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/describe"
	"github.com/hierml/notebook/hierml/internal/guarded"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Model is a tree or a forest. It predicts sets of nodes, and is safe for concurrent use as long
// as no field is set.
type Model struct {
	Name      string             // method
	Taxonomy  *taxonomy.Taxonomy // of labels and predictions
	Instances int                // trained on
	// Level is the minimum probability of a predicted node. Fit chooses it to maximize the F1 of
	// the predictions for the training instances, with ancestors. For a forest, an instance is
	// predicted by the trees that were grown without it.
	Level float64
	// HeldOut is this F1 for a forest, and NaN for a tree.
	HeldOut float64
	// Attached has additional contents of the model's file, by name, or nil. Save writes it and
	// Load reads it. Package pipeline stores there how texts become features.
	Attached map[string][]byte

	trees    []*tree
	features int // of the training data
	// vocabulary names the features, or is nil.
	vocabulary []string
	columns    []int32 // of the features that the trees know, nil where they are all
	prior      []float64
	m          bool // MEstimate
	seconds    float64
}

// model returns the model of trees without a level.
func (p *problem) model(name string, d *dataset.Dataset, trees []*tree) *Model {
	m := &Model{
		Name: name, Taxonomy: d.Taxonomy, Instances: d.X.Rows, HeldOut: math.NaN(),
		trees: trees, features: d.X.Cols, vocabulary: d.Vocabulary, prior: p.prior, m: p.settings.MEstimate,
	}
	if m.vocabulary == nil {
		m.vocabulary = d.X.Vocabulary
	}
	if p.columns != nil {
		m.columns = p.columns
		for _, t := range trees {
			for k, f := range t.feature {
				if f >= 0 {
					t.feature[k] = p.columns[f]
				}
			}
		}
	}
	return m
}

// add adds what a tree predicts for a row, one probability a node.
func (m *Model) add(t *tree, features []int32, values []float32, dst []float64) {
	leaf := t.leaf(features, values)
	n := float64(t.size[leaf])
	if m.m {
		n++
		for v, p := range m.prior {
			dst[v] += p / n
		}
	}
	for k := t.begin[leaf]; k < t.begin[leaf+1]; k++ {
		dst[t.labels[k]] += float64(t.counts[k]) / n
	}
}

// without returns, by tree, a bit for each row that is not in its sample.
func (s Forest) without(p *problem, trees int) [][]uint64 {
	without := make([][]uint64, trees)
	times := make([]int32, p.x.Rows)
	for k := range without {
		draw(rand.New(rand.NewPCG(s.Seed, uint64(k))), times)
		without[k] = make([]uint64, (len(times)+63)/64)
		for i, n := range times {
			if n == 0 {
				without[k][i/64] |= 1 << (i % 64)
			}
		}
	}
	return without
}

// level learns the level, and the F1 there, from the trees with the row's bit set, all trees where
// there are no bits.
func (p *problem) level(ctx context.Context, m *Model, without [][]uint64) (level, f1 float64, err error) {
	var l classifier.NodeLevel
	learned := false
	row := make([]float64, len(p.prior))
	step := 1 + p.x.Rows/maxLevelRows
	for i := 0; i < p.x.Rows; i += step {
		if err := ctx.Err(); err != nil {
			return 0, 0, fmt.Errorf("forest: stopped while the level was learned: %w", err)
		}
		clear(row)
		trees := 0
		features, values := m.row(p, i)
		for k, t := range m.trees {
			if without[k] == nil || without[k][i/64]>>(i%64)&1 != 0 {
				m.add(t, features, values, row)
				trees++
			}
		}
		if trees == 0 {
			continue
		}
		for n := range row {
			row[n] /= float64(trees)
		}
		l.Add(m.Taxonomy, row, p.labels[i], 1)
		learned = true
	}
	if !learned { // few trees and instances, and each in all samples
		return 0.5, math.NaN(), nil
	}
	level, f1 = l.Best()
	return level, f1, nil
}

// maxLevelRows bounds the instances that the level is learned from.
const maxLevelRows = 1 << 17

// row returns row i of the training data with the features as the trees know them.
func (m *Model) row(p *problem, i int) ([]int32, []float32) {
	features, values := p.x.Row(i)
	if p.columns == nil {
		return features, values
	}
	all := make([]int32, len(features))
	for k, f := range features {
		all[k] = p.columns[f]
	}
	return all, values
}

// NodeProbabilities returns the probability of a label at or below each node: one row per row of x,
// one column per node. It is the mean over the trees of the share in the leaf; no child is more
// probable than its parent. It panics with the error of Check if x has more or fewer columns than
// the training data, or columns with other names; so do Predict and LeafScores. For no rows the
// result is an empty matrix.
func (m *Model) NodeProbabilities(x *dataset.Matrix) *mat.Dense {
	if x.Len() == 0 {
		return new(mat.Dense)
	}
	if err := m.checkColumns(x); err != nil {
		panic(err)
	}
	all := mat.NewDense(x.Rows, m.Taxonomy.Len(), nil)
	var group errgroup.Group
	group.SetLimit(guarded.Workers(0))
	const chunk = 64
	for from := 0; from < x.Rows; from += chunk {
		group.Go(func() error {
			for i := from; i < min(from+chunk, x.Rows); i++ {
				features, values := x.Row(i)
				row := all.RawRowView(i)
				for _, t := range m.trees {
					m.add(t, features, values, row)
				}
				if k := float64(len(m.trees)); k != 1 {
					for n := range row {
						row[n] /= k
					}
				}
			}
			return nil
		})
	}
	_ = group.Wait() // no function fails
	return all
}

// Predict returns, for every row of x, the nodes whose probability is at least Level, and the most
// probable one in any case, in their most specific form: ascending, none above another.
func (m *Model) Predict(x *dataset.Matrix) [][]int {
	all := m.NodeProbabilities(x)
	sets := make([][]int, x.Len())
	for i := range sets {
		sets[i] = classifier.NodeSet(m.Taxonomy, all.RawRowView(i), m.below())
	}
	return sets
}

// below is the level that probabilities are to be above.
func (m *Model) below() float64 { return math.Nextafter(m.Level, math.Inf(-1)) }

// LeafScores returns the probabilities of the leaves of Taxonomy: one row per row of x, one column
// per leaf. Package metric calls it and Decide to evaluate the model, and package experiment to
// compare it with others, on data whose labels are leaves, such as those of Dataset.Leafed.
func (m *Model) LeafScores(x *dataset.Matrix) *mat.Dense {
	return classifier.LeafColumns(m.Taxonomy, m.NodeProbabilities(x))
}

// Decide returns, for every row of x, a set of leaves, ascending: see classifier.LeafSets.
func (m *Model) Decide(x *dataset.Matrix, _ *mat.Dense) ([][]int, error) {
	if err := m.checkColumns(x); err != nil {
		return nil, err
	}
	return classifier.LeafSets(m.Taxonomy, m.NodeProbabilities(x), m.below())
}

// Check returns an error if x is not a matrix over the features of the training data: if it has
// more or fewer columns, or columns with other names.
func (m *Model) Check(x *dataset.Matrix) error {
	if x == nil {
		return fmt.Errorf("forest: no matrix to predict for")
	}
	if err := structured.CheckMatrix(x); err != nil {
		return err
	}
	return m.checkColumns(x)
}

// checkColumns returns an error if the columns of x are not the features: others in number or
// name.
func (m *Model) checkColumns(x *dataset.Matrix) error {
	if err := x.CheckColumns(m.features, m.vocabulary); err != nil {
		return fmt.Errorf("forest: %w", err)
	}
	return nil
}

// CheckTaxonomy returns an error if the nodes of t are not those of the model.
func (m *Model) CheckTaxonomy(t *taxonomy.Taxonomy) error {
	if t == m.Taxonomy {
		return nil
	}
	if t == nil || !slices.Equal(t.Names(), m.Taxonomy.Names()) || !slices.Equal(t.Edges(), m.Taxonomy.Edges()) {
		return fmt.Errorf("forest: the model has another taxonomy than the given one; use that of the training data; for labels at inner nodes, use Collection.Leafed, which changes both parts")
	}
	return nil
}

// Trees returns the number of trees.
func (m *Model) Trees() int { return len(m.trees) }

// Leaves returns the total number of leaves of all trees.
func (m *Model) Leaves() int {
	n := 0
	for _, t := range m.trees {
		n += t.leaves()
	}
	return n
}

func (m *Model) description() []describe.Row {
	rows := []describe.Row{
		{Name: "trees", Value: fmt.Sprintf("%d, with %d leaves", len(m.trees), m.Leaves())},
		{Name: "predicted", Value: fmt.Sprintf("nodes with probabilities from %.3f on", m.Level)},
	}
	if !math.IsNaN(m.HeldOut) {
		rows = append(rows, describe.Row{Name: "held out", Value: fmt.Sprintf("F1 %.4f, by the trees grown without the instance", m.HeldOut)})
	}
	return append(rows,
		describe.Row{Name: "nodes", Value: fmt.Sprintf("%d of the taxonomy", m.Taxonomy.Len())},
		describe.Row{Name: "features", Value: fmt.Sprint(m.features)},
		describe.Row{Name: "instances", Value: fmt.Sprint(m.Instances)},
		describe.Row{Name: "seconds", Value: fmt.Sprintf("%.2f", m.seconds)},
	)
}

// String describes the model in a few lines.
func (m *Model) String() string { return describe.Text(m.Name, m.description()) }

// HTML describes the model as a table.
func (m *Model) HTML() string { return describe.HTML(m.Name, m.description()) }
