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

// Calibration says how probabilities are learned: the data are divided into folds, each is scored
// by a model trained on the others, and from these scores and the labels it is learned how likely
// a label is given its score. The zero value is ready to use.
type Calibration struct {
	// Folds is the number of folds, and of models trained beside the one on all data. Instances of
	// one group are in one fold. The default value is 5.
	Folds int
	// Form is that of the probabilities as functions of the score. The default is Platt.
	Form CalibrationForm
	// Levels learns at each node of a tree, from the instances of its parent alone, how likely it
	// is among its siblings, given the highest scores of the leaves below each. The probability of
	// a leaf is the product along its path. Nodes with few instances share one function with those
	// of their depth; a temperature is that of a depth.
	Levels bool
	// Seed determines the folds.
	Seed uint64
}

// CalibrationForm is a form of probabilities as functions of scores.
type CalibrationForm int

const (
	// Platt is a sigmoid [calibration.Platt].
	Platt CalibrationForm = iota
	// Isotonic only rises with the score [calibration.Isotonic]: for many data, whose form it does
	// not assume.
	Isotonic
	// Beta corrects both ends of Platt's sigmoid [calibration.Beta].
	Beta
	// VennABERS is Isotonic that heeds how few the data are [calibration.VennABERS].
	VennABERS
	// Temperature is the softmax of the scores, divided by a number
	// [calibration.SoftmaxTemperature]: for data with one label an instance.
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

	learned Calibration // how, and from how many instances
	from    int

	single bool         // one label an instance
	leaves []calibrator // by leaf; nil with levels
	nodes  []calibrator // by node; nil if single, without levels
}

// calibrator is what package calibration learns.
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
	switch {
	case c.Form < 0 || int(c.Form) >= len(calibrationForms):
		return nil, fmt.Errorf("svm: there is no form %d of probabilities; take one from Platt to Temperature", c.Form)
	case c.Form == Temperature && !p.single:
		return nil, fmt.Errorf("svm: a temperature needs one label an instance, as it divides the scores of a softmax; take the form Platt or Beta for several")
	case c.Levels && !d.Taxonomy.IsTree():
		return nil, fmt.Errorf("svm: probabilities by level need a tree, as a node of several parents has several paths; leave Levels out")
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

// OneLabel reports whether every instance that was learned from had one label: then the
// probabilities of the leaves are those of the one label, and sum to 1.
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

// LeafProbabilities returns the probability that a leaf is a label: a row of x a row, a column a
// leaf in the order of Taxonomy.Leaves. It is 0 of leaves that no training instance has. Where the
// training data have one label an instance, those of a row add up to one.
func (p *Calibrated) LeafProbabilities(x *dataset.Matrix) *mat.Dense {
	return p.probabilities(choiceScores(p.Model, x))
}

// oneOf turns the scores of labels, of which one is true, into probabilities that sum to 1; those
// of labels that no instance has are 0, as are all if there is no other.
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
		row[best], sum = 1, 1 // none is possible: the likeliest is what is predicted
	}
	for y := range row {
		row[y] /= sum
	}
}

// prepare turns the scores of labels, of which one is true, into what functions are learned of.
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

// unseen reports which of the nodes no training instance has.
func (p *Calibrated) unseen(nodes []int) []bool {
	unseen := make([]bool, len(nodes))
	for k, n := range nodes {
		unseen[k] = p.Model.Unseen(n)
	}
	return unseen
}

// byLevel writes the probabilities of the nodes, given the finite scores of the leaves: from the
// roots down, that of the parent times that among the siblings.
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

// NodeProbabilities returns the probability that a label is at or below a node: a row of x a row,
// a column a node. It never rises from a node to a child. Where the training data have one label
// an instance, it is the sum over the leaves below.
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
