package svm

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/calibration"
	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/describe"
	"github.com/hierml/notebook/hierml/internal/weigh"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// NodeSets trains a model that scores nodes, for instances with several labels at leaves or inner
// nodes, and learns which nodes to predict from the scores:
//
//	model, err := svm.NodeSets{}.Fit(ctx, c.Train)
//	f, err := metric.LabelSets(c.Test.Labels, model.Predict(c.Test.X), c.Test.Taxonomy) // f.Hierarchical
//
// From scores of held-out instances it learns the probability that a label is at or below each
// node, given the score of the node and the highest score of all (calibration.RelativePlatt; nodes
// with few instances share one function). The data are split into folds, and each fold is scored by
// a model trained on the others. [Ridge], the default, computes these scores exactly from one
// training; other methods need one training per fold. Ridge and [MaxConstraint] score nodes. With
// other methods the score of a node is the highest of the leaves below. The scores of different
// models can have different scales, above all where Settings.Time has cut their training. Scores
// are therefore standardized per model: the mean of each node over training instances is
// subtracted, and all are divided by their standard deviation. So the functions learned from the
// folds also hold for the model of all data.
//
// NodeSets predicts the nodes whose probability exceeds a level. The level is the same for all
// nodes and maximizes the F1 of the predicted nodes and their ancestors; in theory it is half that
// F1. Only the data passed to Fit are used. A note (package progress) says if the F1 is not
// significantly better than that of the node frequencies alone, without features.
//
// The zero value is ready to use.
type NodeSets struct {
	// Method trains the scores. The default value is Ridge{}, or OneVsRest{} for more than 8,000
	// instances, or where a Gram matrix and the scores of all nodes take more than 2 GiB. 8,000
	// instances of 103 nodes, of RCV1, took 48 seconds on two cores.
	Method classifier.Estimator
	// Grid has the values of C to choose from, by the same F1; Method must be Regularized. A 0 in
	// it means the default C of 1. Without a grid, Method's own C is used.
	Grid []float64
	// Folds is the number of folds. It is also the number of models trained for each C, in addition
	// to the one on all data; Ridge is trained once for any number of folds. The default value is
	// 5, for Ridge 10.
	Folds int
	// Seed determines the folds.
	Seed uint64
	// Progress is called with the share of the models that are trained, and with the next one. If
	// it returns an error, Fit stops.
	Progress func(done float64, state string) error
}

// NodeSetModel predicts sets of nodes.
type NodeSetModel struct {
	// Model computes the scores. Its taxonomy has an added leaf below each inner node that is a
	// label, as by dataset.Dataset.Leafed, except for Ridge and MaxConstraint, which score inner
	// nodes directly. The other nodes keep their ids.
	Model    *classifier.Model
	Taxonomy *taxonomy.Taxonomy // of labels and predictions
	// Level is the probability above which a node is predicted.
	Level float64
	// HeldOut is the F1 of the predictions for the training instances by models trained without
	// them. Level, and C if there was a grid, were chosen on the same instances.
	HeldOut float64
	// Frequencies is the F1, on the same held-out instances, of always predicting the most frequent
	// nodes, with a separate level.
	Frequencies float64
	// Tried has HeldOut for each C of the grid, in the order of the grid.
	Tried []TriedSets

	likely []calibration.Relative // by node
	unit   unit                   // of the scores
	folds  int
	direct bool    // the model scores inner nodes, as Ridge and MaxConstraint do
	error  float64 // standard error of the difference of HeldOut and Frequencies
}

// TriedSets is the outcome of one C.
type TriedSets struct{ C, HeldOut float64 }

// maxOfRidge bounds the instances for which Ridge is the default, and maxHeld the numbers that it
// then stores: the Gram matrix and, for every instance and node, the target, A, and two scores.
const (
	maxOfRidge = 8000
	maxHeld    = 1 << 28
)

// Fit trains the models and learns the probabilities.
func (s NodeSets) Fit(ctx context.Context, d *dataset.Dataset) (_ *NodeSetModel, err error) {
	if err := checkRows(d); err != nil {
		return nil, err
	}
	if d, err = d.Weighted(); err != nil {
		return nil, withPackage(err)
	}
	if s.Method == nil {
		s.Method = Ridge{Seed: s.Seed}
		if n := d.Len(); n > maxOfRidge || n*(n+4*d.Taxonomy.Len()) > maxHeld {
			s.Method = OneVsRest{}
		}
	}
	_, ridge := s.Method.(Ridge)
	if s.Folds == 0 {
		s.Folds = 5
		if ridge {
			s.Folds = max(2, min(ridgeFolds, d.Len()))
		}
	}
	if s.Folds < 2 || s.Folds > d.Len() {
		return nil, fmt.Errorf("svm: %d folds of %d instances; set Folds to at least 2 and at most the number of instances", s.Folds, d.Len())
	}
	methods := []classifier.Estimator{s.Method}
	if s.Grid != nil {
		s.Grid = slices.Clone(s.Grid)
		if methods, err = s.methods(); err != nil {
			return nil, err
		}
	}
	ctx, ended := solver.TrainingGroup(ctx, "")
	defer func() { ended(err) }()
	whole := ctx
	ctx, report, end := progress.Follow(ctx, "node sets", s.Progress)
	defer end()
	s.Progress = report
	fit := s.fitFolds
	if ridge {
		fit = s.fitRidge
	}
	m, err := fit(progress.WithNotesFrom(ctx, whole), ctx, methods, d)
	if err != nil {
		return nil, err
	}
	m.note(whole)
	return m, nil
}

// fitRidge trains with each of the methods once.
func (s NodeSets) fitRidge(noted, ctx context.Context, methods []classifier.Estimator, d *dataset.Dataset) (*NodeSetModel, error) {
	var best *NodeSetModel
	var chosen *regression
	var tried []TriedSets
	for k, method := range methods {
		r := method.(Ridge)
		r.folds = s.Folds
		if s.Progress != nil {
			r.Progress = func(done float64, state string) error {
				return s.Progress((float64(k)+done)/float64(len(methods)), state)
			}
		}
		f, err := r.fit(noted, d, true)
		if err != nil {
			return nil, fmt.Errorf("svm: node sets: %w", err)
		}
		m, err := f.learn(d)
		if err != nil {
			return nil, err
		}
		if s.Grid != nil {
			tried = append(tried, TriedSets{s.Grid[k], m.HeldOut})
		}
		if best == nil || m.HeldOut > best.HeldOut {
			best, chosen = m, f
		}
	}
	var err error
	best.Model, err = chosen.model(d)
	best.Tried = tried
	return best, err
}

// learn learns probabilities and the level from held-out scores. The unit of a model has the node
// frequencies among its training instances: they are nearly the means of the scores, because the
// intercepts are hardly regularized.
func (f *regression) learn(d *dataset.Dataset) (*NodeSetModel, error) {
	h := &nodeScores{taxonomy: d.Taxonomy, leafed: d.Taxonomy}
	all := make([]float64, d.Taxonomy.Len())
	whole := 0.0
	for k, i := range f.rows {
		w := d.Weight(i)
		h.truth, h.weights, whole = append(h.truth, d.Taxonomy.Closure(d.Labels[i])), append(h.weights, w), whole+w
		for _, n := range h.truth[k] {
			all[n] += w
		}
	}
	for fold, from := range f.border[:len(f.border)-1] {
		to := f.border[fold+1]
		frequencies, others := slices.Clone(all), whole
		for k := from; k < to; k++ {
			others -= h.weights[k]
			for _, n := range h.truth[k] {
				frequencies[n] -= h.weights[k]
			}
		}
		if to-from < len(f.rows) {
			floats.Scale(1/others, frequencies)
		}
		for k := from; k < to; k++ {
			row, held := make([]float64, d.Taxonomy.Len()), f.held.RawRowView(k)
			for c, n := range f.nodes {
				row[n] = held[c]
			}
			h.frequencies = append(h.frequencies, frequencies)
			h.rows, h.highest = append(h.rows, row), append(h.highest, unit{frequencies, 1}.measure(row))
		}
	}
	m, err := h.model()
	if err != nil {
		return nil, err
	}
	floats.Scale(1/whole, all)
	m.folds, m.direct, m.unit = len(f.border)-1, true, unit{all, 1}
	return m, nil
}

// fitFolds chooses one of the methods by folds, and trains it on all data.
func (s NodeSets) fitFolds(noted, ctx context.Context, methods []classifier.Estimator, d *dataset.Dataset) (*NodeSetModel, error) {
	leafed, own := d, scoresNodes(s.Method)
	if !own {
		var err error
		if leafed, err = d.Leafed(); err != nil {
			return nil, err
		}
	}
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
	var err error
	if best.Model, err = chosen.Fit(noted, leafed); err != nil {
		return nil, fmt.Errorf("svm: node sets, all data: %w", err)
	}
	best.direct = own
	best.unit = unitOf(best.Model, d.Taxonomy, leafed)
	best.Tried = tried
	return best, nil
}

// scoresNodes reports whether a method learns scores of inner nodes, so that labels there need no
// added leaves.
func scoresNodes(method classifier.Estimator) bool {
	_, ok := method.(MaxConstraint)
	return ok
}

// scoresByNode returns the scores of the nodes of the model's taxonomy: coherent node scores where
// the model learns them, otherwise the highest score of the leaves below.
func scoresByNode(m *classifier.Model, x *dataset.Matrix) *mat.Dense {
	if m.Rule == classifier.BottomUp {
		return finite(m.CoherentScores(x))
	}
	leaves := choiceScores(m, x)
	nodes := mat.NewDense(x.Rows, m.Taxonomy.Len(), nil)
	for i := range x.Rows {
		highestBelow(m.Taxonomy, leaves.RawRowView(i), nodes.RawRowView(i))
	}
	return nodes
}

// methods returns the method with each C of the grid.
func (s NodeSets) methods() ([]classifier.Estimator, error) {
	e, ok := s.Method.(Regularized)
	if !ok {
		return nil, fmt.Errorf("svm: a %T has no C to choose; leave the grid nil", s.Method)
	}
	if len(s.Grid) == 0 {
		return nil, fmt.Errorf("svm: the grid is empty; leave it nil to use the method's own C")
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

// report calls Progress after done of all models are trained.
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
	parts, err := folds(leafed, s.Folds, s.Seed)
	if err != nil {
		return nil, fmt.Errorf("svm: node sets: %w", err)
	}
	most := max(1, maxScores/leafed.Taxonomy.Len()/s.Folds)
	for f, rows := range parts {
		if err := s.report(k*s.Folds+f, methods, fmt.Sprintf("without fold %d", f+1)); err != nil {
			return nil, err
		}
		others := leafed.Subset(slices.Concat(slices.Concat(parts[:f]...), slices.Concat(parts[f+1:]...)))
		m, err := method.Fit(ctx, others)
		if err != nil {
			return nil, fmt.Errorf("svm: node sets, fold %d: %w", f+1, err)
		}
		if err := checkCalibration(m, leafed.Taxonomy); err != nil {
			return nil, err
		}
		held.add(m, others, leafed.Subset(rows[:min(len(rows), most)]))
	}
	m, err := held.model()
	if m != nil {
		m.folds = s.Folds
	}
	return m, err
}

// nodeScores has the scores of nodes for held-out instances, in units of the models, and the true
// nodes.
type nodeScores struct {
	taxonomy, leafed *taxonomy.Taxonomy
	rows             [][]float64
	highest          []float64
	// of the nodes among the training instances, shared by the instances of a fold
	frequencies [][]float64
	truth       [][]int // nodes and those above, ascending
	weights     []float64
}

func (h *nodeScores) add(m *classifier.Model, trained, d *dataset.Dataset) {
	u := unitOf(m, h.taxonomy, trained)
	frequencies := make([]float64, h.taxonomy.Len())
	whole := weigh.Sum(trained.Weights, trained.Len())
	for i, set := range trained.Labels {
		for _, n := range h.nodes(set) {
			frequencies[n] += trained.Weight(i) / whole
		}
	}
	scores := scoresByNode(m, d.X)
	for i, set := range d.Labels {
		row := scores.RawRowView(i)[:h.taxonomy.Len()]
		h.rows, h.highest = append(h.rows, row), append(h.highest, u.measure(row))
		h.frequencies = append(h.frequencies, frequencies)
		h.truth, h.weights = append(h.truth, h.nodes(set)), append(h.weights, d.Weight(i))
	}
}

// model learns probabilities and the level.
func (h *nodeScores) model() (*NodeSetModel, error) {
	likely, err := h.learn()
	if err != nil {
		return nil, err
	}
	m := &NodeSetModel{Taxonomy: h.taxonomy, likely: likely}
	for i, row := range h.rows {
		m.probabilities(row, h.highest[i])
	}
	h.level(m)
	return m, nil
}

// nodes returns the labels and their ancestors as nodes of the taxonomy, ascending.
func (h *nodeScores) nodes(set []int) []int {
	closed := h.leafed.Closure(set)
	n, _ := slices.BinarySearch(closed, h.taxonomy.Len()) // the added leaves have the highest ids
	return closed[:n]
}

// A unit standardizes the scores of a model: it subtracts each node's mean over the training
// instances, and divides by the standard deviation from these means.
type unit struct {
	mean      []float64 // by node
	deviation float64
}

// unitRows bounds the instances that the unit of a model is computed from.
const unitRows = 1000

// unitOf returns the unit of a model, computed from some of its training instances.
func unitOf(m *classifier.Model, t *taxonomy.Taxonomy, trained *dataset.Dataset) unit {
	var rows []int
	for k := range min(unitRows, trained.Len()) {
		rows = append(rows, k*trained.Len()/min(unitRows, trained.Len()))
	}
	scores := scoresByNode(m, trained.X.Subset(rows))
	square := make([]float64, t.Len())
	u := unit{mean: make([]float64, t.Len())}
	for k := range rows {
		for n, v := range scores.RawRowView(k)[:t.Len()] {
			step := v - u.mean[n]
			u.mean[n] += step / float64(k+1)
			square[n] += step * (v - u.mean[n])
		}
	}
	u.deviation = math.Sqrt(floats.Sum(square) / float64(len(rows)*t.Len()))
	if !(u.deviation > 0) || math.IsInf(u.deviation, 1) {
		u.deviation = 1 // the scores are the same for all
	}
	return u
}

// measure standardizes the scores of the nodes and returns the highest of them.
func (u unit) measure(scores []float64) (highest float64) {
	for n, v := range scores {
		scores[n] = (v - u.mean[n]) / u.deviation
	}
	return slices.Max(scores)
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
		if likely[n], err = calibration.RelativePlatt(column, h.highest, positive, h.weights...); err != nil {
			return nil, err
		}
	}
	if len(few) == 0 {
		return likely, nil
	}
	var highest, weights []float64
	column, positive = nil, nil
	step := 1 + len(h.rows)*len(few)/maxShared
	for i := 0; i < len(h.rows); i += step {
		for _, n := range few {
			_, yes := slices.BinarySearch(h.truth[i], n)
			column, highest, positive = append(column, h.rows[i][n]), append(highest, h.highest[i]), append(positive, yes)
			weights = append(weights, h.weights[i])
		}
	}
	shared, err := calibration.RelativePlatt(column, highest, positive, weights...)
	if err != nil {
		return nil, err
	}
	for _, n := range few {
		likely[n] = shared
	}
	return likely, nil
}

// level finds the level with the largest F1. It sets that F1, the F1 of the frequencies, and the
// standard error of their difference. The rows are probabilities.
func (h *nodeScores) level(m *NodeSetModel) {
	var model, constant classifier.NodeLevel
	for i, row := range h.rows {
		model.Add(m.Taxonomy, row, h.truth[i], h.weights[i])
		constant.Add(m.Taxonomy, h.frequencies[i], h.truth[i], h.weights[i])
	}
	var level float64
	m.Level, m.HeldOut = model.Best()
	level, m.Frequencies = constant.Best()
	// An F1 is 2 B / S, where B counts the nodes that are true and predicted, and S those that are
	// true and those that are predicted; to first order it depends on an instance by (2 b - F1 s) /
	// S.
	counts := make([]setCounts, len(h.rows))
	var ofModel, ofConstant float64
	for i, row := range h.rows {
		counts[i] = setCounts{countSet(m.Taxonomy, row, m.Level, h.truth[i]), countSet(m.Taxonomy, h.frequencies[i], level, h.truth[i])}
		ofModel += h.weights[i] * float64(counts[i].model.size)
		ofConstant += h.weights[i] * float64(counts[i].constant.size)
	}
	for i, c := range counts {
		d := (2*float64(c.model.both) - m.HeldOut*float64(c.model.size)) / ofModel
		d -= (2*float64(c.constant.both) - m.Frequencies*float64(c.constant.size)) / ofConstant
		m.error += h.weights[i] * d * h.weights[i] * d
	}
	m.error = math.Sqrt(m.error)
}

// setCounts are the counts of an instance for a model, and for the constant prediction by
// frequencies.
type setCounts struct{ model, constant setCount }

// setCount has the number of nodes both true and predicted, and the number of true nodes plus that
// of predicted ones.
type setCount struct{ both, size int }

func countSet(t *taxonomy.Taxonomy, row []float64, level float64, truth []int) setCount {
	predicted := t.Closure(classifier.NodeSet(t, row, level))
	c := setCount{size: len(predicted) + len(truth)}
	for _, n := range predicted {
		if _, yes := slices.BinarySearch(truth, n); yes {
			c.both++
		}
	}
	return c
}

// note reports a model that is not better than frequencies.
func (m *NodeSetModel) note(ctx context.Context) {
	const sure = 2 // standard errors
	if m.HeldOut-m.Frequencies > sure*m.error {
		return
	}
	progress.Note(ctx, fmt.Sprintf("%s: the F1 of %.4f on held-out instances is not significantly better than %.4f by label frequencies alone, without features (the standard error of the difference is %.4f). Try other features, more instances, another method or another C.",
		m.name(), m.HeldOut, m.Frequencies, m.error))
}

// probabilities turns the standardized scores of the nodes into probabilities. A child is never
// more probable than its parent.
func (m *NodeSetModel) probabilities(row []float64, highest float64) {
	order := m.Taxonomy.Topological()
	for k := len(order) - 1; k >= 0; k-- {
		n := order[k]
		if row[n] = m.likely[n].Probability(row[n], highest); m.Model != nil && m.Model.Unseen(n) {
			row[n] = 0
		}
		for _, child := range m.Taxonomy.Children(n) {
			row[n] = max(row[n], row[child])
		}
	}
}

// NodeProbabilities returns the probability that a label is at or below each node: one row per row
// of x, one column per node. A child is never more probable than its parent.
func (m *NodeSetModel) NodeProbabilities(x *dataset.Matrix) *mat.Dense {
	if x.Len() == 0 {
		return new(mat.Dense)
	}
	var scores *mat.Dense
	if m.direct && m.Model.Rule != classifier.BottomUp {
		scores = m.Model.NodeScores(x)
	} else {
		scores = scoresByNode(m.Model, x)
	}
	all := mat.NewDense(x.Rows, m.Taxonomy.Len(), nil)
	for i := range x.Rows {
		row := all.RawRowView(i)
		copy(row, scores.RawRowView(i))
		m.probabilities(row, m.unit.measure(row))
	}
	return all
}

// Predict returns, for every row of x, the nodes whose probability exceeds Level, and the most
// probable node in any case. They are in their most specific form: ascending, with no node above
// another.
func (m *NodeSetModel) Predict(x *dataset.Matrix) [][]int {
	all := m.NodeProbabilities(x)
	sets := make([][]int, x.Len())
	for i := range sets {
		sets[i] = classifier.NodeSet(m.Taxonomy, all.RawRowView(i), m.Level)
	}
	return sets
}

func (m *NodeSetModel) description() []describe.Row {
	rows := []describe.Row{
		{Name: "predicted", Value: fmt.Sprintf("nodes with probabilities above %.3f", m.Level)},
		{Name: "held out", Value: fmt.Sprintf("F1 %.4f, in %d folds", m.HeldOut, m.folds)},
		{Name: "frequencies", Value: fmt.Sprintf("F1 %.4f", m.Frequencies)},
	}
	for _, t := range m.Tried {
		rows = append(rows, describe.Row{Name: fmt.Sprintf("C = %.4g", t.C), Value: fmt.Sprintf("F1 %.4f", t.HeldOut)})
	}
	return rows
}

func (m *NodeSetModel) name() string { return m.Model.Name + " for sets of nodes" }

// String describes the predictions and the model in a few lines.
func (m *NodeSetModel) String() string {
	return describe.Text(m.name(), m.description()) + "\n" + m.Model.String()
}

// HTML describes the predictions and the model as tables.
func (m *NodeSetModel) HTML() string {
	return describe.HTML(m.name(), m.description()) + m.Model.HTML()
}
