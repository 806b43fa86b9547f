// Package bayes provides naive Bayes classifiers of documents as estimators. For a document with
// x_w occurrences of the word w, the score of the leaf c is
//
//	log P(c) + sum_w x_w log P(w|c)
//
// where P(c) is the share of c in the training documents. It is linear, so the models are those of
// package classifier, with log P(w|c) as weights and log P(c) as [classifier.Model.Constant].
//
//   - [Shrinkage] shrinks P(w|c) towards the estimates of the categories above [MRMN98], which
//     helps if leaves have few documents.
//   - [Multinomial] uses P(w|c) of the leaf alone, with Alpha added to the count of every word.
//
// Features must be counts of words, such as those of features.Text{Weight: features.Counts, Norm:
// features.NoNorm}, or other numbers that are not negative. Every instance must have one label, a
// leaf.
package bayes

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/guarded"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
)

// Multinomial is naive Bayes without the hierarchy:
//
//	P(w|c) = (n_cw + Alpha) / (sum_v n_cv + Alpha V)
//
// with n_cw the occurrences of the word w in the documents of the leaf c, each times its weight,
// and V the number of features. It is for comparison with Shrinkage. The zero value is ready to
// use.
type Multinomial struct {
	// Alpha is added to the count of every word. The default value is 1.
	Alpha float64
}

// Fit counts words; see [classifier.Estimator]. If ctx is cancelled, it returns no model.
func (s Multinomial) Fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	return classifier.FitAll(ctx, d, func(d *dataset.Dataset) (*classifier.Model, error) { return s.fit(ctx, d) })
}

func (s Multinomial) fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	begin := time.Now()
	if s.Alpha == 0 {
		s.Alpha = 1
	}
	if !(s.Alpha > 0) || math.IsInf(s.Alpha, 1) {
		return nil, fmt.Errorf("bayes: Alpha is %v; it must be positive, or 0 for the default of 1", s.Alpha)
	}
	if err := check(d); err != nil {
		return nil, err
	}
	t, err := newTable(d)
	if err != nil {
		return nil, err
	}
	sum := newSummer(d.X.Cols)
	all, weight := make([]float64, d.X.Cols), 0.0
	for i := range d.X.Rows {
		weight += d.Weight(i)
	}
	for y, rows := range byLeaf(d) {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("bayes: training was ended: %w", err)
		}
		of, documents := sum.rows(d, rows), 0.0
		for _, i := range rows {
			documents += d.Weight(i)
		}
		total := s.Alpha * float64(len(all))
		for w := range all {
			all[w] = s.Alpha
		}
		for k, w := range of.words {
			all[w] += of.times[k]
			total += of.times[k]
		}
		t.set(y, documents/weight, func(word int) float64 { return all[word] / total })
	}
	return t.model("multinomial naive Bayes", classifier.Training{Status: solver.Converged, Epochs: 1, Seconds: time.Since(begin).Seconds()})
}

// maxWeights bounds the weights of a model, of four bytes each.
const maxWeights = 1 << 30

// never is the logarithm of the share of a leaf without documents.
const never = -1e9

// table has the scores' parts of all leaves. Leaves may be set at the same time.
type table struct {
	d          *dataset.Dataset
	attributes *structured.Attributes
	weights    *structured.Weights
	constants  []float64
}

func newTable(d *dataset.Dataset) (*table, error) {
	leaves := d.Taxonomy.Leaves()
	if d.X.Cols > maxWeights/len(leaves) {
		return nil, fmt.Errorf("bayes: dataset %q has %d features and %d leaves, which need more than %d weights; choose fewer features, with features.ChiSquare or features.DocumentFrequency", d.Name, d.X.Cols, len(leaves), maxWeights)
	}
	a := structured.Flat(d.Taxonomy)
	return &table{d: d, attributes: a, weights: structured.NewWeights(a.Columns(), d.X.Cols), constants: make([]float64, len(a.Columns()))}, nil
}

// set sets the scores' parts of leaf y, which a share of the documents have.
func (t *table) set(y int, share float64, probability func(word int) float64) {
	c := t.attributes.Column(t.d.Taxonomy.Leaves()[y])
	if c < 0 { // it is the only leaf
		return
	}
	t.constants[c] = never
	if share > 0 {
		t.constants[c] = math.Log(share)
	}
	for w := range t.d.X.Cols {
		t.weights.Set(w, c, logarithm(probability(w)))
	}
}

// logarithm returns that of a probability, finite if it is 0.
func logarithm(p float64) float64 { return math.Log(max(p, 1e-300)) }

func (t *table) model(name string, training classifier.Training) (*classifier.Model, error) {
	m, err := classifier.NewConstant(t.attributes, t.weights, t.constants, training, t.d)
	if err != nil {
		return nil, err
	}
	m.Name = name
	return m, nil
}

// check returns an error unless words of the data can be counted.
func check(d *dataset.Dataset) error {
	if err := classifier.CheckLeaves(d); err != nil {
		return fmt.Errorf("bayes: %w", err)
	}
	if err := structured.CheckMatrix(d.X); err != nil {
		return fmt.Errorf("bayes: dataset %q: %w", d.Name, err)
	}
	for i, set := range d.Labels {
		if len(set) != 1 {
			return fmt.Errorf("bayes: row %d of dataset %q has %d labels; naive Bayes needs exactly one label per row: give every row one leaf", i, d.Name, len(set))
		}
		features, values := d.X.Row(i)
		if k := slices.IndexFunc(values, func(v float32) bool { return v < 0 }); k >= 0 {
			return fmt.Errorf("bayes: row %d of dataset %q has the value %v of feature %d; counts of words must not be negative", i, d.Name, values[k], features[k])
		}
	}
	return nil
}

// byLeaf returns the rows of each leaf.
func byLeaf(d *dataset.Dataset) [][]int {
	rows := make([][]int, len(d.Taxonomy.Leaves()))
	for i, set := range d.Labels {
		y := d.Taxonomy.LeafIndex(set[0])
		rows[y] = append(rows[y], i)
	}
	return rows
}

// each calls the function that start returns for 0 to n-1 on several goroutines, also after ctx or
// the progress function has ended the work: the context given to start tells that it is to be
// short. It returns what has ended it.
func each(ctx context.Context, n, workers int, report func(done float64, state string) error, start func(ctx context.Context) func(y int)) (status solver.Status, err error) {
	workers = guarded.Workers(workers)
	within, stop := context.WithCancel(ctx)
	defer stop()
	var (
		next atomic.Int64
		mu   sync.Mutex
		done int
		wait guarded.Group
	)
	for range min(workers, n) {
		wait.Go(func() {
			work := start(within)
			for y := int(next.Add(1)) - 1; y < n; y = int(next.Add(1)) - 1 {
				work(y)
				mu.Lock()
				if done++; report != nil && err == nil {
					if failed := report(float64(done)/float64(n), fmt.Sprintf("leaf %d of %d", done, n)); failed != nil {
						status, err = solver.Stopped, fmt.Errorf("bayes: stopped by the progress function: %w", failed)
						stop()
					}
				}
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	if err == nil && ctx.Err() != nil {
		status, err = solver.Cancelled, fmt.Errorf("bayes: training was ended: %w", ctx.Err())
	}
	return status, err
}
