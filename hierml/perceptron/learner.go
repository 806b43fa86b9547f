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

// Learner learns from instances one at a time, and needs none of them again: those of a stream, or
// of data larger than the memory. With a kernel it keeps the instances that it was wrong about. It
// is not safe for concurrent use.
type Learner struct {
	core     *core
	features int
	x        instance
	mistakes int
	started  time.Time
	labels   map[int]bool // that instances had
}

// errNoLearner is that of a Learner that no estimator made.
var errNoLearner = errors.New("perceptron: the learner is not made; Flat, Hierarchical and Hieron have a method Learner that makes one")

// maxFeatures is the most features that a learner has room for each of: some gigabytes.
const maxFeatures = 1 << 27

// checkFeatures returns an error if no learner has room for so many features.
func checkFeatures(features int) error {
	switch {
	case features <= 0:
		return fmt.Errorf("perceptron: a learner for %d features; give the number of columns that the instances have", features)
	case features > maxFeatures:
		return fmt.Errorf("perceptron: a learner for %d features, and it has room for each of at most %d; hash to fewer (features.Text{Bits: 24}), or learn by Fit, which has room for those that occur", features, maxFeatures)
	}
	return nil
}

func newLearner(e estimator, t *taxonomy.Taxonomy, features int) (*Learner, error) {
	m, err := prepareFor(e, t)
	if err != nil {
		return nil, err
	}
	if m.intercept != 0 {
		return nil, fmt.Errorf("perceptron: Intercept is %v, which Fit appends to the instances it has; a learner takes them as they come: append a constant yourself", m.intercept)
	}
	if m.minover {
		return nil, fmt.Errorf("perceptron: Minover looks for the worst of all instances; it has no learner that sees them one at a time")
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

// Update looks at an instance, given by its features, ascending, their values and its labels,
// ascending, and learns from it. It tells whether the instance was a mistake: whether a leaf that
// is no label scored as high as one that is; for a Hieron, whether another leaf would have been
// predicted. An instance that is not valid is an error, and changes nothing.
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

// Learn updates from all instances, one after the other, at most as many times as passes says. A
// pass without an update is the last one. Instances come from a file, files.SVMLight.Instances and
// the like, or from memory, dataset.Dataset.Instances; for a second pass they have to begin again,
// which they do if the file can. Settings.Progress is called after every pass. If ctx ends, if an
// instance is an error or Progress returns one, Learn returns that error; the learner keeps what it
// has learned.
func (l *Learner) Learn(ctx context.Context, instances iter.Seq2[dataset.Instance, error], passes int) error {
	if l.core == nil {
		return errNoLearner
	}
	if instances == nil || passes < 1 {
		return fmt.Errorf("perceptron: %d passes over instances; give instances and at least one pass", passes)
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
			return fmt.Errorf("perceptron: %d instances in pass %d and %d in the first; instances have to begin again for a further pass", seen, pass+1, first)
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

// check returns what is wrong with an instance.
func (l *Learner) check(indices []int32, values []float32) error {
	return checkInstance(indices, values, l.features)
}

// checkInstance returns what is wrong with an instance of so many features.
func checkInstance(indices []int32, values []float32, features int) error {
	if len(indices) != len(values) {
		return fmt.Errorf("perceptron: an instance has %d features and %d values; give each its value", len(indices), len(values))
	}
	before := int32(-1)
	for k, f := range indices {
		if f <= before || int(f) >= features {
			return fmt.Errorf("perceptron: an instance has feature %d after %d; features ascend and lie in 0..%d", f, before, features-1)
		}
		before = f
		if v := float64(values[k]); math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("perceptron: an instance has the value %v of feature %d; values are finite", v, f)
		}
	}
	return nil
}

// Steps returns the number of instances looked at.
func (l *Learner) Steps() int {
	if l.core == nil {
		return 0
	}
	return l.core.steps
}

// Mistakes returns the number of instances that were mistakes when they came, which is an honest
// estimate of how well the learner does: none of them was known.
func (l *Learner) Mistakes() int { return l.mistakes }

// seen returns the labels that instances had so far, as those of one.
func (l *Learner) seen() [][]int { return [][]int{slices.Sorted(maps.Keys(l.labels))} }

// Model returns the model of the instances so far: that of the mean weights where the estimator is
// averaged, otherwise Last. The learner may go on; the model stays as it is. It
// predicts only labels that an instance had.
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
		return "learner that is not made", nil
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
