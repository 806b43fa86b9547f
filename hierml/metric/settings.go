package metric

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"reflect"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Settings are the options of an evaluation. Evaluate uses the zero value.
type Settings struct {
	// At has the values of k for the accuracies, precisions and nDCG at k, each at least 1. The
	// default is 1, 3 and 5.
	At []int
	// Loss is the loss of TopLoss and MaximalLoss, between leaves of the taxonomy of the data. The
	// default is loss.Half, as in [Cai08]: half the distance on trees. It is measured between
	// labels, where a leaf that Leafed added counts as the inner node above it. If the model
	// predicts inner nodes, the loss must have their costs.
	Loss loss.Loss
	// Propensities, if not nil, has one value per leaf, in the order of Taxonomy.Leaves; see the
	// function Propensities. The report then has the propensity-scored precision at each k.
	Propensities []float64
	// Weights, if not nil, has one number per instance, finite, not negative and not all 0. Every
	// mean over instances is then a weighted mean, and precisions, recalls, areas and correlations
	// use sums of weights instead of counts: an instance of weight 2 counts as two, and one of
	// weight 0 as none, as with sample_weight of scikit-learn. Numbers of instances do not change:
	// Report.Instances, a Confusion, the counts of Classes. Intervals and tests need equal weights
	// and return an error for a weighted report.
	Weights []float64
	// Workers is the number of goroutines. The default is one per CPU, or one if there are Weights.
	Workers int
}

// checkWeights returns an error if the weights of n instances are invalid.
func (s Settings) checkWeights(n int) error {
	if s.Weights == nil {
		return nil
	}
	if len(s.Weights) != n {
		return fmt.Errorf("metric: %d weights for %d instances; pass one per instance, or none", len(s.Weights), n)
	}
	sum := 0.0
	for i, w := range s.Weights {
		if !(w >= 0) || math.IsInf(w, 1) {
			return fmt.Errorf("metric: the weight of instance %d is %v; weights must be finite and not negative", i, w)
		}
		sum += w
	}
	if n > 0 && !(sum > 0 && sum < math.MaxFloat64) {
		return fmt.Errorf("metric: the %d weights sum to %v; their sum must be finite and above 0", n, sum)
	}
	return nil
}

// defaultAt are the k of precision and nDCG at k.
var defaultAt = []int{1, 3, 5}

// batch bounds the number of instances scored at once, and batchScores that of scores, which bounds
// the memory.
const (
	batch       = 1024
	leastBatch  = 64
	batchScores = 1 << 23
)

// Evaluate is like the function Evaluate, with the settings. It stops when ctx is cancelled.
func (s Settings) Evaluate(ctx context.Context, model Scorer, d *dataset.Dataset) (*Report, error) {
	if v := reflect.ValueOf(model); v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, errors.New("metric: the model is nil, perhaps because its training failed")
	}
	if model == nil || d == nil || d.X == nil || d.Taxonomy == nil {
		return nil, errors.New("metric: Evaluate needs a model and a dataset with instances and a taxonomy")
	}
	if d.X.Rows != len(d.Labels) {
		return nil, fmt.Errorf("metric: dataset %q has %d instances and labels for %d; Labels needs one entry per instance", d.Name, d.X.Rows, len(d.Labels))
	}
	named := *d.X
	if named.Vocabulary == nil {
		named.Vocabulary = d.Vocabulary
	}
	if err := checkInstances(model, &named); err != nil {
		return nil, fmt.Errorf("metric: dataset %q: %w", d.Name, err)
	}
	if err := checkTaxonomy(model, d.Taxonomy); err != nil {
		return nil, fmt.Errorf("metric: dataset %q: %w", d.Name, err)
	}
	e, err := s.newEvaluation(d.Taxonomy)
	if err != nil {
		return nil, err
	}
	if err := s.checkWeights(d.X.Rows); err != nil {
		return nil, err
	}
	e.grow(d.X.Rows)
	size := batchSize(d.Taxonomy)
	for start := 0; start < d.X.Rows; start += size {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("metric: stopped after %d of %d instances: %w", start, d.X.Rows, err)
		}
		end := min(start+size, d.X.Rows)
		if err := e.evaluate(model, rows(d.X, start, end), d.Labels[start:end]); err != nil {
			return nil, err
		}
	}
	return e.report()
}

// EvaluateInstances is Evaluate for instances that are read one after the other and need not fit
// into memory. columns is the number of columns that the model knows; higher columns are left out.
// It stores only the values of the measures of an instance.
func (s Settings) EvaluateInstances(ctx context.Context, model Scorer, t *taxonomy.Taxonomy, columns int, instances iter.Seq2[dataset.Instance, error]) (*Report, error) {
	if model == nil || t == nil || instances == nil {
		return nil, errors.New("metric: EvaluateInstances needs a model, a taxonomy and instances")
	}
	if err := checkTaxonomy(model, t); err != nil {
		return nil, fmt.Errorf("metric: %w", err)
	}
	e, err := s.newEvaluation(t)
	if err != nil {
		return nil, err
	}
	size := batchSize(t)
	x, labels := &dataset.Matrix{Cols: columns, Indptr: []int{0}}, [][]int(nil)
	flush := func() error {
		if x.Rows == 0 {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("metric: stopped after %d instances: %w", e.n, err)
		}
		if err := checkInstances(model, x); err != nil {
			return fmt.Errorf("metric: %w", err)
		}
		if s.Weights != nil && len(s.Weights) < e.n+x.Rows {
			return fmt.Errorf("metric: %d weights for more instances; pass one per instance, or none", len(s.Weights))
		}
		e.grow(x.Rows)
		err := e.evaluate(model, x, labels)
		// A model may keep the batch, so the next batch is a new one.
		x, labels = &dataset.Matrix{Cols: columns, Indptr: []int{0}}, nil
		return err
	}
	for in, err := range instances {
		if err != nil {
			return nil, err
		}
		for i, c := range in.Columns {
			if int(c) < columns {
				x.Indices, x.Values = append(x.Indices, c), append(x.Values, in.Values[i])
			}
		}
		x.Indptr, x.Rows, labels = append(x.Indptr, len(x.Indices)), x.Rows+1, append(labels, in.Labels)
		if x.Rows == size {
			if err := flush(); err != nil {
				return nil, err
			}
		}
	}
	if err := flush(); err != nil {
		return nil, err
	}
	return e.report()
}

// batchSize is the number of instances in a batch.
func batchSize(t *taxonomy.Taxonomy) int {
	return max(leastBatch, min(batch, batchScores/len(t.Leaves())))
}

// checkInstances calls the model's method Check, if it has one.
func checkInstances(model Scorer, x *dataset.Matrix) error {
	if c, ok := model.(interface{ Check(*dataset.Matrix) error }); ok {
		return c.Check(x)
	}
	return nil
}

// checkTaxonomy calls the model's method CheckTaxonomy, if it has one.
func checkTaxonomy(model Scorer, t *taxonomy.Taxonomy) error {
	if c, ok := model.(interface {
		CheckTaxonomy(*taxonomy.Taxonomy) error
	}); ok {
		return c.CheckTaxonomy(t)
	}
	return nil
}

// EvaluateScores is like the function EvaluateScores, with the settings.
func (s Settings) EvaluateScores(scores *mat.Dense, labels [][]int, t *taxonomy.Taxonomy) (*Report, error) {
	return s.evaluateScores(scores, nil, labels, t)
}

// EvaluateSets compares scores and predicted sets of nodes with the labels, as Evaluate does for a
// Decider. The sets are ascending, with none above another, and may be empty.
func (s Settings) EvaluateSets(scores *mat.Dense, predicted, labels [][]int, t *taxonomy.Taxonomy) (*Report, error) {
	if len(predicted) != len(labels) {
		return nil, fmt.Errorf("metric: %d predicted label sets and %d true ones; expected one of each per instance", len(predicted), len(labels))
	}
	if predicted == nil {
		predicted = [][]int{}
	}
	return s.evaluateScores(scores, predicted, labels, t)
}

func (s Settings) evaluateScores(scores *mat.Dense, predicted, labels [][]int, t *taxonomy.Taxonomy) (*Report, error) {
	if scores == nil || t == nil {
		return nil, errors.New("metric: EvaluateScores needs scores and a taxonomy")
	}
	e, err := s.newEvaluation(t)
	if err != nil {
		return nil, err
	}
	if err := s.checkWeights(len(labels)); err != nil {
		return nil, err
	}
	e.grow(len(labels))
	if err := e.add(scores, nil, predicted, labels); err != nil {
		return nil, err
	}
	return e.report()
}

// at returns the k of precision and nDCG at k, ascending.
func (s Settings) at() ([]int, error) {
	if len(s.At) == 0 {
		return defaultAt, nil
	}
	at := slices.Compact(slices.Sorted(slices.Values(s.At)))
	if at[0] < 1 {
		return nil, fmt.Errorf("metric: precision at %d; the values of Settings.At must be at least 1", at[0])
	}
	return at, nil
}

// rows returns the rows start to end of x, sharing its entries.
func rows(x *dataset.Matrix, start, end int) *dataset.Matrix {
	lo, hi := x.Indptr[start], x.Indptr[end]
	part := &dataset.Matrix{
		Rows: end - start, Cols: x.Cols,
		Indptr:  slices.Clone(x.Indptr[start : end+1]),
		Indices: x.Indices[lo:hi:hi],
		Values:  x.Values[lo:hi:hi],

		Vocabulary: x.Vocabulary,
	}
	for i := range part.Indptr {
		part.Indptr[i] -= lo
	}
	return part
}
