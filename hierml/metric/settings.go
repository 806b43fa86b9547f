package metric

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Settings choose what is measured, and how. The zero value is what Evaluate takes.
type Settings struct {
	// At has the numbers of labels k for the precision and the nDCG at k, each at least 1. The default is 1, 3 and 5.
	At []int
	// Loss is that of the top and the maximal loss. The default is loss.Half, as in Cai's thesis: half the distance
	// on trees.
	Loss loss.Loss
	// Original is the taxonomy before dataset.Leafed gave it miscellaneous leaves. What compares sets, along the
	// taxonomy or not, and the accuracy by depth are measured there, where a miscellaneous leaf is the inner node
	// above it, so that they can be compared with what others report. The default is the taxonomy of the data.
	Original *taxonomy.Taxonomy
	// Workers is the number of goroutines that measure. The default is one a processor.
	Workers int
}

// defaultAt are the k of precision and nDCG at k.
var defaultAt = []int{1, 3, 5}

// batch bounds the instances scored at once, and batchScores the scores, and with them the memory that they take.
const (
	batch       = 1024
	leastBatch  = 64
	batchScores = 1 << 23
)

// Evaluate does what the function Evaluate does, as the settings say, until ctx ends.
func (s Settings) Evaluate(ctx context.Context, model Scorer, d *dataset.Dataset) (*Report, error) {
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
	e, err := s.newEvaluation(d.Taxonomy, d.X.Rows)
	if err != nil {
		return nil, err
	}
	decider, _ := model.(Decider)
	size := max(leastBatch, min(batch, batchScores/len(d.Taxonomy.Leaves())))
	for start := 0; start < d.X.Rows; start += size {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("metric: ended after %d of %d instances: %w", start, d.X.Rows, err)
		}
		end := min(start+size, d.X.Rows)
		x := rows(d.X, start, end)
		scores := model.LeafScores(x)
		var decided [][]int
		if decider != nil {
			if decided, err = decider.Decide(x, scores); err != nil {
				return nil, fmt.Errorf("metric: dataset %q: %w", d.Name, err)
			}
			if len(decided) != x.Rows {
				return nil, fmt.Errorf("metric: the model decided for %d of %d instances", len(decided), x.Rows)
			}
		}
		if err := e.add(scores, decided, d.Labels[start:end]); err != nil {
			return nil, err
		}
	}
	return e.report()
}

// EvaluateScores does what the function EvaluateScores does, as the settings say.
func (s Settings) EvaluateScores(scores *mat.Dense, labels [][]int, t *taxonomy.Taxonomy) (*Report, error) {
	return s.evaluateScores(scores, nil, labels, t)
}

// EvaluateSets compares scores and predicted sets of leaves, ascending and possibly empty, with the labels: what
// Evaluate does with what a Decider says.
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
	e, err := s.newEvaluation(t, len(labels))
	if err != nil {
		return nil, err
	}
	if err := e.add(scores, predicted, labels); err != nil {
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

func (s Settings) workers() int {
	if s.Workers > 0 {
		return s.Workers
	}
	return runtime.GOMAXPROCS(0)
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
