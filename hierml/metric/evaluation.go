package metric

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/calibration"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/guarded"
	"github.com/hierml/notebook/hierml/internal/weigh"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// The columns of the values of instances. After them come three for each k (precision, nDCG and
// accuracy), with propensities two more (the propensity-scored precision and its maximum), and one
// for each depth.
const (
	accuracy = iota
	exactSets
	averagePrecision
	rankingLoss
	parentAccuracy
	treeLoss
	topLoss
	maximalLoss
	hLoss
	symmetricDifference
	samplesPrecision // and what overlap.samples has after it
	samplesRecall
	samplesF1
	samplesJaccard
	hammingLoss
	closedPrecision // likewise, without the Jaccard index
	closedRecall
	closedF1
	rootlessSamplesF1
	logLoss // of one label an instance
	brierScore
	labelsLogLoss // of each label separately
	labelsBrier
	fixedColumns
)

// evaluation measures instances, batch by batch. It stores the values of each instance, so that
// sums do not depend on the workers.
type evaluation struct {
	labels  // of the taxonomy
	leaves  []int
	at      []int
	atWidth int // columns for each k
	depths  int // 0 up to the deepest node's
	loss    loss.Loss
	halfed  bool // the loss is the default one, on trees half the distance
	edges   *costs
	costs   *costs
	charges []float64 // of the H-loss, by node
	gains   []float64 // of nDCG: 1/log2(1+rank), by rank from 1
	worth   []float64 // of the leaves by their propensities, nil without any

	weights []float64 // of the instances, nil where all are 1

	nodeScores   []float64 // of all instances, a row each
	nodeLabels   [][]int   // of these
	nodesLeftOut bool      // there are too many

	// the probabilities of the leaves, otherwise their scores, one row per instance
	leafScores    []float64
	leafLabels    [][]int
	leavesLeftOut bool // there are too many
	probable      bool // there are probabilities
	notOne        bool // those of some instance do not sum to 1

	n                  int         // instances measured so far
	truths             uint64      // a hash of their labels
	columns            [][]float64 // of all instances
	nearest, predicted []int       // of all instances
	// likewise: what the prediction scores above the highest true label
	margins []float64
	workers []*worker
}

func (s Settings) newEvaluation(t *taxonomy.Taxonomy) (*evaluation, error) {
	at, err := s.at()
	if err != nil {
		return nil, err
	}
	if s.Weights != nil {
		s.Workers = 1 // sums of weights must not depend on the workers
	}
	e := &evaluation{labels: labelsOf(t), leaves: t.Leaves(), at: at, loss: s.Loss, truths: 14695981039346656037, weights: s.Weights}
	if e.loss == nil {
		e.loss, e.halfed = loss.Half(e.nodes), true
	} else if err := loss.Check(e.loss, t); err != nil {
		return nil, fmt.Errorf("metric: %w", err)
	}
	for _, y := range e.nodes.Leaves() {
		e.depths = max(e.depths, e.nodes.Depth(y)+1)
	}
	e.edges, e.costs = newCosts(e.labels, loss.Tree(e.nodes), true), newCosts(e.labels, e.loss, e.halfed)
	e.charges = charges(e.nodes)
	e.gains = make([]float64, min(at[len(at)-1], len(e.leaves))+1)
	for rank := 1; rank < len(e.gains); rank++ {
		e.gains[rank] = 1 / math.Log2(1+float64(rank))
	}
	if e.worth, err = s.worths(len(e.leaves)); err != nil {
		return nil, err
	}
	e.atWidth = 3
	if e.worth != nil {
		e.atWidth = 5
	}
	e.columns = make([][]float64, fixedColumns+e.atWidth*len(at)+e.depths)
	for range guarded.Workers(s.Workers) {
		e.workers = append(e.workers, newWorker(e))
	}
	return e, nil
}

// grow makes room for the values of n more instances.
func (e *evaluation) grow(n int) {
	e.nearest = append(e.nearest, make([]int, n)...)
	e.predicted = append(e.predicted, make([]int, n)...)
	e.margins = append(e.margins, make([]float64, n)...)
	for c := range e.columns {
		e.columns[c] = append(e.columns[c], make([]float64, n)...)
	}
}

// evaluate measures a batch of instances, for which grow made room.
func (e *evaluation) evaluate(model Scorer, x *dataset.Matrix, labels [][]int) error {
	scores := ScoresOf(model, x)
	if err := e.scoreNodes(model, x, labels); err != nil {
		return err
	}
	var decided [][]int
	if d, ok := model.(Decider); ok {
		var err error
		if decided, err = d.Decide(x, scores); err != nil {
			return fmt.Errorf("metric: %w", err)
		}
		if len(decided) != x.Rows {
			return fmt.Errorf("metric: the model returned decisions for %d of %d instances", len(decided), x.Rows)
		}
		if decided == nil {
			decided = [][]int{}
		}
	}
	var probabilities *mat.Dense
	if p, ok := model.(Prober); ok {
		if probabilities = p.Probabilities(x, scores); probabilities != nil {
			if err := e.checkProbabilities(probabilities, x.Rows); err != nil {
				return err
			}
			e.probable = true
		}
	}
	return e.add(scores, probabilities, decided, labels)
}

// checkProbabilities returns an error if the probabilities of a batch are invalid. It records
// whether those of each instance sum to 1.
func (e *evaluation) checkProbabilities(p *mat.Dense, rows int) error {
	if n, q := p.Dims(); n != rows || q != len(e.leaves) {
		return fmt.Errorf("metric: probabilities are %d x %d; expected one row for each of %d instances and one column for each of %d leaves", n, q, rows, len(e.leaves))
	}
	const rounding = 1e-6
	for i := range rows {
		sum := 0.0
		for k, v := range p.RawRowView(i) {
			if !(v >= 0 && v <= 1+rounding) {
				return fmt.Errorf("metric: the probability of leaf %q for instance %d is %v; it must be from 0 to 1", e.t.LabelName(e.leaves[k]), e.n+i, v)
			}
			sum += v
		}
		e.notOne = e.notOne || math.Abs(sum-1) > rounding
	}
	return nil
}

// maxNodeScores bounds the scores of nodes that are kept for precision-recall curves.
const maxNodeScores = 1 << 26

// scoreNodes keeps the scores of the nodes, if the model has any and they are not too many.
func (e *evaluation) scoreNodes(model Scorer, x *dataset.Matrix, labels [][]int) error {
	s, ok := model.(NodeScorer)
	if !ok || e.nodesLeftOut {
		return nil
	}
	if e.nodesLeftOut = len(e.nodeScores)+x.Rows*e.nodes.Len() > maxNodeScores; e.nodesLeftOut {
		e.nodeScores, e.nodeLabels = nil, nil
		return nil
	}
	scores := s.NodeProbabilities(x)
	n, q := scores.Dims()
	if n != x.Rows || n > 0 && q < e.t.Len() {
		return fmt.Errorf("metric: scores of nodes are %d x %d; expected one row for each of %d instances and one column for each of %d nodes", n, q, x.Rows, e.t.Len())
	}
	for i := range n {
		row := scores.RawRowView(i)
		if slices.ContainsFunc(row, math.IsNaN) {
			return fmt.Errorf("metric: instance %d has a score of a node that is not a number", e.n+i)
		}
		if err := checkSet(e.t, labels[i], e.n+i); err != nil {
			return err
		}
		e.nodeScores = append(e.nodeScores, e.own(row)...)
	}
	e.nodeLabels = append(e.nodeLabels, e.sets(labels)...)
	return nil
}

// fewScores are measured by one goroutine.
const fewScores = 1 << 14

// add takes a batch, with its probabilities if the model has any, and what was decided, nil for the
// highest scores.
func (e *evaluation) add(scores, probabilities *mat.Dense, decided, labels [][]int) error {
	n, q := scores.Dims()
	if n != len(labels) || n > 0 && q != len(e.leaves) {
		return fmt.Errorf("metric: scores are %d x %d; expected one row for each of %d instances and one column for each of %d leaves", n, q, len(labels), len(e.leaves))
	}
	parts := max(1, min(len(e.workers), n, n*q/fewScores))
	failures := make([]error, parts)
	var wait sync.WaitGroup
	for p := range parts {
		wait.Add(1)
		go func() {
			defer wait.Done()
			failures[p] = e.workers[p].rows(scores, probabilities, decided, labels, p*n/parts, (p+1)*n/parts)
		}()
	}
	wait.Wait()
	for _, set := range labels {
		e.hash(len(set))
		for _, y := range set {
			e.hash(y)
		}
	}
	for _, err := range failures {
		if err != nil {
			return err // that of the first instance with one
		}
	}
	if probabilities == nil {
		probabilities = scores
	}
	e.keepLeaves(probabilities, labels)
	e.n += n
	return nil
}

// maxLeafScores bounds the scores of leaves that are kept for the areas under ROC curves.
const maxLeafScores = 1 << 23

// keepLeaves keeps the scores of a batch, if they are not too many.
func (e *evaluation) keepLeaves(scores *mat.Dense, labels [][]int) {
	if e.leavesLeftOut {
		return
	}
	if e.leavesLeftOut = (e.n+len(labels))*len(e.leaves) > maxLeafScores; e.leavesLeftOut {
		e.leafScores, e.leafLabels = nil, nil
		return
	}
	e.leafScores = slices.Grow(e.leafScores, len(labels)*len(e.leaves))
	for i := range labels {
		e.leafScores = append(e.leafScores, scores.RawRowView(i)...)
	}
	e.leafLabels = append(e.leafLabels, labels...)
}

// hash adds a number to the hash of the labels (FNV-1a, of whole numbers).
func (e *evaluation) hash(n int) {
	e.truths = (e.truths ^ uint64(n+1)) * 1099511628211
}

// report averages.
func (e *evaluation) report() (*Report, error) {
	if e.n == 0 {
		return nil, errors.New("metric: no instances to evaluate")
	}
	if err := (Settings{Weights: e.weights}).checkWeights(e.n); err != nil {
		return nil, err
	}
	all := newCounts(e.nodes)
	for _, w := range e.workers {
		all.merge(w.counts)
	}
	f := all.f1()
	mcc, kappa := all.agreement()
	byLabel := all.truths > all.instances || e.notOne
	r := &Report{
		LogLoss:               math.NaN(),
		Brier:                 math.NaN(),
		LabelsLogLoss:         math.NaN(),
		LabelsBrier:           math.NaN(),
		Instances:             e.n,
		MicroPrecision:        f.MicroPrecision,
		MicroRecall:           f.MicroRecall,
		MicroF1:               f.Micro,
		MacroF1:               f.Macro,
		MacroF1Occurring:      f.MacroOccurring,
		MicroJaccard:          f.MicroJaccard,
		MacroJaccard:          f.MacroJaccard,
		MCC:                   mcc,
		Kappa:                 kappa,
		HierarchicalPrecision: f.HierarchicalPrecision,
		HierarchicalRecall:    f.HierarchicalRecall,
		HierarchicalF1:        f.Hierarchical,
		RootlessPrecision:     f.RootlessPrecision,
		RootlessRecall:        f.RootlessRecall,
		RootlessF1:            f.Rootless,
		perInstance:           make(map[string][]float64),
		labels:                e.truths,
		scored:                e.worth != nil,
		confusion:             &Confusion{Taxonomy: e.t, Truth: e.nearest, Predicted: e.predicted},
		margins:               e.margins,
		classes:               all.classes(all.labels, all.judged),
		byNode:                all.classes(all.nodes, func(int) bool { return true }),
		weights:               e.weights,
		weighted:              e.weights != nil,
		probable:              e.probable && !byLabel,
		byLabel:               e.probable && byLabel,
	}
	for _, f := range e.predicted {
		if !e.t.IsLeaf(f) {
			r.InnerPredictions++
		}
	}
	if all.several > 0 {
		n := float64(all.instances)
		r.sets = &labelSets{True: float64(all.truths) / n, Predicted: float64(all.said) / n, OneEach: all.otherSets == 0}
	}
	own := Settings{Workers: len(e.workers), Weights: e.weights}
	if n := len(e.nodeLabels); n > 0 {
		r.Nodes = own.nodeScores(mat.NewDense(n, e.nodes.Len(), e.nodeScores), e.nodeLabels, e.nodes)
	}
	if n := len(e.leafLabels); n > 0 {
		r.ROC = own.roc(mat.NewDense(n, len(e.leaves), e.leafScores), e.leafLabels, e.t.LeafIndex)
	}
	for i, k := range e.at {
		r.At = append(r.At, At{K: k})
		if e.worth != nil { // the mean of the quotients is then that of the means
			c := e.atColumn(i)
			reach, _ := mean(e.columns[c+4], e.weights)
			for at := range e.columns[c+3] {
				e.columns[c+3][at] /= reach
			}
		}
	}
	levels, macro := all.levels(e.depths)
	for d, o := range levels {
		r.Levels = append(r.Levels, Level{Depth: d, Instances: e.n, Precision: o.precision(), Recall: o.recall(), F1: o.f1(), MacroF1: macro[d].mean()})
	}
	for _, m := range r.Measures() {
		if c := e.column(m); c >= 0 {
			r.perInstance[m.Name] = e.columns[c]
			*m.field(r), _ = mean(e.columns[c], e.weights)
		}
	}
	_, r.ParentInstances = mean(e.columns[parentAccuracy], e.weights)
	for d := range r.Levels {
		_, r.Levels[d].Instances = mean(e.columns[e.levelColumn(d)], e.weights)
	}
	return r, nil
}

// column returns the column with the values of a measure, or -1 if it is not a mean over instances.
func (e *evaluation) column(m Measure) int {
	switch m.kind {
	case precisionAt:
		return e.atColumn(slices.Index(e.at, m.key))
	case ndcgAt:
		return e.atColumn(slices.Index(e.at, m.key)) + 1
	case accuracyAt:
		return e.atColumn(slices.Index(e.at, m.key)) + 2
	case psPrecisionAt:
		return e.atColumn(slices.Index(e.at, m.key)) + 3
	case levelAccuracy:
		return e.levelColumn(m.key)
	case ofCounts, ofNodes, ofROC, levelPrecision, levelRecall, levelF1, levelMacroF1:
		return -1
	}
	return m.key
}

// atColumn is the first of the columns for the i-th k.
func (e *evaluation) atColumn(i int) int { return fixedColumns + e.atWidth*i }

func (e *evaluation) levelColumn(depth int) int { return fixedColumns + e.atWidth*len(e.at) + depth }

// mean returns the mean of the values that are not NaN, weighted unless weights are nil, and their
// number.
func mean(values, weights []float64) (float64, int) {
	var a average
	n := 0
	for i, v := range values {
		if w := weigh.Of(weights, i); w > 0 && !math.IsNaN(v) {
			a.add(v, w)
			n++
		}
	}
	return a.mean(), n
}

// worker measures instances. It allocates nothing for an instance, unless it has more labels than
// all before.
type worker struct {
	*evaluation
	counts *counts
	row    []float64 // scratch, of costs of the leaves

	isTrue []bool    // by position in leaves
	own    []rated   // the true labels, by ascending score
	worths []float64 // of some of the true labels
	// number of wrong leaves, by the number of true labels that they reach or exceed
	above []int
	spans []span // what above counts

	truth, decided []int // sets of nodes as the data have them
	positions      []int // of the true leaves
}

func newWorker(e *evaluation) *worker {
	q := len(e.leaves)
	return &worker{evaluation: e, counts: newCounts(e.nodes), row: make([]float64, q), isTrue: make([]bool, q)}
}

// rows measures the rows from up to to of a batch.
func (w *worker) rows(scores, probabilities *mat.Dense, decided, labels [][]int, from, to int) error {
	var one [1]int
	for i := from; i < to; i++ {
		set, given := one[:], decided != nil
		at := w.n + i
		if given {
			set = decided[i]
			if err := checkSpecific(w.t, set, at); err != nil {
				return fmt.Errorf("%w (as the model predicts)", err)
			}
		}
		if len(labels[i]) == 0 {
			return fmt.Errorf("metric: instance %d has no labels, and every instance needs at least one; remove the others with Labelled() of the dataset", at)
		}
		if err := checkLeaves(w.t, labels[i], at); err != nil {
			return err
		}
		if err := w.instance(scores.RawRowView(i), set, given, labels[i], at); err != nil {
			return err
		}
		if probabilities != nil {
			w.probabilities(probabilities.RawRowView(i), labels[i], at)
		}
	}
	return nil
}

// instance measures one instance. The set is the model's decision, if given; otherwise it has room
// for the prediction.
func (w *worker) instance(scores []float64, set []int, given bool, labels []int, at int) error {
	top := 0
	for k, s := range scores {
		if s > scores[top] {
			top = k
		} else if math.IsNaN(s) {
			return fmt.Errorf("metric: the score of leaf %q for instance %d is not a number", w.t.LabelName(w.leaves[k]), at)
		}
	}
	f := w.leaves[top]
	if !given {
		set[0] = f
	} else if len(set) > 0 {
		top = -1
		for _, y := range set {
			if k := w.highest(y, scores); top < 0 || scores[k] > scores[top] {
				top, f = k, y
			}
		}
	}
	for _, y := range labels {
		w.isTrue[w.t.LeafIndex(y)] = true
	}
	hit := w.isTrue[top] && w.t.IsLeaf(f)
	w.ranking(scores, labels, at)
	for _, y := range labels {
		w.isTrue[w.t.LeafIndex(y)] = false
	}
	w.predicted[at] = f
	if highest := w.own[len(w.own)-1].score; scores[top] != highest { // both can be minus infinity
		w.margins[at] = scores[top] - highest
	}
	w.prediction(f, hit, labels, at)
	w.truth, w.decided = w.set(w.truth[:0], labels), w.set(w.decided[:0], set)
	w.sets(w.decided, w.truth, at)
	w.levels(w.to[f], w.truth, at)
	if v := w.columns[topLoss][at] + w.columns[maximalLoss][at]; math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Errorf("metric: a loss of instance %d is not finite; set Settings.Loss to one with finite costs between all leaves and the inner nodes that the model predicts", at)
	}
	return nil
}

// highest returns the position of the leaf at or below n that has the highest score.
func (w *worker) highest(n int, scores []float64) int {
	best := w.t.LeafIndex(n)
	if best >= 0 {
		return best
	}
	for _, y := range w.t.Descendants(n) {
		if k := w.t.LeafIndex(y); k >= 0 && (best < 0 || scores[k] > scores[best]) {
			best = k
		}
	}
	return best
}

// probabilities measures the probabilities of the leaves.
func (w *worker) probabilities(p []float64, labels []int, at int) {
	w.positions = w.positions[:0]
	for _, y := range labels {
		w.positions = append(w.positions, w.t.LeafIndex(y))
	}
	w.columns[logLoss][at], w.columns[brierScore][at] = calibration.LogLoss(p, w.positions), calibration.Brier(p, w.positions)
	w.columns[labelsLogLoss][at], w.columns[labelsBrier][at] = calibration.LabelsLogLoss(p, w.positions), w.columns[brierScore][at]/float64(len(p))
}
