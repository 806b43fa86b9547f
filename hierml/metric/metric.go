// Package metric measures how well a model classifies: from the scores it gives to the leaves of a
// taxonomy, and the labels that are true, to a report of averages over the instances; and from
// several reports to a table that compares them.
//
// Labels are leaves, one or more an instance. The prediction is the leaf with the highest score, on
// ties the one with the smallest id, unless the model is a [Decider], which may predict inner nodes
// too. The other measures take ties
// against the model: a wrong leaf with the score of a true one counts as ranked above it, so that
// the accuracy at 1 can be less than the accuracy. Definitions are those of [Cai08, section 7.3],
// where it has them. Instances for which a measure is not defined are left out of its mean, and a
// mean of nothing is not a number. A predicted set may be empty. Scores need a label to compare
// with, and no labels are an error of Evaluate; [LabelSets] counts empty sets.
//
// A leaf that dataset.Leafed has added counts as the label that it is in the data, the inner node
// above. What looks at the taxonomy (distances, ancestors, depths, H-loss) is measured in the
// taxonomy without these leaves, where the label is the inner node itself: the distance of a label
// to one that is a child of it is 1, and its set of ancestors has no node more than that of the
// node. So measures are those of the labels, whatever the model needed to learn them.
//
// With the [Propensities] of labels that are often forgotten, which Settings take, a report has the
// propensity-scored precision of extreme classification beside precision and nDCG.
//
// Two reports on the same instances are compared by [Significance], or by the tests themselves:
// [McNemar], [Permutation], [PairedT]; [Holm] corrects several, and [Friedman] compares over
// several data sets. [Bootstrap] tells how sure one mean is. [Report.Confusion] tells what was
// taken for what along the taxonomy, [Report.Classes] how each class fared, and [Report.Mistakes]
// which instances are wrong, with their texts.
//
// Measures are averages over equal instances unless Settings.Weights weigh them. A
// [HierarchicalCurve] has the hierarchical F1 of scores of nodes by threshold, to choose one on
// validation data.
//
// Pictures of confusions are in the package chart, losses to train with in the package loss.
package metric

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Scorer is a trained model.
type Scorer interface {
	// LeafScores returns the scores of all leaves, a row an instance and a column a leaf in the
	// order of Taxonomy.Leaves. The leaf with the highest score is what the model predicts, if it
	// is no Decider.
	LeafScores(x *dataset.Matrix) *mat.Dense
}

// Decider is a Scorer that predicts something else than the leaf with the highest score: one that
// it finds by going down the taxonomy, an inner node, or sets of these.
type Decider interface {
	Scorer
	// Decide returns the set of nodes that the model predicts for every row of x, for which scores
	// are those that its leaves are ranked by: ascending, none above another, usually leaves.
	Decide(x *dataset.Matrix, scores *mat.Dense) ([][]int, error)
}

// Prober is a Scorer that says how likely each leaf is to be a label. A Report of it has the log
// loss and the Brier score.
type Prober interface {
	Scorer
	// Probabilities returns the probabilities of the leaves in the form of LeafScores, or nil where
	// the model has none. Scores are LeafScores of x, or ChoiceScores of a Chooser, which it may
	// make them of and must not change.
	Probabilities(x *dataset.Matrix, scores *mat.Dense) *mat.Dense
}

// Chooser is a Scorer that prefers leaves by other scores than LeafScores, as a model does that
// goes down the taxonomy: its leaves are ranked by these.
type Chooser interface {
	Scorer
	// ChoiceScores returns scores in the form of LeafScores.
	ChoiceScores(x *dataset.Matrix) *mat.Dense
}

// ScoresOf returns the scores that the model ranks leaves by: those of a Chooser, or LeafScores.
func ScoresOf(model Scorer, x *dataset.Matrix) *mat.Dense {
	if c, ok := model.(Chooser); ok {
		return c.ChoiceScores(x)
	}
	return model.LeafScores(x)
}

// InnerLabelError says that an instance is labelled with a node that is not a leaf.
type InnerLabelError struct {
	Instance int // from 0
	Node     int
	Name     string // of the node
}

func (e *InnerLabelError) Error() string {
	return fmt.Sprintf("metric: instance %d is labelled with %q, which is not a leaf; move such labels to leaves of their own with Leafed, before you split and train, or measure sets of nodes with LabelSets", e.Instance, e.Name)
}

// Evaluate scores the instances of d with the model, in one pass over batches of them, and compares
// with their labels. The model's leaves are those of d.Taxonomy. A label that is not a leaf is an
// *InnerLabelError; an instance without labels, no instances at all, scores of another shape, and a
// score that is not a number are errors too. A model with a method Check(*dataset.Matrix) error is
// asked first whether it can score the instances, and one with a method
// CheckTaxonomy(*taxonomy.Taxonomy) error whether it predicts labels of d.Taxonomy. Settings choose
// more.
func Evaluate(model Scorer, d *dataset.Dataset) (*Report, error) {
	return Settings{}.Evaluate(context.Background(), model, d)
}

// EvaluateScores compares scores, a row an instance and a column a leaf of t, with the labels of
// the instances. Its errors are those of Evaluate.
func EvaluateScores(scores *mat.Dense, labels [][]int, t *taxonomy.Taxonomy) (*Report, error) {
	return Settings{}.EvaluateScores(scores, labels, t)
}

// checkSet says what is wrong with the labels of the instance at the given position, which may be
// none.
func checkSet(t *taxonomy.Taxonomy, labels []int, at int) error {
	for i, y := range labels {
		if y < 0 || y >= t.Len() {
			return fmt.Errorf("metric: instance %d has label %d; the taxonomy's nodes are 0 to %d", at, y, t.Len()-1)
		}
		if i > 0 && labels[i-1] >= y {
			return fmt.Errorf("metric: the labels %v of instance %d are not ascending", labels, at)
		}
	}
	return nil
}

// checkLeaves is checkSet for labels that have to be leaves.
func checkLeaves(t *taxonomy.Taxonomy, labels []int, at int) error {
	if err := checkSet(t, labels, at); err != nil {
		return err
	}
	for _, y := range labels {
		if !t.IsLeaf(y) {
			return &InnerLabelError{Instance: at, Node: y, Name: t.Name(y)}
		}
	}
	return nil
}
