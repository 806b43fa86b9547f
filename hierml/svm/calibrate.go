package svm

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/calibration"
	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/describe"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Calibration says how probabilities are learned: the data are divided into folds, each is scored
// by a model trained on the others, and from these scores and the labels it is learned how likely
// a label is given its score. The zero value is ready to use.
type Calibration struct {
	// Folds is the number of folds, and of models trained beside the one on all data. Instances of
	// one group are in one fold. The default value is 5.
	Folds int
	// Isotonic fits probabilities that only rise with the score, instead of Platt's sigmoids: for
	// many data, whose form it does not assume.
	Isotonic bool
	// Seed determines the folds.
	Seed uint64
}

// Calibrated is a model with probabilities.
type Calibrated struct {
	Model *classifier.Model // trained on all data

	learned Calibration // how, and from how many instances
	from    int

	single bool         // one label an instance
	leaves []calibrator // by leaf
	nodes  []calibrator // by node; nil if single
}

// calibrator is what calibration.Platt and calibration.Isotonic learn.
type calibrator interface{ Probability(score float64) float64 }

// Calibrate learns probabilities with the default Calibration.
func Calibrate(ctx context.Context, e classifier.Estimator, d *dataset.Dataset) (*Calibrated, error) {
	return Calibration{}.Fit(ctx, e, d)
}

// maxScores bounds the scores that are held to learn from, and maxShared those that labels with
// few instances share; instances are left out beyond.
const (
	maxScores = 1 << 27
	maxShared = 1 << 22
)

// Fit trains the models and learns the probabilities. Where every instance has one label, the
// score of a leaf is its margin to the best other leaf; otherwise its score; the scores are those
// of Model.Rank. Leaves with few instances share one function of the score.
func (c Calibration) Fit(ctx context.Context, e classifier.Estimator, d *dataset.Dataset) (_ *Calibrated, err error) {
	if e == nil || d == nil || d.Taxonomy == nil || d.X == nil {
		return nil, fmt.Errorf("svm: calibration needs an estimator and a dataset with instances and their taxonomy")
	}
	if d, err = d.Weighted(); err != nil {
		return nil, withPackage(err)
	}
	if c.Folds == 0 {
		c.Folds = 5
	}
	if c.Folds < 2 || c.Folds > d.Len() {
		return nil, fmt.Errorf("svm: %d folds of %d instances; give 2 at least and as many instances", c.Folds, d.Len())
	}
	p := &Calibrated{learned: c, single: true}
	for _, set := range d.Labels {
		p.single = p.single && len(set) == 1
	}
	ctx, ended := solver.TrainingGroup(ctx, "")
	defer func() { ended(err) }()
	parts, err := folds(d, c.Folds, c.Seed)
	if err != nil {
		return nil, fmt.Errorf("svm: calibration: %w", err)
	}
	held := heldOut{}
	for k, rows := range parts {
		others := slices.Concat(slices.Concat(parts[:k]...), slices.Concat(parts[k+1:]...))
		m, err := e.Fit(progress.WithoutNotes(ctx), d.Subset(others))
		if err != nil {
			return nil, fmt.Errorf("svm: calibration, fold %d: %w", k+1, err)
		}
		if err := checkCalibration(m, d.Taxonomy); err != nil {
			return nil, err
		}
		most := max(1, maxScores/len(d.Taxonomy.Leaves())/c.Folds)
		p.Model = m
		if err := held.add(p, d.Subset(rows[:min(len(rows), most)])); err != nil {
			return nil, err
		}
	}
	if p.leaves, err = c.learn(held.leaves, held.relevant, held.weights); err != nil {
		return nil, err
	}
	if !p.single {
		if p.nodes, err = c.learn(held.nodes, held.above, held.weights); err != nil {
			return nil, err
		}
	}
	p.from = len(held.leaves)
	if p.Model, err = e.Fit(ctx, d); err != nil {
		return nil, fmt.Errorf("svm: calibration, all data: %w", err)
	}
	return p, nil
}

// OneLabel reports whether every instance that was learned from had one label: then the
// probabilities of the leaves are those of the one label, and sum to 1.
func (p *Calibrated) OneLabel() bool { return p.single }

// description says how the probabilities were learned.
func (p *Calibrated) description() []describe.Row {
	form := "Platt's sigmoids"
	if p.learned.Isotonic {
		form = "isotonic"
	}
	return []describe.Row{
		{Name: "probabilities", Value: form},
		{Name: "learned from", Value: fmt.Sprintf("%d instances, each scored without it in %d folds", p.from, p.learned.Folds)},
	}
}

// String describes the probabilities and the model in a few lines.
func (p *Calibrated) String() string {
	return describe.Text(p.Model.Name+" with probabilities", p.description()) + "\n" + p.Model.String()
}

// HTML describes the probabilities and the model as tables.
func (p *Calibrated) HTML() string {
	return describe.HTML(p.Model.Name+" with probabilities", p.description()) + p.Model.HTML()
}

func checkCalibration(m *classifier.Model, t *taxonomy.Taxonomy) error {
	if m.Rule != classifier.Descend && len(m.Attributes().Candidates()) != len(t.Leaves()) {
		return fmt.Errorf("svm: a %s chooses from other nodes than the leaves, and only these have probabilities", m.Name)
	}
	return nil
}

// folds divides the rows as Dataset.Folds does. Within a part their order is random.
func folds(d *dataset.Dataset, n int, seed uint64) ([][]int, error) {
	divisions, err := d.Folds(n, seed)
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	parts := make([][]int, n)
	for k, by := range divisions {
		parts[k] = by.Test
		rng.Shuffle(len(by.Test), func(a, b int) { by.Test[a], by.Test[b] = by.Test[b], by.Test[a] })
	}
	return parts, nil
}

// heldOut are scores of instances by models that were not trained on them, with the positions of
// what is true of each.
type heldOut struct {
	leaves, nodes   [][]float64
	relevant, above [][]int
	weights         []float64
}

func (h *heldOut) add(p *Calibrated, d *dataset.Dataset) error {
	t := p.Model.Taxonomy
	relevant := make([][]int, d.Len())
	for i, set := range d.Labels {
		for _, n := range set {
			if !t.IsLeaf(n) {
				return fmt.Errorf("svm: row %d of a fold of dataset %q is labelled with the inner node %q, and only leaves have probabilities; Dataset.Leafed moves such labels to leaves", i, d.Name, t.Name(n))
			}
			relevant[i] = append(relevant[i], t.LeafIndex(n))
		}
	}
	scores := choiceScores(p.Model, d.X)
	for i := range d.Len() {
		row := scores.RawRowView(i)
		if p.single {
			margins(row)
		} else {
			nodes := make([]float64, t.Len())
			highestBelow(t, row, nodes)
			h.nodes = append(h.nodes, nodes)
			h.above = append(h.above, t.Closure(d.Labels[i]))
		}
		h.leaves, h.weights = append(h.leaves, row), append(h.weights, d.Weight(i))
	}
	h.relevant = append(h.relevant, relevant...)
	return nil
}

// choiceScores returns those of the model, where they are finite.
func choiceScores(m *classifier.Model, x *dataset.Matrix) *mat.Dense {
	return finite(m.ChoiceScores(x))
}

// finite gives leaves that have probability 0 the lowest score of the others: functions are learned
// of finite ones.
func finite(scores *mat.Dense) *mat.Dense {
	rows, _ := scores.Dims()
	for i := range rows {
		row := scores.RawRowView(i)
		if !slices.ContainsFunc(row, func(s float64) bool { return math.IsInf(s, -1) }) {
			continue
		}
		least := math.Inf(1)
		for _, s := range row {
			if !math.IsInf(s, -1) {
				least = min(least, s)
			}
		}
		for y, s := range row {
			if math.IsInf(s, -1) {
				row[y] = least
			}
		}
	}
	return scores
}

// margins turns scores into differences to the highest of the others.
func margins(scores []float64) {
	first, second := -1, -1
	for y, s := range scores {
		switch {
		case first < 0 || s > scores[first]:
			first, second = y, first
		case second < 0 || s > scores[second]:
			second = y
		}
	}
	if second < 0 {
		return // there is no other
	}
	high, low := scores[first], scores[second]
	for y := range scores {
		if y == first {
			scores[y] -= low
		} else {
			scores[y] -= high
		}
	}
}

// highestBelow writes, for every node, the highest score of the leaves below.
func highestBelow(t *taxonomy.Taxonomy, leaves, nodes []float64) {
	order := t.Topological()
	for k := len(order) - 1; k >= 0; k-- {
		n := order[k]
		if t.IsLeaf(n) {
			nodes[n] = leaves[t.LeafIndex(n)]
			continue
		}
		nodes[n] = nodes[t.Children(n)[0]]
		for _, child := range t.Children(n)[1:] {
			nodes[n] = max(nodes[n], nodes[child])
		}
	}
}

// learn returns a function for every column of scores, one for all with fewer than a number of
// positives.
func (c Calibration) learn(scores [][]float64, relevant [][]int, weights []float64) ([]calibrator, error) {
	fit := func(scores []float64, positive []bool, weights []float64) (calibrator, error) {
		return calibration.Platt(scores, positive, weights...)
	}
	enough := 10
	if c.Isotonic {
		fit = func(scores []float64, positive []bool, weights []float64) (calibrator, error) {
			return calibration.Isotonic(scores, positive, weights...)
		}
		enough = 50
	}
	columns := len(scores[0])
	rows := make([][]int, columns) // positives
	for i, set := range relevant {
		for _, y := range set {
			rows[y] = append(rows[y], i)
		}
	}
	learned := make([]calibrator, columns)
	column, positive := make([]float64, len(scores)), make([]bool, len(scores))
	var few []int
	for y := range columns {
		if len(rows[y]) < enough {
			few = append(few, y)
			continue
		}
		clear(positive)
		for _, i := range rows[y] {
			positive[i] = true
		}
		for i := range scores {
			column[i] = scores[i][y]
		}
		var err error
		if learned[y], err = fit(column, positive, weights); err != nil {
			return nil, err
		}
	}
	if len(few) == 0 {
		return learned, nil
	}
	column, positive = nil, nil
	var shares []float64
	step := 1 + len(scores)*len(few)/maxShared
	for i := 0; i < len(scores); i += step {
		for _, y := range few {
			column, shares = append(column, scores[i][y]), append(shares, weights[i])
			yes := false
			for _, r := range relevant[i] {
				yes = yes || r == y
			}
			positive = append(positive, yes)
		}
	}
	shared, err := fit(column, positive, shares)
	if err != nil {
		return nil, err
	}
	for _, y := range few {
		learned[y] = shared
	}
	return learned, nil
}

// LeafProbabilities returns the probability that a leaf is a label: a row of x a row, a column a
// leaf in the order of Taxonomy.Leaves. It is 0 of leaves that no training instance has. Where the
// training data have one label an instance, those of a row add up to one.
func (p *Calibrated) LeafProbabilities(x *dataset.Matrix) *mat.Dense {
	return p.probabilities(choiceScores(p.Model, x))
}

// probability returns that of the y-th leaf by itself, 0 of one that no instance has.
func (p *Calibrated) probability(y int, score float64) float64 {
	if p.Model.Unseen(p.Model.Taxonomy.Leaves()[y]) {
		return 0
	}
	return p.leaves[y].Probability(score)
}

// leafProbabilities turns the scores of the leaves into probabilities.
func (p *Calibrated) leafProbabilities(row []float64) {
	if !p.single {
		for y, s := range row {
			row[y] = p.probability(y, s)
		}
		return
	}
	margins(row)
	var sum float64
	best := -1
	for y, s := range row {
		if (best < 0 || s > row[best]) && !p.Model.Unseen(p.Model.Taxonomy.Leaves()[y]) {
			best = y
		}
	}
	for y, s := range row {
		row[y] = p.probability(y, s)
		sum += row[y]
	}
	if !(sum > 0) {
		row[best], sum = 1, 1 // none is possible: the likeliest is what is predicted
	}
	for y := range row {
		row[y] /= sum
	}
}

// NodeProbabilities returns the probability that a label is at or below a node: a row of x a row,
// a column a node. It never rises from a node to a child. Where the training data have one label
// an instance, it is the sum over the leaves below.
func (p *Calibrated) NodeProbabilities(x *dataset.Matrix) *mat.Dense {
	if x.Len() == 0 {
		return new(mat.Dense)
	}
	t := p.Model.Taxonomy
	scores := choiceScores(p.Model, x)
	nodes := mat.NewDense(x.Rows, t.Len(), nil)
	for i := range x.Rows {
		row, dst := scores.RawRowView(i), nodes.RawRowView(i)
		if p.single {
			p.leafProbabilities(row)
			for y, v := range row {
				for _, n := range t.Ancestors(t.Leaves()[y]) {
					dst[n] += v
				}
			}
			continue
		}
		highestBelow(t, row, dst)
		order := t.Topological()
		for k := len(order) - 1; k >= 0; k-- {
			n := order[k]
			if p.Model.Unseen(n) {
				dst[n] = 0
				continue
			}
			dst[n] = p.nodes[n].Probability(dst[n])
			for _, child := range t.Children(n) {
				dst[n] = max(dst[n], dst[child])
			}
		}
	}
	return nodes
}
