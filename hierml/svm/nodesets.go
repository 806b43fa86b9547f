package svm

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/calibration"
	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/describe"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// NodeSets trains a model of scores for instances with several labels, leaves or inner nodes, and
// learns which nodes are to be predicted given the scores:
//
//	model, err := svm.NodeSets{}.Fit(ctx, c.Train)
//	f, err := metric.LabelSets(c.Test.Labels, model.Predict(c.Test.X), c.Test.Taxonomy) // f.Hierarchical
//
// The data are divided into folds, each is scored by a model trained on the others, and from these
// scores it is learned how likely a label is at or below each node, given the highest score of the
// leaves there and the highest score of all (calibration.RelativePlatt; nodes of few instances
// share one function). Predicted are the nodes that are likelier than a level, the same for all,
// with which the F1 of these predictions and all nodes above is largest: about half that F1, as
// theory has it. Only the data given to Fit are used.
//
// The zero value is ready to use.
type NodeSets struct {
	// Method gives the scores. The default value is Flat{}, with the ranking of several labels of
	// [Cai08, section 4.3].
	Method classifier.Estimator
	// Grid are values of C to choose from, by the same F1; Method must be Regularized. 0 in it is the
	// default C of 1. Without a grid Method's own C is taken.
	Grid []float64
	// Folds is the number of folds, and of models trained for each C beside the one on all data.
	// The default value is 5.
	Folds int
	// Seed determines the folds.
	Seed uint64
	// Progress is told what part of the models is trained, and which is next. An error it returns
	// ends Fit.
	Progress func(done float64, state string) error
}

// NodeSetModel predicts sets of nodes.
type NodeSetModel struct {
	// Model gives the scores. Its taxonomy has a further leaf below each inner node that is a
	// label, as by dataset.Dataset.Leafed; the other nodes have the same numbers.
	Model    *classifier.Model
	Taxonomy *taxonomy.Taxonomy // of labels and predictions
	// Level is the probability above which a node is predicted.
	Level float64
	// HeldOut is the F1 of the predictions for the training instances by models trained without
	// them. Level was chosen on the same instances, and C where there was a grid.
	HeldOut float64
	// Tried has HeldOut for each C of the grid, in its order.
	Tried []TriedSets

	likely []calibration.Relative // by node
	folds  int
}

// TriedSets is the outcome of one C.
type TriedSets struct{ C, HeldOut float64 }

// Fit trains the models and learns the probabilities.
func (s NodeSets) Fit(ctx context.Context, d *dataset.Dataset) (*NodeSetModel, error) {
	if err := checkRows(d); err != nil {
		return nil, err
	}
	s.Folds = cmp.Or(s.Folds, 5)
	if s.Folds < 2 || s.Folds > d.Len() {
		return nil, fmt.Errorf("svm: %d folds of %d instances; give 2 at least and at most as many as instances", s.Folds, d.Len())
	}
	if s.Method == nil {
		s.Method = Flat{}
	}
	leafed, err := d.Leafed()
	if err != nil {
		return nil, err
	}
	methods := []classifier.Estimator{s.Method}
	if s.Grid != nil {
		s.Grid = slices.Clone(s.Grid)
		if methods, err = s.methods(); err != nil {
			return nil, err
		}
	}
	whole := ctx
	ctx, report, end := progress.Follow(ctx, "node sets", s.Progress)
	defer end()
	s.Progress = report
	var best *NodeSetModel
	var chosen classifier.Estimator
	var tried []TriedSets
	for k, method := range methods {
		m, err := s.learn(ctx, method, d.Taxonomy, leafed, k, len(methods))
		if err != nil {
			return nil, err
		}
		if s.Grid != nil {
			tried = append(tried, TriedSets{s.Grid[k], m.HeldOut})
		}
		if best == nil || m.HeldOut > best.HeldOut {
			best, chosen = m, method
		}
	}
	if err := s.report(len(methods)*s.Folds, len(methods), "on all data"); err != nil {
		return nil, err
	}
	if best.Model, err = chosen.Fit(progress.Noted(ctx, whole), leafed); err != nil {
		return nil, fmt.Errorf("svm: node sets, all data: %w", err)
	}
	best.Tried = tried
	return best, nil
}

// methods returns the method with each C of the grid.
func (s NodeSets) methods() ([]classifier.Estimator, error) {
	e, ok := s.Method.(Regularized)
	if !ok {
		return nil, fmt.Errorf("svm: a %T has no C to choose; leave the grid nil", s.Method)
	}
	if len(s.Grid) == 0 {
		return nil, fmt.Errorf("svm: the grid is empty; leave it nil for the method's own C")
	}
	var all []classifier.Estimator
	for k, c := range s.Grid {
		c, err := defaultC(c)
		if err != nil {
			return nil, fmt.Errorf("svm: the grid: %w", err)
		}
		s.Grid[k] = c
		all = append(all, e.WithC(c))
	}
	return all, nil
}

// report tells Progress that done models of all are trained.
func (s NodeSets) report(done, methods int, next string) error {
	if s.Progress == nil {
		return nil
	}
	all := methods*s.Folds + 1
	if err := s.Progress(float64(done)/float64(all), fmt.Sprintf("model %d of %d, %s", done+1, all, next)); err != nil {
		return fmt.Errorf("svm: node sets, stopped: %w", err)
	}
	return nil
}

// learn learns probabilities and the level with one method.
func (s NodeSets) learn(ctx context.Context, method classifier.Estimator, t *taxonomy.Taxonomy, leafed *dataset.Dataset, k, methods int) (*NodeSetModel, error) {
	held := &nodeScores{taxonomy: t, leafed: leafed.Taxonomy}
	parts := folds(leafed.Labels, s.Folds, s.Seed)
	most := max(1, maxScores/leafed.Taxonomy.Len()/s.Folds)
	for f, rows := range parts {
		if err := s.report(k*s.Folds+f, methods, fmt.Sprintf("without fold %d", f+1)); err != nil {
			return nil, err
		}
		others := slices.Concat(slices.Concat(parts[:f]...), slices.Concat(parts[f+1:]...))
		m, err := method.Fit(ctx, leafed.Subset(others))
		if err != nil {
			return nil, fmt.Errorf("svm: node sets, fold %d: %w", f+1, err)
		}
		if err := checkCalibration(m, leafed.Taxonomy); err != nil {
			return nil, err
		}
		held.add(m, leafed.Subset(rows[:min(len(rows), most)]))
	}
	likely, err := held.learn()
	if err != nil {
		return nil, err
	}
	m := &NodeSetModel{Taxonomy: t, likely: likely, folds: s.Folds}
	m.Level, m.HeldOut = held.level(m)
	return m, nil
}

// nodeScores are the scores of nodes for instances held out, and what is true of these.
type nodeScores struct {
	taxonomy, leafed *taxonomy.Taxonomy
	rows             [][]float64
	highest          []float64
	truth            [][]int // nodes and those above, ascending
}

func (h *nodeScores) add(m *classifier.Model, d *dataset.Dataset) {
	scores := choiceScores(m, d.X)
	for i, set := range d.Labels {
		leaves := scores.RawRowView(i)
		nodes := make([]float64, h.leafed.Len())
		highestBelow(h.leafed, leaves, nodes)
		closed := h.leafed.Closure(set)
		n, _ := slices.BinarySearch(closed, h.taxonomy.Len()) // the leaves that were added have the highest numbers
		h.rows = append(h.rows, nodes[:h.taxonomy.Len()])
		h.highest = append(h.highest, slices.Max(leaves))
		h.truth = append(h.truth, closed[:n])
	}
}

// learn returns the probabilities by node.
func (h *nodeScores) learn() ([]calibration.Relative, error) {
	const enough = 10 // instances to learn a function from
	with := make([][]int, h.taxonomy.Len())
	for i, set := range h.truth {
		for _, n := range set {
			with[n] = append(with[n], i)
		}
	}
	likely := make([]calibration.Relative, len(with))
	column, positive := make([]float64, len(h.rows)), make([]bool, len(h.rows))
	var few []int
	for n, rows := range with {
		if len(rows) < enough {
			few = append(few, n)
			continue
		}
		clear(positive)
		for _, i := range rows {
			positive[i] = true
		}
		for i := range h.rows {
			column[i] = h.rows[i][n]
		}
		var err error
		if likely[n], err = calibration.RelativePlatt(column, h.highest, positive); err != nil {
			return nil, err
		}
	}
	if len(few) == 0 {
		return likely, nil
	}
	var highest []float64
	column, positive = nil, nil
	step := 1 + len(h.rows)*len(few)/maxShared
	for i := 0; i < len(h.rows); i += step {
		for _, n := range few {
			_, yes := slices.BinarySearch(h.truth[i], n)
			column, highest, positive = append(column, h.rows[i][n]), append(highest, h.highest[i]), append(positive, yes)
		}
	}
	shared, err := calibration.RelativePlatt(column, highest, positive)
	if err != nil {
		return nil, err
	}
	for _, n := range few {
		likely[n] = shared
	}
	return likely, nil
}

// level returns the probability to predict from that has the largest F1, and that F1.
func (h *nodeScores) level(m *NodeSetModel) (level, f1 float64) {
	var l classifier.NodeLevel
	for i, row := range h.rows {
		m.probabilities(row, h.highest[i])
		l.Add(h.taxonomy, row, h.truth[i])
	}
	return l.Best()
}

// probabilities turns the scores of the nodes into probabilities, which never rise from a node to a
// child.
func (m *NodeSetModel) probabilities(row []float64, highest float64) {
	order := m.Taxonomy.Topological()
	for k := len(order) - 1; k >= 0; k-- {
		n := order[k]
		row[n] = m.likely[n].Probability(row[n], highest)
		for _, child := range m.Taxonomy.Children(n) {
			row[n] = max(row[n], row[child])
		}
	}
}

// NodeProbabilities returns the probability that a label is at or below a node: a row of x a row, a
// column a node. It never rises from a node to a child.
func (m *NodeSetModel) NodeProbabilities(x *dataset.Matrix) *mat.Dense {
	if x.Rows == 0 {
		return new(mat.Dense)
	}
	leafed := m.Model.Taxonomy
	scores := choiceScores(m.Model, x)
	all := mat.NewDense(x.Rows, m.Taxonomy.Len(), nil)
	nodes := make([]float64, leafed.Len())
	for i := range x.Rows {
		leaves, row := scores.RawRowView(i), all.RawRowView(i)
		highestBelow(leafed, leaves, nodes)
		copy(row, nodes)
		m.probabilities(row, slices.Max(leaves))
	}
	return all
}

// Predict returns, for every row of x, the nodes that are likelier than Level, and the likeliest
// one in any case, in their most specific form: ascending, none above another.
func (m *NodeSetModel) Predict(x *dataset.Matrix) [][]int {
	all := m.NodeProbabilities(x)
	sets := make([][]int, x.Rows)
	for i := range sets {
		sets[i] = classifier.NodeSet(m.Taxonomy, all.RawRowView(i), m.Level)
	}
	return sets
}

func (m *NodeSetModel) description() []describe.Row {
	rows := []describe.Row{
		{Name: "predicted", Value: fmt.Sprintf("nodes with probabilities above %.3f", m.Level)},
		{Name: "held out", Value: fmt.Sprintf("F1 %.4f, in %d folds", m.HeldOut, m.folds)},
	}
	for _, t := range m.Tried {
		rows = append(rows, describe.Row{Name: fmt.Sprintf("C = %.4g", t.C), Value: fmt.Sprintf("F1 %.4f", t.HeldOut)})
	}
	return rows
}

// String describes the predictions and the model in a few lines.
func (m *NodeSetModel) String() string {
	return describe.Text(m.Model.Name+" for sets of nodes", m.description()) + "\n" + m.Model.String()
}

// HTML describes the predictions and the model as tables.
func (m *NodeSetModel) HTML() string {
	return describe.HTML(m.Model.Name+" for sets of nodes", m.description()) + m.Model.HTML()
}
