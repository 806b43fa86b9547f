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

// Settings choose what is measured, and how. The zero value is what Evaluate takes.
type Settings struct {
	// At has the numbers of labels k for the accuracies, precisions and nDCG at k, each at least 1.
	// The default is 1, 3 and 5.
	At []int
	// Loss is that of the top and the maximal loss, between leaves of the taxonomy of the data. The
	// default is loss.Half, as in [Cai08]: half the distance on trees. It is measured between the
	// labels, where a leaf that Leafed has added is the inner node above it. Of a model that
	// predicts inner nodes it has to know their costs, too.
	Loss loss.Loss
	// Propensities, if given, are those of the leaves, in the order of Taxonomy.Leaves: see the
	// function Propensities. The report then has the propensity-scored precision at each k.
	Propensities []float64
	// Weights, if given, has one number an instance, finite, not negative and not all 0. Every mean
	// over instances is then their weighted mean, and every count that a precision, recall, area or
	// correlation is made of the sum of their weights: an instance of weight 2 counts as two, and
	// one of weight 0 as none, as by sample_weight of scikit-learn. What counts instances does not
	// change: Report.Instances, a Confusion, the numbers of Classes. Intervals and tests are of
	// equal instances and refuse a weighted report.
	Weights []float64
	// Workers is the number of goroutines that measure. The default is one a processor, and one
	// where there are Weights.
	Workers int
}

// checkWeights says what is wrong with the weights of n instances.
func (s Settings) checkWeights(n int) error {
	if s.Weights == nil {
		return nil
	}
	if len(s.Weights) != n {
		return fmt.Errorf("metric: %d weights for %d instances; give one each, or none", len(s.Weights), n)
	}
	sum := 0.0
	for i, w := range s.Weights {
		if !(w >= 0) || math.IsInf(w, 1) {
			return fmt.Errorf("metric: the weight of instance %d is %v; weights are finite and not negative", i, w)
		}
		sum += w
	}
	if n > 0 && !(sum > 0 && sum < math.MaxFloat64) {
		return fmt.Errorf("metric: the %d weights add up to %v; their sum is finite and above 0", n, sum)
	}
	return nil
}

// defaultAt are the k of precision and nDCG at k.
var defaultAt = []int{1, 3, 5}

// batch bounds the instances scored at once, and batchScores the scores, and with them the memory
// that they take.
const (
	batch       = 1024
	leastBatch  = 64
	batchScores = 1 << 23
)

// Evaluate does what the function Evaluate does, as the settings say, until ctx ends.
func (s Settings) Evaluate(ctx context.Context, model Scorer, d *dataset.Dataset) (*Report, error) {
	if v := reflect.ValueOf(model); v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, errors.New("metric: the model is nil, as the result of a training that failed is")
	}
	if model == nil || d == nil || d.X == nil || d.Taxonomy == nil {
		return nil, errors.New("metric: Evaluate needs a model and a dataset with instances and a taxonomy")
	}
	if d.X.Rows != len(d.Labels) {
		return nil, fmt.Errorf("metric: dataset %q has %d instances and labels for %d; give every instance its labels", d.Name, d.X.Rows, len(d.Labels))
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
			return nil, fmt.Errorf("metric: ended after %d of %d instances: %w", start, d.X.Rows, err)
		}
		end := min(start+size, d.X.Rows)
		if err := e.evaluate(model, rows(d.X, start, end), d.Labels[start:end]); err != nil {
			return nil, err
		}
	}
	return e.report()
}

// EvaluateInstances is Evaluate for instances that are read one after the other and need not fit
// into memory, with the given number of columns: those that the model knows. Columns above them are
// left out. What it keeps of an instance are the values of its measures.
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
			return fmt.Errorf("metric: ended after %d instances: %w", e.n, err)
		}
		if err := checkInstances(model, x); err != nil {
			return fmt.Errorf("metric: %w", err)
		}
		if s.Weights != nil && len(s.Weights) < e.n+x.Rows {
			return fmt.Errorf("metric: %d weights for more instances; give one each, or none", len(s.Weights))
		}
		e.grow(x.Rows)
		err := e.evaluate(model, x, labels)
		// A model may keep what it was given: the next batch is another one.
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

// checkInstances asks the model whether it can score the instances, if it can be asked.
func checkInstances(model Scorer, x *dataset.Matrix) error {
	if c, ok := model.(interface{ Check(*dataset.Matrix) error }); ok {
		return c.Check(x)
	}
	return nil
}

// checkTaxonomy asks the model whether it predicts labels of t, if it can be asked.
func checkTaxonomy(model Scorer, t *taxonomy.Taxonomy) error {
	if c, ok := model.(interface {
		CheckTaxonomy(*taxonomy.Taxonomy) error
	}); ok {
		return c.CheckTaxonomy(t)
	}
	return nil
}

// EvaluateScores does what the function EvaluateScores does, as the settings say.
func (s Settings) EvaluateScores(scores *mat.Dense, labels [][]int, t *taxonomy.Taxonomy) (*Report, error) {
	return s.evaluateScores(scores, nil, labels, t)
}

// EvaluateSets compares scores and predicted sets of nodes, ascending, none above another and
// possibly empty, with the labels: what Evaluate does with what a Decider says.
func (s Settings) EvaluateSets(scores *mat.Dense, predicted, labels [][]int, t *taxonomy.Taxonomy) (*Report, error) {
	if len(predicted) != len(labels) {
		return nil, fmt.Errorf("metric: %d predicted label sets and %d true ones; expected one of each an instance", len(predicted), len(labels))
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
		return nil, fmt.Errorf("metric: precision at %d; take the precision at 1 label or more", at[0])
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
