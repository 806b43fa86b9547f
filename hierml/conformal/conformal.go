// Package conformal predicts sets of labels that contain the true one with a chosen probability,
// for any model and any distribution of the data, by split conformal prediction [VGS05]:
//
//	train, held := data.Split(0.2, 1)
//	model, err := svm.Calibrate(ctx, svm.Flat{}, train)
//	sets, err := conformal.Settings{Coverage: 0.9, Nodes: 1}.Learn(ctx, model, held)
//	answers, err := sets.Predict(ctx, test.X)
//
// In a hierarchy a set is more useful if it has a name: with Nodes it consists of all leaves below
// one node, or below a few [MJSHW26].
//
// The guarantee: for an instance drawn like the held-out ones, independently or at least
// exchangeably, the set contains the label with a probability of at least Coverage, over the draws
// of the held-out instances and of the new one. The model must not have seen the held-out
// instances. The guarantee does not hold for each class, unless ByClass is set, nor for data from
// another time or place: for the later part of ng15, sets with a coverage of 0.9 contain the label
// of 82 % of the instances.
//
// Predictor.MarshalJSON saves a predictor without the model, and Read reads it.
package conformal

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/guarded"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Settings determine the predicted sets. The zero value is ready to use.
type Settings struct {
	// Coverage is the probability that a set contains the true label, above 0 and below 1. The
	// default is 0.9.
	Coverage float64
	// Nodes is the maximum number of nodes whose leaves form a set. The default, 0, means a set of
	// any leaves, as small as the probabilities allow; 1 means all leaves below one node.
	Nodes int
	// ByClass gives the guarantee for each class: a leaf with enough held-out instances has its own
	// threshold (Mondrian conformal prediction [VGS05]). Leaves with too few share one with others
	// below the nearest node that has enough, and the guarantee holds for them together. Leaves
	// without such a node use the threshold of all instances and have no separate guarantee.
	// Combined with Nodes, sets are much larger than necessary: one leaf with a high threshold adds
	// everything below its parent.
	ByClass bool
	// Most is the maximum number of leaves of an answer: a larger set is marked Rejected, as is one
	// of all leaves. The default, 0, is no bound.
	Most int
}

// Set is the prediction for one instance.
type Set struct {
	// Nodes has the leaves below them as labels: ascending, none above another. Where
	// Settings.Nodes is 0 they are leaves.
	Nodes []int
	// Leaves are the labels, ascending, at least one.
	Leaves []int
	// Probability is the sum of the model's probabilities of the leaves. It is the model's belief;
	// the coverage is the guarantee.
	Probability float64
	// Rejected means that the set is too large to be an answer: it has all leaves, if there is more
	// than one, or more than Settings.Most.
	Rejected bool
}

// Predictor predicts sets. It is safe for concurrent use.
type Predictor struct {
	Model    metric.Prober
	Taxonomy *taxonomy.Taxonomy

	settings Settings
	held     int
	groups   []group
	of       []int   // the group of each leaf
	below    [][]int // the leaves below each node, by position in Taxonomy.Leaves
}

// group has the leaves of one threshold.
type group struct {
	node      int // that the leaves are below, or a leaf itself; -1 for all instances
	held      int // instances
	threshold float64
}

// Learn learns the thresholds from instances that the model was not trained on, each with one leaf
// as its label. There must be enough: n instances (per class with ByClass) allow a coverage of at
// most n/(n+1).
func (s Settings) Learn(ctx context.Context, model metric.Prober, held *dataset.Dataset) (*Predictor, error) {
	if none(model) {
		return nil, fmt.Errorf("conformal: the model is nil")
	}
	labels, err := single(held)
	if err != nil {
		return nil, err
	}
	p := &Predictor{Model: model}
	rows, err := p.probabilities(ctx, held.X)
	if err != nil {
		return nil, err
	}
	learned, err := s.LearnProbabilities(ctx, held.Taxonomy, rows, labels)
	if err != nil {
		return nil, err
	}
	learned.Model = model
	return learned, nil
}

// none reports whether there is no model, or a nil pointer to one.
func none(model metric.Prober) bool {
	v := reflect.ValueOf(model)
	return model == nil || v.Kind() == reflect.Pointer && v.IsNil()
}

// single returns the labels of instances with one each and no weights.
func single(d *dataset.Dataset) ([]int, error) {
	if d == nil || d.X == nil || d.Taxonomy == nil {
		return nil, fmt.Errorf("conformal: Learn needs held-out instances with their taxonomy")
	}
	if err := classifier.CheckUnweighted(d, "conformal prediction", "its held-out instances stand for new ones, which all count the same"); err != nil {
		return nil, fmt.Errorf("conformal: %w", err)
	}
	labels := make([]int, d.Len())
	for i, set := range d.Labels {
		if len(set) != 1 {
			return nil, fmt.Errorf("conformal: row %d has %d labels; conformal sets need one label per instance (svm.NodeSets and svm.Calibrated predict several)", i, len(set))
		}
		labels[i] = set[0]
	}
	return labels, nil
}

// LearnProbabilities learns from the probabilities of the leaves for held-out instances, one row
// per instance and one column per leaf in the order of t.Leaves, and their labels, which are nodes.
// The predictor has no Model; use PredictProbabilities.
func (s Settings) LearnProbabilities(ctx context.Context, t *taxonomy.Taxonomy, probabilities *mat.Dense, labels []int) (*Predictor, error) {
	s, err := s.checked()
	if err != nil {
		return nil, err
	}
	if t == nil {
		return nil, taxonomy.ErrNone
	}
	p := newPredictor(t, s, len(labels))
	if err := p.check(probabilities, len(labels)); err != nil {
		return nil, err
	}
	truth := make([]int, len(labels))
	for i, n := range labels {
		if n < 0 || n >= t.Len() || !t.IsLeaf(n) {
			return nil, fmt.Errorf("conformal: row %d has label %d, which is no leaf; Dataset.Leafed moves labels of inner nodes to leaves", i, n)
		}
		truth[i] = t.LeafIndex(n)
	}
	if needed := s.needed(); len(labels) < needed {
		return nil, fmt.Errorf("conformal: %d held-out instances are too few for a coverage of %v; hold out %d at least", len(labels), s.Coverage, needed)
	}
	scores := make([]float64, len(labels))
	err = p.each(ctx, probabilities, func(i int, row []float64) {
		scores[i] = p.grow(row).before[truth[i]]
	})
	if err != nil {
		return nil, err
	}
	if s.ByClass {
		p.divide(scores, truth)
	} else {
		p.groups = []group{s.group(-1, scores)}
	}
	return p, nil
}

// checked returns the settings with their default, or what is wrong with them.
func (s Settings) checked() (Settings, error) {
	if s.Coverage == 0 {
		s.Coverage = 0.9
	}
	if !(s.Coverage > 0 && s.Coverage < 1) {
		return s, fmt.Errorf("conformal: Coverage is %v; it must be above 0 and below 1", s.Coverage)
	}
	if s.Nodes < 0 || s.Most < 0 {
		return s, fmt.Errorf("conformal: Nodes is %d and Most is %d; neither may be negative", s.Nodes, s.Most)
	}
	return s, nil
}

// newPredictor returns a predictor without thresholds.
func newPredictor(t *taxonomy.Taxonomy, s Settings, held int) *Predictor {
	p := &Predictor{Taxonomy: t, settings: s, held: held, of: make([]int, len(t.Leaves())), below: make([][]int, t.Len())}
	for y, leaf := range t.Leaves() {
		for _, n := range t.Ancestors(leaf) {
			p.below[n] = append(p.below[n], y)
		}
	}
	return p
}

// needed is the smallest number of held-out instances with which a set need not have all leaves.
func (s Settings) needed() int {
	n := int(s.Coverage / (1 - s.Coverage))
	for s.rank(n) > n {
		n++
	}
	return n
}

// rank is which of n scores, from the smallest, is the threshold.
func (s Settings) rank(n int) int { return max(1, int(math.Ceil(float64(n+1)*s.Coverage-1e-9))) }

// group returns the group of a node with its scores, which it sorts.
func (s Settings) group(node int, scores []float64) group {
	slices.Sort(scores)
	return group{node: node, held: len(scores), threshold: scores[s.rank(len(scores))-1]}
}

// divide builds the groups of leaves: from the bottom up, a node gets a group if enough instances
// belong to its leaves without a group.
func (p *Predictor) divide(scores []float64, truth []int) {
	t, needed := p.Taxonomy, p.settings.needed()
	held := make([][]float64, t.Len()) // of leaves without a group, at or below a node
	leaves := make([][]int, t.Len())
	for y, leaf := range t.Leaves() {
		leaves[leaf] = []int{y}
	}
	p.groups = []group{p.settings.group(-1, slices.Clone(scores))}
	for i, y := range truth {
		leaf := t.Leaves()[y]
		held[leaf] = append(held[leaf], scores[i])
	}
	for _, n := range slices.Backward(t.Topological()) {
		above := t.Parents(n)
		switch {
		case len(held[n]) >= needed:
			for _, y := range leaves[n] {
				p.of[y] = len(p.groups)
			}
			p.groups = append(p.groups, p.settings.group(n, held[n]))
		case len(above) > 0: // of several parents the first
			held[above[0]] = append(held[above[0]], held[n]...)
			leaves[above[0]] = append(leaves[above[0]], leaves[n]...)
		}
	}
}

// growth describes how a set grows from the most probable leaf to all, in steps that each add
// leaves.
type growth struct {
	before []float64 // by leaf: the probability of the set before the step that adds it
	step   []int     // by leaf
	nodes  [][]int   // by step, where sets are of nodes
}

// grow grows the set of a row of probabilities. The score of a label is the probability of the set
// before the label is added, so the set of a threshold is the smallest with a probability above it.
func (p *Predictor) grow(row []float64) growth {
	g := growth{before: make([]float64, len(row)), step: make([]int, len(row))}
	if p.settings.Nodes == 0 {
		sum := 0.0
		for step, y := range likeliest(row) {
			g.before[y], g.step[y] = sum, step
			sum += row[y]
		}
		return g
	}
	p.growNodes(row, &g)
	return g
}

// likeliest returns the leaves, the likeliest first, of equal ones the first.
func likeliest(row []float64) []int {
	order := make([]int, len(row))
	for y := range order {
		order[y] = y
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(row[b], row[a]) })
	return order
}

// growNodes adds the most probable leaf while there is room for a node. Then it adds the parent of
// a node, with all its leaves, that adds the most probability per leaf. If the nodes have no
// parents but other leaves remain, it adds all.
func (p *Predictor) growNodes(row []float64, g *growth) {
	t := p.Taxonomy
	in := make([]bool, len(row))
	var nodes []int
	left, sum := len(row), 0.0
	order := likeliest(row)
	add := func(ys []int) {
		before := sum
		for _, y := range ys {
			if !in[y] {
				in[y], g.before[y], g.step[y] = true, before, len(g.nodes)
				sum += row[y]
				left--
			}
		}
		g.nodes = append(g.nodes, slices.Clone(nodes))
	}
	for left > 0 {
		if len(nodes) < p.settings.Nodes {
			at := slices.IndexFunc(order, func(y int) bool { return !in[y] })
			order = order[at:]
			nodes = insert(nodes, t.Leaves()[order[0]])
			add(order[:1])
			continue
		}
		best, most, least := -1, 0.0, 0
		for _, n := range nodes {
			for _, above := range t.Parents(n) {
				gain, more := 0.0, 0
				for _, y := range p.below[above] {
					if !in[y] {
						gain += row[y]
						more++
					}
				}
				if more == 0 { // an only child: the same set
					best, least = above, 0
					break
				}
				if mean := gain / float64(more); best < 0 || mean > most || mean == most && more < least {
					best, most, least = above, mean, more
				}
			}
			if best >= 0 && least == 0 {
				break
			}
		}
		if best < 0 { // all nodes are roots
			nodes = slices.Clone(t.Roots())
			add(order)
			break
		}
		nodes = insert(slices.DeleteFunc(nodes, func(n int) bool { return slices.Contains(t.Ancestors(n), best) }), best)
		if least == 0 {
			g.nodes[len(g.nodes)-1] = slices.Clone(nodes)
			continue
		}
		add(p.below[best])
	}
}

// insert returns ascending nodes with one more.
func insert(nodes []int, n int) []int {
	at, _ := slices.BinarySearch(nodes, n)
	return slices.Insert(nodes, at, n)
}

// Predict returns the set of every row of x.
func (p *Predictor) Predict(ctx context.Context, x *dataset.Matrix) ([]Set, error) {
	if p.Model == nil {
		return nil, fmt.Errorf("conformal: the predictor was learned from probabilities and has no model; use PredictProbabilities")
	}
	rows, err := p.probabilities(ctx, x)
	if err != nil {
		return nil, err
	}
	return p.PredictProbabilities(ctx, rows)
}

// PredictProbabilities returns the set of every row of probabilities of the leaves, in the form of
// LearnProbabilities.
func (p *Predictor) PredictProbabilities(ctx context.Context, probabilities *mat.Dense) ([]Set, error) {
	if probabilities == nil {
		return nil, fmt.Errorf("conformal: the probabilities are nil")
	}
	rows, _ := probabilities.Dims()
	if err := p.check(probabilities, rows); err != nil {
		return nil, err
	}
	sets := make([]Set, rows)
	return sets, p.each(ctx, probabilities, func(i int, row []float64) { sets[i] = p.set(row) })
}

// set returns the set of a row.
func (p *Predictor) set(row []float64) Set {
	t, g := p.Taxonomy, p.grow(row)
	in := func(y int) bool {
		return g.step[y] == 0 || g.before[y] <= p.groups[p.of[y]].threshold
	}
	last := 0 // step
	for y := range row {
		if in(y) {
			last = max(last, g.step[y])
		}
	}
	s := Set{}
	for y, leaf := range t.Leaves() {
		if p.settings.Nodes == 0 && !in(y) || g.step[y] > last {
			continue
		}
		s.Leaves = append(s.Leaves, leaf)
		s.Probability += row[y]
	}
	if s.Nodes = slices.Clone(s.Leaves); p.settings.Nodes > 0 {
		s.Nodes = g.nodes[last]
	}
	all := len(s.Leaves) == len(row) && len(row) > 1
	s.Rejected = all || p.settings.Most > 0 && len(s.Leaves) > p.settings.Most
	return s
}

// each calls do for every row, several at a time, until ctx ends.
func (p *Predictor) each(ctx context.Context, m *mat.Dense, do func(i int, row []float64)) error {
	rows, _ := m.Dims()
	guarded.Chunks(rows, guarded.Workers(0), func(_, lo, hi int) {
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			do(i, m.RawRowView(i))
		}
	})
	return context.Cause(ctx)
}

// probabilities returns those of the model.
func (p *Predictor) probabilities(ctx context.Context, x *dataset.Matrix) (*mat.Dense, error) {
	if x == nil {
		return nil, fmt.Errorf("conformal: the matrix to predict for is nil")
	}
	if c, ok := p.Model.(interface{ Check(*dataset.Matrix) error }); ok {
		if err := c.Check(x); err != nil {
			return nil, err
		}
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	rows := p.Model.Probabilities(x, metric.ScoresOf(p.Model, x))
	if rows == nil {
		return nil, fmt.Errorf("conformal: the model has scores and no probabilities; learn them with svm.Calibrate")
	}
	return rows, nil
}

// check returns an error for the first thing wrong with probabilities.
func (p *Predictor) check(m *mat.Dense, rows int) error {
	if m == nil {
		return fmt.Errorf("conformal: there are no probabilities")
	}
	if rows == 0 && m.IsEmpty() {
		return nil
	}
	leaves := p.Taxonomy.Leaves()
	if n, q := m.Dims(); n != rows || q != len(leaves) {
		return fmt.Errorf("conformal: probabilities are %d x %d; expected one row for each of %d instances and one column for each of %d leaves", n, q, rows, len(leaves))
	}
	for i := range rows {
		for y, v := range m.RawRowView(i) {
			if !(v >= 0 && v <= 1+1e-9) {
				return fmt.Errorf("conformal: row %d, leaf %q: probability %v; probabilities must be from 0 to 1", i, p.Taxonomy.Name(leaves[y]), v)
			}
		}
	}
	return nil
}
