package bayes

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/hierml/solver"
)

// Shrinkage is naive Bayes with shrinkage [MRMN98, section 3]:
//
//	P(w|c) = sum_k lambda_k theta_k(w) + lambda_u / V
//
// where theta_k are the word frequencies at the nodes k of the path from the leaf c upwards,
// without the documents of the previous node on the path, so that no document counts twice, and V
// is the number of features. Several roots get a common node above them. A node without remaining
// words, such as one with a single child, is left out. The lambda of a leaf are at least 0 and sum
// to 1. They maximize the log probability of held-out words, by expectation maximization (EM)
// starting from equal values.
//
// The log probability is concave in lambda, so the training has a certificate, in nats: Primal is
// minus the sum over the leaves, and Dual is a lower bound for all lambda.
//
// The taxonomy is a tree or a forest. The zero value is ready to use.
type Shrinkage struct {
	// HeldOut has the documents whose words determine lambda. They must differ from those passed to
	// Fit, with the same features and the same taxonomy. By default each document passed to Fit is
	// held out in turn, while the others are counted.
	HeldOut *dataset.Dataset
	// Words holds out each occurrence of a word in turn instead, and counts the others, including
	// those of its document. Set it if leaves have few documents: holding out one of a few
	// documents leaves too few words in the leaf, so it is shrunk too far towards the nodes above.
	Words bool
	// Gap is the relative gap between Primal and Dual to reach in each leaf. The default value is
	// 1e-4.
	Gap float64
	// MaxSteps bounds the steps of EM in each leaf. The default value is 1000.
	MaxSteps int
	// Workers is the number of goroutines; the result does not depend on it. The default value is
	// the number of CPUs.
	Workers int
	// Progress is called with the share of the leaves that are learned. If it returns an error, Fit
	// stops.
	Progress func(done float64, state string) error
}

// settled returns the settings with their defaults.
func (s Shrinkage) settled() (Shrinkage, error) {
	const (
		gap      = 1e-4
		maxSteps = 1000
	)
	if math.IsNaN(s.Gap) || s.Gap < 0 {
		return s, fmt.Errorf("bayes: Gap is %v; it must be a share of the log probability, or 0 for the default of %v", s.Gap, gap)
	}
	if s.MaxSteps < 0 {
		return s, fmt.Errorf("bayes: MaxSteps is %d; it must not be negative, and 0 means the default of %d", s.MaxSteps, maxSteps)
	}
	if s.Workers < 0 {
		return s, fmt.Errorf("bayes: Workers is %d; it must not be negative, and 0 means one per CPU", s.Workers)
	}
	if s.Gap == 0 {
		s.Gap = gap
	}
	if s.MaxSteps == 0 {
		s.MaxSteps = maxSteps
	}
	return s, nil
}

// Fit counts words and learns lambda; see [classifier.Estimator].
func (s Shrinkage) Fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	return classifier.FitAll(ctx, d, func(d *dataset.Dataset) (*classifier.Model, error) { return s.fit(ctx, d) })
}

func (s Shrinkage) fit(ctx context.Context, d *dataset.Dataset) (*classifier.Model, error) {
	begin := time.Now()
	s, err := s.settled()
	if err != nil {
		return nil, err
	}
	if err := check(d); err != nil {
		return nil, err
	}
	if err := classifier.CheckUnweighted(d, "shrinkage", "it holds out each document once, but of a document of weight 2 it would have to hold out one half and keep the other"); err != nil {
		return nil, fmt.Errorf("bayes: %w; or use Multinomial", err)
	}
	if !d.Taxonomy.IsTree() {
		return nil, fmt.Errorf("bayes: in the taxonomy of dataset %q some nodes have several parents; shrinkage needs a tree", d.Name)
	}
	if h := s.HeldOut; h != nil {
		if err := check(h); err != nil {
			return nil, fmt.Errorf("%w (the documents held out)", err)
		}
		if h.X.Cols != d.X.Cols || h.Taxonomy != d.Taxonomy {
			return nil, fmt.Errorf("bayes: the documents held out, of dataset %q, have other features or another taxonomy than those given to Fit; take two parts of the same data", h.Name)
		}
	}
	if s.HeldOut != nil && s.Words {
		return nil, fmt.Errorf("bayes: HeldOut and Words are both set; set only one of them: HeldOut holds out other documents, Words each occurrence of a word")
	}
	t, err := newTable(d)
	if err != nil {
		return nil, err
	}
	ctx, report, end := progress.Follow(ctx, "naive Bayes", s.Progress)
	defer end()
	p := newPaths(d, s.HeldOut, s.Words)
	leaves := make([]learned, len(p.leaves))
	status, stopped := each(ctx, len(leaves), s.Workers, report, func(ctx context.Context) func(y int) {
		m := newMixture(p)
		return func(y int) {
			m.open(y)
			leaves[y] = s.learn(ctx, m, y)
			t.set(y, float64(len(p.documents[y]))/float64(d.X.Rows), m.probability)
		}
	})
	r := &solver.Result{Weights: t.weights, Status: solver.Converged}
	for _, l := range leaves {
		r.Primal += l.primal
		r.Dual += l.dual
		r.Epochs = max(r.Epochs, l.steps)
		if l.status != solver.Converged {
			r.Status = l.status
		}
	}
	if r.Primal > 0 {
		r.Gap = (r.Primal - r.Dual) / r.Primal
	}
	if stopped != nil {
		r.Status = status
	}
	r.Seconds = time.Since(begin).Seconds()
	m, err := t.model("naive Bayes with shrinkage", classifier.Solved(r))
	if err != nil {
		return nil, err
	}
	return m, stopped
}

// learned is how lambda of a leaf was learned.
type learned struct {
	primal, dual float64
	steps        int
	status       solver.Status
}

// learn learns lambda of the leaf that was opened. The sum over k of lambda_k times the derivative
// by lambda_k is the number of words n, so that by concavity no lambda has a log probability that
// is larger by more than the largest derivative less n.
func (s Shrinkage) learn(ctx context.Context, m *mixture, y int) learned {
	for steps := 0; ; steps++ {
		log, n := m.measure(y)
		l := learned{primal: -log, dual: -log, steps: steps, status: solver.Converged}
		if n == 0 {
			return l
		}
		l.dual = -log - max(0, slices.Max(m.gradient)-n)
		switch {
		case l.primal-l.dual <= s.Gap*l.primal+1e-12*n: // the latter for rounding
			return l
		case ctx.Err() != nil:
			l.status = solver.Cancelled
			return l
		case steps == s.MaxSteps:
			l.status = solver.MaxEpochs
			return l
		}
		m.step(n)
	}
}
