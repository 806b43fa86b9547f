// Package metric measures how well a model classifies. From the model's scores of the leaves of a
// taxonomy and the true labels, it computes a report of averages over the instances. It compares
// several reports in a table.
//
// Labels are leaves, one or more per instance. The prediction is the leaf with the highest score,
// in case of a tie the smallest id, unless the model is a [Decider], which may also predict inner
// nodes. The other measures resolve ties against the model: a wrong leaf with the score of a true
// one counts as ranked above it, so the accuracy at 1 can be less than the accuracy. Definitions
// follow [Cai08, section 7.3] where possible. Instances for which a measure is undefined are left
// out of its mean; the mean of no instances is NaN. A predicted set may be empty. Evaluate returns
// an error for instances without labels; [LabelSets] accepts empty sets.
//
// A leaf that dataset.Leafed added counts as the inner node above, the label in the data. Measures
// that use the taxonomy (distances, ancestors, depths, H-loss) ignore these leaves and use the
// inner node itself. For example, the distance from an inner label to one of its children is 1. So
// measures describe the labels, not how the model learned them.
//
// With the [Propensities] of labels that annotators often miss (see Settings), a report also has
// the propensity-scored precision of extreme classification, in addition to precision and nDCG.
//
// [Significance] compares two reports on the same instances; the tests themselves are [McNemar],
// [Permutation] and [PairedT]. [Holm] corrects for several tests, and [Friedman] compares over
// several data sets. [Bootstrap] gives the confidence interval of a mean. [Report.Confusion] shows
// the confusions along the taxonomy, [Report.Classes] the measures of each class, and
// [Report.Mistakes] the wrong instances with their texts.
//
// All instances have equal weight unless Settings.Weights is set. [HierarchicalCurve] gives the
// hierarchical F1 of node scores by threshold, to choose a threshold on validation data.
//
// Package chart draws confusions; package loss has losses for training.
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
	// LeafScores returns the scores of all leaves, one row per instance and one column per leaf in
	// the order of Taxonomy.Leaves. The model predicts the leaf with the highest score, unless it
	// is a Decider.
	LeafScores(x *dataset.Matrix) *mat.Dense
}

// Decider is a Scorer that does not always predict the leaf with the highest score, but for example
// a leaf found by descending the taxonomy, an inner node, or a set of nodes.
type Decider interface {
	Scorer
	// Decide returns the predicted set of nodes for every row of x: ascending, none above another,
	// usually leaves. scores are those by which the leaves are ranked.
	Decide(x *dataset.Matrix, scores *mat.Dense) ([][]int, error)
}

// Prober is a Scorer with the probability of each leaf. Its Report has the log loss and the Brier
// score.
type Prober interface {
	Scorer
	// Probabilities returns the probabilities of the leaves in the form of LeafScores, or nil if
	// the model has none. scores are LeafScores of x, or ChoiceScores of a Chooser; the method may
	// use but must not change them.
	Probabilities(x *dataset.Matrix, scores *mat.Dense) *mat.Dense
}

// Chooser is a Scorer that ranks leaves by other scores than LeafScores, such as a model that
// descends the taxonomy.
type Chooser interface {
	Scorer
	// ChoiceScores returns scores in the form of LeafScores.
	ChoiceScores(x *dataset.Matrix) *mat.Dense
}

// ScoresOf returns the scores by which the model ranks leaves: ChoiceScores of a Chooser, otherwise
// LeafScores.
func ScoresOf(model Scorer, x *dataset.Matrix) *mat.Dense {
	if c, ok := model.(Chooser); ok {
		return c.ChoiceScores(x)
	}
	return model.LeafScores(x)
}

// InnerLabelError reports an instance with a label that is not a leaf.
type InnerLabelError struct {
	Instance int // from 0
	Node     int
	Name     string // of the node
}

func (e *InnerLabelError) Error() string {
	return fmt.Sprintf("metric: instance %d is labelled with %q, which is not a leaf; move such labels to added leaves with Leafed before you split and train, or measure sets of nodes with LabelSets", e.Instance, e.Name)
}

// Evaluate scores the instances of d with the model, in one pass over batches, and compares the
// scores with the labels. The model's leaves must be those of d.Taxonomy. A label that is not a
// leaf is an *InnerLabelError. Instances without labels, no instances at all, scores of another
// shape, and NaN scores are also errors. If the model has a method Check(*dataset.Matrix) error,
// Evaluate first calls it with the instances; if it has a method CheckTaxonomy(*taxonomy.Taxonomy)
// error, with d.Taxonomy. Settings has options.
func Evaluate(model Scorer, d *dataset.Dataset) (*Report, error) {
	return Settings{}.Evaluate(context.Background(), model, d)
}

// EvaluateScores compares scores, with one row per instance and one column per leaf of t, with the
// labels of the instances. Its errors are those of Evaluate.
func EvaluateScores(scores *mat.Dense, labels [][]int, t *taxonomy.Taxonomy) (*Report, error) {
	return Settings{}.EvaluateScores(scores, labels, t)
}

// checkSet returns an error if the labels of the instance at the given position are invalid. There
// may be none.
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

// checkLeaves is checkSet for labels that must be leaves.
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
