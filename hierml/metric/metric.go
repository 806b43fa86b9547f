// Package metric measures how well a model classifies: from the scores it gives to the leaves of
// a taxonomy, and the labels that are true, to a report of averages over the instances; and from several
// reports to a table that compares them.
//
// Labels are leaves, one or more an instance. The prediction is the leaf with the highest score, on ties
// the one with the smallest id, unless the model is a [Decider]. The other measures take ties against the model: a wrong leaf
// with the score of a true one counts as ranked above it. Definitions are those of section 7.3
// of Cai's thesis.
//
// Pictures of confusions are in the package chart, losses to train with in the package loss.
package metric

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Scorer is a trained model.
type Scorer interface {
	// LeafScores returns the scores of all leaves, a row an instance and a column a leaf in the
	// order of Taxonomy.Leaves. The leaf with the highest score is what the model predicts, if it is no
	// Decider.
	LeafScores(x *dataset.Matrix) *mat.Dense
}

// Decider is a Scorer that predicts something else than the leaf with the highest score: one that it finds by
// going down the taxonomy, or sets of leaves.
type Decider interface {
	Scorer
	// Decide returns the set of leaves, ascending, that the model predicts for every row of x, for which LeafScores
	// returned scores.
	Decide(x *dataset.Matrix, scores *mat.Dense) ([][]int, error)
}

// InnerLabelError says that an instance is labelled with a node that is not a leaf.
type InnerLabelError struct {
	Instance int // from 0
	Node     int
	Name     string // of the node
}

func (e *InnerLabelError) Error() string {
	return fmt.Sprintf("metric: instance %d is labelled with %q, which is not a leaf; move such labels to leaves of their own with Leafed, before training", e.Instance, e.Name)
}

// batch bounds the instances scored at once, and with them the memory that scores take.
const batch = 1024

// Evaluate scores the instances of d with the model, in one pass over batches of them, and compares with
// their labels. The model's leaves are those of d.Taxonomy. A label that is not a leaf is an
// *InnerLabelError; an instance without labels, without instances at all, scores of another shape, and a score that is
// not a number are errors too. A model with a method Check(*dataset.Matrix) error is asked first
// whether it can score the instances, and one with a method CheckTaxonomy(*taxonomy.Taxonomy) error whether it predicts
// labels of d.Taxonomy.
func Evaluate(model Scorer, d *dataset.Dataset) (*Report, error) {
	if model == nil || d == nil || d.X == nil || d.Taxonomy == nil {
		return nil, errors.New("metric: Evaluate needs a model and a dataset with instances and a taxonomy")
	}
	if d.X.Rows != len(d.Labels) {
		return nil, fmt.Errorf("metric: dataset %q has %d instances and labels for %d; give every instance its labels", d.Name, d.X.Rows, len(d.Labels))
	}
	if c, ok := model.(interface{ Check(*dataset.Matrix) error }); ok {
		if err := c.Check(d.X); err != nil {
			return nil, fmt.Errorf("metric: dataset %q: %w", d.Name, err)
		}
	}
	if c, ok := model.(interface {
		CheckTaxonomy(*taxonomy.Taxonomy) error
	}); ok {
		if err := c.CheckTaxonomy(d.Taxonomy); err != nil {
			return nil, fmt.Errorf("metric: dataset %q: %w", d.Name, err)
		}
	}
	e := newEvaluation(d.Taxonomy)
	decider, _ := model.(Decider)
	for start := 0; start < d.X.Rows; start += batch {
		end := min(start+batch, d.X.Rows)
		x := rows(d.X, start, end)
		scores := model.LeafScores(x)
		var decided [][]int
		if decider != nil {
			var err error
			if decided, err = decider.Decide(x, scores); err != nil {
				return nil, fmt.Errorf("metric: dataset %q: %w", d.Name, err)
			}
			if len(decided) != x.Rows {
				return nil, fmt.Errorf("metric: the model decided for %d of %d instances", len(decided), x.Rows)
			}
		}
		if err := e.add(scores, decided, d.Labels[start:end], start); err != nil {
			return nil, err
		}
	}
	return e.report()
}

// EvaluateScores compares scores, a row an instance and a column a leaf of t, with the labels of the instances.
// Its errors are those of Evaluate.
func EvaluateScores(scores *mat.Dense, labels [][]int, t *taxonomy.Taxonomy) (*Report, error) {
	if scores == nil || t == nil {
		return nil, errors.New("metric: EvaluateScores needs scores and a taxonomy")
	}
	e := newEvaluation(t)
	if err := e.add(scores, nil, labels, 0); err != nil {
		return nil, err
	}
	return e.report()
}

// rows returns the rows start to end of x, sharing its entries.
func rows(x *dataset.Matrix, start, end int) *dataset.Matrix {
	lo, hi := x.Indptr[start], x.Indptr[end]
	part := &dataset.Matrix{
		Rows: end - start, Cols: x.Cols,
		Indptr:  slices.Clone(x.Indptr[start : end+1]),
		Indices: x.Indices[lo:hi:hi],
		Values:  x.Values[lo:hi:hi],
	}
	for i := range part.Indptr {
		part.Indptr[i] -= lo
	}
	return part
}

// evaluation sums the measures over the instances seen so far.
type evaluation struct {
	t      *taxonomy.Taxonomy
	leaves []int
	isTrue []bool // of the instance at hand, by position in leaves

	n, ranked                             int
	hits, parents, steps, precision, rank float64
	confusion                             *counts
	perInstance                           [][]float64
}

func newEvaluation(t *taxonomy.Taxonomy) *evaluation {
	q := len(t.Leaves())
	return &evaluation{t: t, leaves: t.Leaves(), isTrue: make([]bool, q), confusion: newCounts(t), perInstance: make([][]float64, columns)}
}

// add takes a batch and what was decided, nil for the highest scores; first is the position of its first instance,
// for errors.
func (e *evaluation) add(scores *mat.Dense, decided, labels [][]int, first int) error {
	n, q := scores.Dims()
	if n != len(labels) || n > 0 && q != len(e.leaves) {
		return fmt.Errorf("metric: scores are %d x %d; expected a row for each of %d instances and a column for each of %d leaves", n, q, len(labels), len(e.leaves))
	}
	for i := range n {
		var set []int
		if decided != nil {
			set = decided[i]
			if err := checkSet(e.t, set, first+i); err != nil {
				return fmt.Errorf("%w (as the model predicts)", err)
			}
		}
		if err := e.instance(scores.RawRowView(i), set, decided != nil, labels[i], first+i); err != nil {
			return err
		}
	}
	return nil
}

// instance adds one instance. The set is what the model decided for, if it did.
func (e *evaluation) instance(scores []float64, set []int, decided bool, labels []int, at int) error {
	if err := checkLabels(e.t, labels, at); err != nil {
		return err
	}
	top := 0
	for k, s := range scores {
		if math.IsNaN(s) {
			return fmt.Errorf("metric: the score of leaf %q for instance %d is not a number", e.t.Name(e.leaves[k]), at)
		}
		if s > scores[top] {
			top = k
		}
	}
	if !decided {
		set = []int{e.leaves[top]}
	} else if len(set) > 0 {
		top = e.t.LeafIndex(set[0])
		for _, y := range set {
			if k := e.t.LeafIndex(y); scores[k] > scores[top] {
				top = k
			}
		}
	}
	for _, y := range labels {
		e.isTrue[e.t.LeafIndex(y)] = true
	}
	e.n++
	for c := range e.perInstance {
		e.perInstance[c] = append(e.perInstance[c], 0)
	}
	e.prediction(top, labels)
	e.confusion.add(labels, set)
	e.ranking(scores, labels)
	for _, y := range labels {
		e.isTrue[e.t.LeafIndex(y)] = false
	}
	return nil
}

// prediction adds the measures of the predicted leaf.
func (e *evaluation) prediction(top int, labels []int) {
	f := e.leaves[top]
	if e.isTrue[top] {
		e.hits++
		e.perInstance[accuracy][e.n-1] = 1
	} else {
		farthest := 0
		for _, y := range labels {
			farthest = max(farthest, e.t.Distance(f, y))
		}
		e.steps += float64(farthest)
		e.perInstance[treeLoss][e.n-1] = float64(farthest)
	}
	if slices.ContainsFunc(labels, func(y int) bool { return shareParent(e.t, f, y) }) {
		e.parents++
		e.perInstance[parentAccuracy][e.n-1] = 1
	}
}

func shareParent(t *taxonomy.Taxonomy, a, b int) bool {
	return slices.ContainsFunc(t.Parents(a), func(p int) bool { return slices.Contains(t.Parents(b), p) })
}

// ranking adds the measures of the order of the scores.
func (e *evaluation) ranking(scores []float64, labels []int) {
	relevant, irrelevant := len(labels), len(scores)-len(labels)
	var precision float64
	misordered := 0
	for _, y := range labels {
		own := scores[e.t.LeafIndex(y)]
		above, relevantAbove := 0, 0
		for k, s := range scores {
			if s >= own {
				above++
				if e.isTrue[k] {
					relevantAbove++
				}
			}
		}
		precision += float64(relevantAbove) / float64(above)
		misordered += above - relevantAbove
	}
	e.precision += precision / float64(relevant)
	e.perInstance[averagePrecision][e.n-1] = precision / float64(relevant)
	e.perInstance[rankingLoss][e.n-1] = math.NaN()
	if irrelevant > 0 {
		e.ranked++
		e.rank += float64(misordered) / float64(relevant) / float64(irrelevant)
		e.perInstance[rankingLoss][e.n-1] = float64(misordered) / float64(relevant) / float64(irrelevant)
	}
}

func (e *evaluation) report() (*Report, error) {
	if e.n == 0 {
		return nil, errors.New("metric: no instances to evaluate")
	}
	n := float64(e.n)
	f := e.confusion.f1()
	return &Report{
		Instances:        e.n,
		Accuracy:         e.hits / n,
		ParentAccuracy:   e.parents / n,
		TreeLoss:         e.steps / n,
		AveragePrecision: e.precision / n,
		RankingLoss:      e.rank / float64(e.ranked),
		MicroF1:          f.Micro,
		MacroF1:          f.Macro,
		HierarchicalF1:   f.Hierarchical,
		perInstance:      e.perInstance,
	}, nil
}

// checkLabels says what is wrong with the labels of the instance at the given position.
func checkLabels(t *taxonomy.Taxonomy, labels []int, at int) error {
	if len(labels) == 0 {
		return fmt.Errorf("metric: instance %d has no labels; every instance needs at least one", at)
	}
	return checkSet(t, labels, at)
}

// checkSet is checkLabels for sets that may be empty.
func checkSet(t *taxonomy.Taxonomy, labels []int, at int) error {
	for i, y := range labels {
		if y < 0 || y >= t.Len() {
			return fmt.Errorf("metric: instance %d has label %d; the taxonomy's nodes are 0 to %d", at, y, t.Len()-1)
		}
		if !t.IsLeaf(y) {
			return &InnerLabelError{Instance: at, Node: y, Name: t.Name(y)}
		}
		if i > 0 && labels[i-1] >= y {
			return fmt.Errorf("metric: the labels %v of instance %d are not ascending", labels, at)
		}
	}
	return nil
}
