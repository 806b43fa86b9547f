package perceptron

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/internal/describe"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// Learner learns from instances one at a time, without returning to earlier ones, for streams or
// data larger than memory. With a kernel it stores the instances that were mistakes. It is not safe
// for concurrent use.
type Learner struct {
	core     *core
	features int
	x        instance
	mistakes int
	started  time.Time
	labels   map[int]bool // that instances had
}

// errNoLearner is the error of a Learner that no estimator created.
var errNoLearner = errors.New("perceptron: the learner was not created by an estimator; call the method Learner of Flat, Hierarchical or Hieron")

// maxFeatures is the maximum number of features of a learner: some gigabytes.
const maxFeatures = 1 << 27

// checkFeatures returns an error if a learner cannot have so many features.
func checkFeatures(features int) error {
	switch {
	case features <= 0:
		return fmt.Errorf("perceptron: a learner for %d features; pass the number of columns of the instances", features)
	case features > maxFeatures:
		return fmt.Errorf("perceptron: a learner for %d features, and at most %d are supported; hash to fewer (features.Text{Bits: 24}), or use Fit, which stores only the features that occur", features, maxFeatures)
	}
	return nil
}

func newLearner(e estimator, t *taxonomy.Taxonomy, features int) (*Learner, error) {
	m, err := prepareFor(e, t)
	if err != nil {
		return nil, err
	}
	if m.intercept != 0 {
		return nil, fmt.Errorf("perceptron: Intercept is %v, and a learner does not support it; append a constant feature to the instances", m.intercept)
	}
	if m.minover {
		return nil, fmt.Errorf("perceptron: Minover searches for the worst of all instances, so it has no learner; use Fit")
	}
	if err := checkFeatures(features); err != nil {
		return nil, err
	}
	l := &Learner{core: &core{rule: newRule(m)}, features: features, started: time.Now()}
	if m.kernel == nil {
		l.core.weights = newPrimal(m.attributes, features, m.averaged)
		return l, nil
	}
	if c, ok := m.kernel.(interface{ Check() error }); ok {
		if err := c.Check(); err != nil {
			return nil, err
		}
	}
	l.core.weights = newSupport(m.attributes, m.kernel)
	return l, nil
}

// Update learns from an instance, given by its features, ascending, their values, and its labels,
// ascending. It reports whether the instance was a mistake: whether another leaf scored at least as
// high as a label, or, for a Hieron, whether another leaf would have been predicted. For an invalid
// instance it returns an error and changes nothing.
func (l *Learner) Update(indices []int32, values []float32, labels []int) (mistake bool, err error) {
	if l.core == nil {
		return false, errNoLearner
	}
	if err := l.check(indices, values); err != nil {
		return false, err
	}
	if l.x.labels, err = l.core.appendPositions(l.x.labels[:0], labels); err != nil {
		return false, fmt.Errorf("perceptron: an instance has %w", err)
	}
	l.x.Vector, l.x.number = gram.Vector{Indices: indices, Values: values}, l.core.steps
	if mistake, err = l.core.visit(&l.x); err != nil {
		return false, err
	}
	if mistake {
		l.mistakes++
	}
	if l.labels == nil {
		l.labels = make(map[int]bool)
	}
	for _, n := range labels {
		l.labels[n] = true
	}
	return mistake, nil
}

// Learn updates from all instances, one after the other, in at most passes passes. A pass without
// an update is the last one. Instances come from a file, such as files.SVMLight.Instances, or from
// memory, dataset.Dataset.Instances. For a second pass they must start again, which they do if the
// file can. Settings.Progress is called after every pass. If ctx is cancelled, or if an instance or
// Progress has an error, Learn returns that error; the learner keeps what it has learned.
func (l *Learner) Learn(ctx context.Context, instances iter.Seq2[dataset.Instance, error], passes int) error {
	if l.core == nil {
		return errNoLearner
	}
	if instances == nil || passes < 1 {
		return fmt.Errorf("perceptron: %d passes over instances; pass instances and at least one pass", passes)
	}
	report, end := watch(ctx, l.core.settings.Progress)
	defer end()
	started := time.Now()
	first := 0
	for pass := range passes {
		steps, updates := l.core.steps, l.core.updates
		for x, err := range instances {
			if err != nil {
				return err
			}
			if l.core.steps%64 == 0 && ctx.Err() != nil {
				return interrupted(ctx)
			}
			if _, err := l.Update(x.Columns, x.Values, x.Labels); err != nil {
				return fmt.Errorf("%w (pass %d, after %d instances)", err, pass+1, l.core.steps-steps)
			}
		}
		seen := l.core.steps - steps
		if pass == 0 {
			first = seen
		} else if seen != first {
			return fmt.Errorf("perceptron: %d instances in pass %d and %d in the first; instances must start again for a further pass", seen, pass+1, first)
		}
		last := l.core.updates == updates
		if report != nil {
			p := Progress{Epoch: pass + 1, Epochs: passes, Steps: l.core.steps, Updates: l.core.updates - updates, Last: last, Seconds: time.Since(started).Seconds()}
			if err := report(p); err != nil {
				return err
			}
		}
		if last {
			break
		}
	}
	return nil
}

// check returns an error if an instance is invalid.
func (l *Learner) check(indices []int32, values []float32) error {
	return checkInstance(indices, values, l.features)
}

// checkInstance returns an error if an instance with the given number of features is invalid.
func checkInstance(indices []int32, values []float32, features int) error {
	if len(indices) != len(values) {
		return fmt.Errorf("perceptron: an instance has %d features and %d values; pass one value per feature", len(indices), len(values))
	}
	before := int32(-1)
	for k, f := range indices {
		if f <= before || int(f) >= features {
			return fmt.Errorf("perceptron: an instance has feature %d after %d; features must ascend and be in 0..%d", f, before, features-1)
		}
		before = f
		if v := float64(values[k]); math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("perceptron: an instance has the value %v of feature %d; values must be finite", v, f)
		}
	}
	return nil
}

// Steps returns the number of instances visited.
func (l *Learner) Steps() int {
	if l.core == nil {
		return 0
	}
	return l.core.steps
}

// Mistakes returns the number of instances that were mistakes when they arrived. It is an unbiased
// estimate of the learner's quality, because none of them had been seen before.
func (l *Learner) Mistakes() int { return l.mistakes }

// seen returns the labels of all instances so far as the labels of one instance.
func (l *Learner) seen() [][]int { return [][]int{slices.Sorted(maps.Keys(l.labels))} }

// Model returns the model of the instances so far: with the mean weights if the estimator is
// averaged, otherwise Last. The learner can continue; the model does not change. It predicts only
// labels that occurred.
func (l *Learner) Model() (*classifier.Model, error) {
	return l.model(l.core != nil && l.core.averaged)
}

// Last returns the model of the last weights.
func (l *Learner) Last() (*classifier.Model, error) {
	m, err := l.model(false)
	if m != nil && l.core.averaged {
		m.Name += ", last weights"
	}
	return m, err
}

func (l *Learner) model(averaged bool) (*classifier.Model, error) {
	if l.core == nil {
		return nil, errNoLearner
	}
	c := l.core
	training := classifier.Training{Seconds: time.Since(l.started).Seconds()}
	var m *classifier.Model
	switch w := c.weights.(type) {
	case primal:
		m = w.model(training, &dataset.Dataset{X: &dataset.Matrix{Cols: l.features, Indptr: []int{0}}, Labels: l.seen()}, averaged, c.steps, true)
	case *support:
		x := &dataset.Matrix{Rows: len(w.vectors), Cols: l.features, Indptr: []int{0}}
		for _, v := range w.vectors {
			x.Indices, x.Values = append(x.Indices, v.Indices...), append(x.Values, v.Values...)
			x.Indptr = append(x.Indptr, len(x.Values))
		}
		u := c.expansion(w.changes, x.Rows, averaged, c.steps)
		expansion := &structured.Expansion{Columns: slices.Clone(c.attributes.Columns()), Rows: *u}
		var err error
		if m, err = classifier.NewKernel(c.attributes, c.kernel, expansion, training, &dataset.Dataset{X: x, Labels: l.seen()}); err != nil {
			return nil, err
		}
	}
	m.Name, m.Instances = c.name, c.steps
	return m, nil
}

func (l *Learner) description() (title string, rows []describe.Row) {
	c := l.core
	if c == nil {
		return "learner not created by an estimator", nil
	}
	row := func(name string, value any) describe.Row { return describe.Row{Name: name, Value: fmt.Sprint(value)} }
	return c.name + ", learning", []describe.Row{
		row("leaves", len(c.attributes.Candidates())), row("features", l.features), row("instances", c.steps),
		row("mistakes", l.mistakes), row("updates", c.updates),
	}
}

// String describes the learner in a few lines.
func (l *Learner) String() string { return describe.Text(l.description()) }

// HTML describes the learner as a table.
func (l *Learner) HTML() string { return describe.HTML(l.description()) }
