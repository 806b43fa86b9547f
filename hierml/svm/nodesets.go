package svm

import (
	"cmp"
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
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// NodeSets trains a model of scores for instances with several labels, leaves or inner nodes, and
// learns which nodes are to be predicted given the scores:
//
//	model, err := svm.NodeSets{}.Fit(ctx, c.Train)
//	f, err := metric.LabelSets(c.Test.Labels, model.Predict(c.Test.X), c.Test.Taxonomy) // f.Hierarchical
//
// It is learned from scores of instances that were held out. Of [Ridge], the default, these are the
// exact scores by the model trained without the instance, and they are taken as probabilities as they
// are, between 0 and 1: what is learned from them holds for the model itself. With another method the data are divided into
// folds, each is scored by a model trained on the others, and from these scores it is learned how
// likely a label is at or below each node, given the highest score of the leaves there and the
// highest score of all (calibration.RelativePlatt; nodes of few instances share one function). The
// models of the folds and that of all data need not have scores of one scale, least of all where
// Settings.Time has cut their training. So scores are measured in units of the model that gives
// them: from the mean of its scores for instances that it was trained on, by their deviation. As that
// is the same measure for all models, a level that was learned from the folds is right for the model
// of all data.
//
// Predicted are the nodes that are likelier than a level, the same for all, with which the F1 of
// these predictions and all nodes above is largest: about half that F1, as theory has it. Only the
// data given to Fit are used. Where the F1 is not significantly better than what the frequencies of
// the nodes alone reach, without a look at the features, one is told in a note (package progress).
//
// The zero value is ready to use.
type NodeSets struct {
	// Method gives the scores. The default value is Ridge{}, and OneVsRest{} for more than 8,000
	// instances, or where a Gram matrix and the scores of all nodes take more than 2 GiB. 8,000
	// instances of 100 nodes take MEASURED.
	Method classifier.Estimator
	// Grid are values of C to choose from, by the same F1; Method must be Regularized. 0 in it is the
	// default C of 1. Without a grid Method's own C is taken.
	Grid []float64
	// Folds is the number of folds, and of models trained for each C beside the one on all data.
	// Ridge has none. The default value is 5.
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
	// label, as by dataset.Dataset.Leafed, but for Ridge, which scores inner nodes itself; the other
	// nodes have the same numbers.
	Model    *classifier.Model
	Taxonomy *taxonomy.Taxonomy // of labels and predictions
	// Level is the probability above which a node is predicted.
	Level float64
	// HeldOut is the F1 of the predictions for the training instances by models trained without
	// them. Level was chosen on the same instances, and C where there was a grid.
	HeldOut float64
	// Frequencies is the F1 of predictions by the share of the instances that have a node, the same
	// for all, with a level of their own, for the same instances without them.
	Frequencies float64
	// Tried has HeldOut for each C of the grid, in its order.
	Tried []TriedSets

	likely []calibration.Relative // by node; nil of Ridge, whose scores are probabilities
	unit   unit                   // of the scores
	folds  int                    // 0 of Ridge
	error  float64                // standard error of the difference of HeldOut and Frequencies
}

// TriedSets is the outcome of one C.
type TriedSets struct{ C, HeldOut float64 }

// mostOfRidge bounds the instances that Ridge is the default for, and mostHeld the numbers that it
// holds then: the Gram matrix, and for every instance and node what it has, A, and a score.
const (
	mostOfRidge = 8000
	mostHeld    = 1 << 28
)

// Fit trains the models and learns the probabilities.
func (s NodeSets) Fit(ctx context.Context, d *dataset.Dataset) (*NodeSetModel, error) {
	if err := checkRows(d); err != nil {
		return nil, err
	}
	if s.Method == nil {
		s.Method = Ridge{Seed: s.Seed}
		if n := d.Len(); n > mostOfRidge || n*(n+3*d.Taxonomy.Len()) > mostHeld {
			s.Method = OneVsRest{}
		}
	}
	s.Folds = cmp.Or(s.Folds, 5)
	if s.Folds < 2 || s.Folds > d.Len() {
		return nil, fmt.Errorf("svm: %d folds of %d instances; give 2 at least and at most as many as instances", s.Folds, d.Len())
	}
	methods := []classifier.Estimator{s.Method}
	if s.Grid != nil {
		s.Grid = slices.Clone(s.Grid)
		var err error
		if methods, err = s.methods(); err != nil {
			return nil, err
		}
	}
	whole := ctx
	ctx, report, end := progress.Follow(ctx, "node sets", s.Progress)
	defer end()
	s.Progress = report
	fit := s.fitFolds
	if _, ok := s.Method.(Ridge); ok {
		fit = s.fitRidge
	}
	m, err := fit(progress.Noted(ctx, whole), ctx, methods, d)
	if err != nil {
		return nil, err
	}
	m.note(whole)
	return m, nil
}

// fitRidge trains with each of the methods once; a model's scores without each instance are those of
// instances held out.
func (s NodeSets) fitRidge(noted, ctx context.Context, methods []classifier.Estimator, d *dataset.Dataset) (*NodeSetModel, error) {
	var best *NodeSetModel
	var chosen *regression
	var tried []TriedSets
	for k, method := range methods {
		r := method.(Ridge)
		if s.Progress != nil {
			r.Progress = func(done float64, state string) error {
				return s.Progress((float64(k)+done)/float64(len(methods)), state)
			}
		}
		f, err := r.fit(noted, d)
		if err != nil {
			return nil, fmt.Errorf("svm: node sets: %w", err)
		}
		m := &NodeSetModel{Taxonomy: d.Taxonomy}
		m.learnLevel(f.heldOut(m, d))
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

// heldOut returns a function that calls another with the probabilities of the model m for each
// instance by the regression without it, the frequencies of the nodes without it, and its nodes.
func (f *regression) heldOut(m *NodeSetModel, d *dataset.Dataset) heldInstances {
	n := float64(max(1, len(f.rows)-1))
	counts := make([]float64, len(f.nodes))
	for i := range f.rows {
		floats.Add(counts, f.y.RawRowView(i))
	}
	return func(do func(row, frequencies []float64, truth []int)) {
		for i := range f.rows {
			row, frequencies := make([]float64, d.Taxonomy.Len()), make([]float64, d.Taxonomy.Len())
			y, left := f.y.RawRowView(i), f.left.RawRowView(i)
			var truth []int
			for c, node := range f.nodes {
				row[node], frequencies[node] = left[c], (counts[c]-y[c])/n
				if y[c] > 0 {
					truth = append(truth, int(node))
				}
			}
			m.probabilities(row, 0)
			do(row, frequencies, truth)
		}
	}
}

// fitFolds chooses one of the methods by folds, and trains it on all data.
func (s NodeSets) fitFolds(noted, ctx context.Context, methods []classifier.Estimator, d *dataset.Dataset) (*NodeSetModel, error) {
	leafed, err := d.Leafed()
	if err != nil {
		return nil, err
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
	if best.Model, err = chosen.Fit(noted, leafed); err != nil {
		return nil, fmt.Errorf("svm: node sets, all data: %w", err)
	}
	best.unit = unitOf(best.Model, d.Taxonomy, leafed)
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
	likely, err := held.learn()
	if err != nil {
		return nil, err
	}
	m := &NodeSetModel{Taxonomy: t, likely: likely, folds: s.Folds}
	for i, row := range held.rows {
		m.probabilities(row, held.highest[i])
	}
	m.learnLevel(func(do func(row, frequencies []float64, truth []int)) {
		for i, row := range held.rows {
			do(row, held.frequencies[i], held.truth[i])
		}
	})
	return m, nil
}

// nodeScores are the scores of nodes for instances held out, in units of the models, and what is true
// of these.
type nodeScores struct {
	taxonomy, leafed *taxonomy.Taxonomy
	rows             [][]float64
	highest          []float64
	frequencies      [][]float64 // of the nodes among the instances trained on; of a fold the same slice
	truth            [][]int     // nodes and those above, ascending
}

func (h *nodeScores) add(m *classifier.Model, trained, d *dataset.Dataset) {
	u := unitOf(m, h.taxonomy, trained)
	frequencies := make([]float64, h.taxonomy.Len())
	for _, set := range trained.Labels {
		for _, n := range h.nodes(set) {
			frequencies[n] += 1 / float64(len(trained.Labels))
		}
	}
	scores := choiceScores(m, d.X)
	for i, set := range d.Labels {
		leaves := scores.RawRowView(i)
		nodes := make([]float64, h.leafed.Len())
		highestBelow(h.leafed, leaves, nodes)
		h.rows = append(h.rows, u.measure(nodes[:h.taxonomy.Len()]))
		h.highest = append(h.highest, u.of(slices.Max(leaves)))
		h.frequencies = append(h.frequencies, frequencies)
		h.truth = append(h.truth, h.nodes(set))
	}
}

// nodes returns the nodes of the taxonomy that the labels are and those above, ascending.
func (h *nodeScores) nodes(set []int) []int {
	closed := h.leafed.Closure(set)
	n, _ := slices.BinarySearch(closed, h.taxonomy.Len()) // the leaves that were added have the highest numbers
	return closed[:n]
}

// A unit is what the scores of a model are measured in: the mean of those of the nodes for instances
// that it was trained on, and their standard deviation.
type unit struct{ mean, deviation float64 }

// unitRows bounds the instances that the unit of a model is found by.
const unitRows = 1000

// unitOf returns the unit of a model, by instances of those that it was trained on.
func unitOf(m *classifier.Model, t *taxonomy.Taxonomy, trained *dataset.Dataset) unit {
	var rows []int
	for k := range min(unitRows, trained.Len()) {
		rows = append(rows, k*trained.Len()/min(unitRows, trained.Len()))
	}
	scores := choiceScores(m, trained.X.Subset(rows))
	nodes := make([]float64, m.Taxonomy.Len())
	var n, mean, square float64
	for k := range rows {
		highestBelow(m.Taxonomy, scores.RawRowView(k), nodes)
		for _, v := range nodes[:t.Len()] {
			n++
			step := v - mean
			mean += step / n
			square += step * (v - mean)
		}
	}
	u := unit{mean, math.Sqrt(square / n)}
	if !(u.deviation > 0) || math.IsInf(u.deviation, 1) {
		u.deviation = 1 // all scores are equal
	}
	return u
}

func (u unit) of(score float64) float64 { return (score - u.mean) / u.deviation }

// measure turns scores into units.
func (u unit) measure(scores []float64) []float64 {
	for n, v := range scores {
		scores[n] = u.of(v)
	}
	return scores
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

// heldInstances calls a function with the probabilities of the nodes for each instance by a model that was
// not trained on it, with the frequencies of the nodes among those that it was trained on, and with
// the nodes that are true, ascending.
type heldInstances func(do func(row, frequencies []float64, truth []int))

// learnLevel learns the level that has the largest F1, that F1, the one of the frequencies, and how
// sure their difference is.
func (m *NodeSetModel) learnLevel(each heldInstances) {
	var model, constant classifier.NodeLevel
	each(func(row, frequencies []float64, truth []int) {
		model.Add(m.Taxonomy, row, truth)
		constant.Add(m.Taxonomy, frequencies, truth)
	})
	var level float64
	m.Level, m.HeldOut = model.Best()
	level, m.Frequencies = constant.Best()
	// An F1 is 2 B / S, where B counts the nodes that are true and predicted, and S those that are
	// true and those that are predicted; to first order it depends on an instance by (2 b - F1 s) / S.
	var counts []setCounts
	var ofModel, ofConstant int
	each(func(row, frequencies []float64, truth []int) {
		c := setCounts{countSet(m.Taxonomy, row, m.Level, truth), countSet(m.Taxonomy, frequencies, level, truth)}
		counts = append(counts, c)
		ofModel += c.model.size
		ofConstant += c.constant.size
	})
	m.error = 0
	for _, c := range counts {
		d := (2*float64(c.model.both) - m.HeldOut*float64(c.model.size)) / float64(ofModel)
		d -= (2*float64(c.constant.both) - m.Frequencies*float64(c.constant.size)) / float64(ofConstant)
		m.error += d * d
	}
	m.error = math.Sqrt(m.error)
}

// setCounts are the counts of an instance for a model, and for what is predicted of all alike.
type setCounts struct{ model, constant setCount }

// setCount has the nodes that are true and predicted, and the sum of those that are true and those
// that are predicted.
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

// note says of a model that is not better than frequencies that it is not.
func (m *NodeSetModel) note(ctx context.Context) {
	const sure = 2 // standard errors
	if m.HeldOut-m.Frequencies > sure*m.error {
		return
	}
	progress.Note(ctx, fmt.Sprintf("%s: F1 %.4f of instances held out is not surely better than the %.4f that label frequencies alone reach, whatever the features say (the standard error of the difference is %.4f). Other features, more instances, another method or another C may help.",
		m.name(), m.HeldOut, m.Frequencies, m.error))
}

// probabilities turns the scores of the nodes, in units of the model, into probabilities, which never
// rise from a node to a child.
func (m *NodeSetModel) probabilities(row []float64, highest float64) {
	order := m.Taxonomy.Topological()
	for k := len(order) - 1; k >= 0; k-- {
		n := order[k]
		if m.likely != nil {
			row[n] = m.likely[n].Probability(row[n], highest)
		} else {
			row[n] = min(max(row[n], 0), 1)
		}
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
	if m.likely == nil {
		all := m.Model.NodeScores(x)
		for i := range x.Rows {
			m.probabilities(all.RawRowView(i), 0)
		}
		return all
	}
	leafed := m.Model.Taxonomy
	scores := choiceScores(m.Model, x)
	all := mat.NewDense(x.Rows, m.Taxonomy.Len(), nil)
	nodes := make([]float64, leafed.Len())
	for i := range x.Rows {
		leaves, row := scores.RawRowView(i), all.RawRowView(i)
		highestBelow(leafed, leaves, nodes)
		copy(row, nodes)
		m.probabilities(m.unit.measure(row), m.unit.of(slices.Max(leaves)))
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
	how := fmt.Sprintf("in %d folds", m.folds)
	if m.folds == 0 {
		how = "of each without it"
	}
	rows := []describe.Row{
		{Name: "predicted", Value: fmt.Sprintf("nodes with probabilities above %.3f", m.Level)},
		{Name: "held out", Value: fmt.Sprintf("F1 %.4f, %s", m.HeldOut, how)},
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
