package svm

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/describe"
	"github.com/hierml/notebook/hierml/internal/enum"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Calibration has the settings for learning probabilities. The data are split into folds, and each
// fold is scored by a model trained on the others. From these scores and the labels, Fit learns the
// probability of a label given its score. The zero value is ready to use.
type Calibration struct {
	// Folds is the number of folds, which is also the number of models trained in addition to the
	// one on all data. Instances of one group are in one fold. The default value is 5.
	Folds int
	// Form is the form of the probabilities as functions of the score. The default is Platt.
	Form CalibrationForm
	// Levels learns the probability of each node of a tree among its siblings, from the instances
	// of its parent alone. The score of a node is the highest score of the leaves below it. The
	// probability of a leaf is the product along its path. Nodes with few instances share one
	// function with the others of their depth. With Temperature there is one temperature per depth.
	Levels bool
	// Seed determines the folds.
	Seed uint64
}

// CalibrationForm is a form of probabilities as functions of scores.
type CalibrationForm int

const (
	// Platt is a sigmoid [calibration.Platt].
	Platt CalibrationForm = iota
	// Isotonic is any function that rises with the score [calibration.Isotonic]. It assumes no form
	// and needs many data.
	Isotonic
	// Beta corrects both ends of Platt's sigmoid [calibration.Beta].
	Beta
	// VennABERS is Isotonic with a correction for few data [calibration.VennABERS].
	VennABERS
	// Temperature is the softmax of the scores, divided by a number
	// [calibration.SoftmaxTemperature]. It is for data with one label per instance.
	Temperature
)

var calibrationForms = []string{"Platt", "Isotonic", "Beta", "VennABERS", "Temperature"}

// MarshalText returns the name of the constant.
func (f CalibrationForm) MarshalText() ([]byte, error) { return enum.Marshal(f, calibrationForms) }

// UnmarshalText takes the name of a constant.
func (f *CalibrationForm) UnmarshalText(text []byte) error {
	return enum.Unmarshal(f, calibrationForms, text)
}

// Calibrated is a model with probabilities.
type Calibrated struct {
	Model *classifier.Model // trained on all data

	learned Calibration // the settings, and the number of instances
	from    int

	single bool         // one label per instance
	leaves []calibrator // by leaf; nil with levels
	nodes  []calibrator // by node; nil if single, without levels
}

// calibrator is a function that package calibration learns.
type calibrator interface{ Probability(score float64) float64 }

// Calibrate learns probabilities with the default Calibration.
func Calibrate(ctx context.Context, e classifier.Estimator, d *dataset.Dataset) (*Calibrated, error) {
	return Calibration{}.Fit(ctx, e, d)
}

// maxScores bounds the number of scores to learn from, and maxShared the number that labels with
// few instances share. Further instances are left out.
const (
	maxScores = 1 << 27
	maxShared = 1 << 22
)

// Fit trains the models and learns the probabilities. Where every instance has one label, it learns
// from the margin of a leaf to the best other leaf, otherwise from its score. The scores are those
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
		return nil, fmt.Errorf("svm: %d folds of %d instances; set Folds to at least 2 and at most the number of instances", c.Folds, d.Len())
	}
	p := &Calibrated{learned: c, single: true}
	for _, set := range d.Labels {
		p.single = p.single && len(set) == 1
	}
	switch {
	case c.Form < 0 || int(c.Form) >= len(calibrationForms):
		return nil, fmt.Errorf("svm: unknown Form %d; use one from Platt to Temperature", c.Form)
	case c.Form == Temperature && !p.single:
		return nil, fmt.Errorf("svm: the form Temperature needs one label per instance, because it divides the scores of a softmax; use Platt or Beta for several labels")
	case c.Levels && !d.Taxonomy.IsTree():
		return nil, fmt.Errorf("svm: Levels needs a tree, because a node with several parents has several paths; do not set Levels")
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
		if err := held.add(m, d.Subset(rows[:min(len(rows), most)])); err != nil {
			return nil, err
		}
	}
	if err := p.learn(&held, d.Taxonomy); err != nil {
		return nil, err
	}
	p.from = len(held.scores)
	if p.Model, err = e.Fit(ctx, d); err != nil {
		return nil, fmt.Errorf("svm: calibration, all data: %w", err)
	}
	return p, nil
}

// OneLabel reports whether every training instance had one label. Then the probabilities of the
// leaves sum to 1.
func (p *Calibrated) OneLabel() bool { return p.single }

// description says how the probabilities were learned.
func (p *Calibrated) description() []describe.Row {
	form := []string{"Platt's sigmoids", "isotonic", "beta", "Venn-ABERS", "softmax of one temperature"}[p.learned.Form]
	if p.learned.Levels {
		form += ", by level"
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
		return fmt.Errorf("svm: the model %s predicts inner nodes, and only leaves have probabilities; use an estimator that predicts leaves", m.Name)
	}
	return nil
}

// folds splits the rows as Dataset.Folds does. Within a fold their order is random.
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

// choiceScores returns the choice scores of the model, made finite.
func choiceScores(m *classifier.Model, x *dataset.Matrix) *mat.Dense {
	return finite(m.ChoiceScores(x))
}

// finite gives leaves with probability 0 the lowest score of the others, because functions are
// learned from finite scores.
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

// LeafProbabilities returns the probability that each leaf is a label: one row per row of x, one
// column per leaf in the order of Taxonomy.Leaves. It is 0 for leaves without training instances.
// Where the training data have one label per instance, each row sums to 1.
func (p *Calibrated) LeafProbabilities(x *dataset.Matrix) *mat.Dense {
	return p.probabilities(choiceScores(p.Model, x))
}

// oneOf turns the scores of labels, exactly one of which is true, into probabilities that sum to 1.
// Unseen labels have probability 0. If all are unseen, all are 0.
func (c Calibration) oneOf(row []float64, of []calibrator, unseen []bool) {
	c.prepare(row)
	var sum float64
	best := -1
	for y, s := range row {
		if unseen[y] {
			row[y] = 0
			continue
		}
		if best < 0 || s > row[best] {
			best = y
		}
	}
	if best < 0 {
		return
	}
	for y, s := range row {
		if !unseen[y] {
			row[y] = of[y].Probability(s)
			sum += row[y]
		}
	}
	if !(sum > 0) {
		row[best], sum = 1, 1 // none is possible: the prediction gets all
	}
	for y := range row {
		row[y] /= sum
	}
}

// prepare turns the scores of labels, exactly one of which is true, into the inputs of the
// functions.
func (c Calibration) prepare(row []float64) {
	if c.Form != Temperature {
		margins(row)
		return
	}
	floats.AddConst(-floats.Max(row), row)
}

// leafProbabilities turns the finite scores of the leaves into probabilities, given which of them
// are unseen.
func (p *Calibrated) leafProbabilities(row []float64, unseen []bool) {
	t := p.Model.Taxonomy
	if p.learned.Levels {
		nodes := make([]float64, t.Len())
		p.byLevel(row, nodes)
		for y, n := range t.Leaves() {
			row[y] = nodes[n]
		}
		return
	}
	if p.single {
		p.learned.oneOf(row, p.leaves, unseen)
		return
	}
	for y, s := range row {
		row[y] = 0
		if !unseen[y] {
			row[y] = p.leaves[y].Probability(s)
		}
	}
}

// unseen reports which of the nodes have no training instance.
func (p *Calibrated) unseen(nodes []int) []bool {
	unseen := make([]bool, len(nodes))
	for k, n := range nodes {
		unseen[k] = p.Model.Unseen(n)
	}
	return unseen
}

// byLevel writes the probabilities of the nodes, given the finite scores of the leaves. From the
// roots down, each is the probability of the parent times that among the siblings.
func (p *Calibrated) byLevel(leaves, nodes []float64) {
	t := p.Model.Taxonomy
	highestBelow(t, leaves, nodes)
	below := func(above float64, siblings []int) {
		row, of := make([]float64, len(siblings)), make([]calibrator, len(siblings))
		for k, n := range siblings {
			row[k], of[k] = nodes[n], p.nodes[n]
		}
		unseen := p.unseen(siblings)
		if p.single {
			p.learned.oneOf(row, of, unseen)
		}
		for k, n := range siblings {
			switch {
			case unseen[k]:
				nodes[n] = 0
			case p.single:
				nodes[n] = above * row[k]
			default:
				nodes[n] = above * of[k].Probability(row[k])
			}
		}
	}
	below(1, t.Roots())
	for _, n := range t.Topological() {
		if !t.IsLeaf(n) {
			below(nodes[n], t.Children(n))
		}
	}
}

// NodeProbabilities returns the probability that a label is at or below each node: one row per row
// of x, one column per node. A child is never more probable than its parent. Where the training
// data have one label per instance, it is the sum over the leaves below.
func (p *Calibrated) NodeProbabilities(x *dataset.Matrix) *mat.Dense {
	if x.Len() == 0 {
		return new(mat.Dense)
	}
	t := p.Model.Taxonomy
	scores := choiceScores(p.Model, x)
	nodes, unseen := mat.NewDense(x.Rows, t.Len(), nil), p.unseen(t.Leaves())
	for i := range x.Rows {
		row, dst := scores.RawRowView(i), nodes.RawRowView(i)
		switch {
		case p.learned.Levels:
			p.byLevel(row, dst)
			continue
		case p.single:
			p.leafProbabilities(row, unseen)
			for y, v := range row {
				for _, n := range t.Ancestors(t.Leaves()[y]) {
					dst[n] += v
				}
			}
			continue
		}
		highestBelow(t, row, dst)
		for _, n := range slices.Backward(t.Topological()) {
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
