package perceptron

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
)

// outcome is the result of a training.
type outcome struct {
	model          *classifier.Model
	steps, updates int
}

// training is the state of a training on a data set.
type training struct {
	*core
	data    *dataset.Dataset
	labels  [][]int32
	at      instance
	started time.Time
	epochs  int
	report  func(Progress) error // nil for none
	done    bool                 // nothing is left to update
}

// row returns row i as an instance, valid until the next call.
func (t *training) row(i int) *instance {
	t.at = instance{Vector: gram.Row(t.data.X, i), number: i, labels: t.labels[i]}
	return &t.at
}

// fit trains on the instances of d. If it is interrupted, it returns the outcome so far.
func (m *method) fit(ctx context.Context, d *dataset.Dataset) (*outcome, error) {
	labels, err := m.positions(d)
	if err != nil {
		return nil, err
	}
	t := &training{core: &core{rule: newRule(m)}, data: d, labels: labels, started: time.Now()}
	kernel := m.kernel
	if m.minover && kernel == nil {
		kernel = gram.Linear{}
	}
	if kernel == nil {
		t.weights = newPrimal(m.attributes, d.X.Cols, m.averaged)
	} else if t.weights, err = newExamples(m.attributes, kernel, d.X); err != nil {
		return nil, err
	}
	run := t.online
	if m.minover {
		run = t.minover
	}
	report, end := watch(ctx, t.settings.Progress)
	defer end()
	t.report = report
	stopped := run(ctx)
	var input *inputError
	if errors.As(stopped, &input) {
		return nil, stopped
	}
	model, err := t.model(ctx, stopped)
	if err != nil {
		return nil, err
	}
	return &outcome{model, t.steps, t.updates}, stopped
}

// online visits all instances, one after the other, until there are no mistakes.
func (t *training) online(ctx context.Context) error {
	rows := make([]int, t.data.X.Rows)
	for i := range rows {
		rows[i] = i
	}
	shuffle := t.settings.order(rows)
	for !t.done && t.epochs < t.settings.Epochs {
		shuffle()
		before := t.updates
		for k, i := range rows {
			if k%64 == 0 && ctx.Err() != nil {
				return interrupted(ctx)
			}
			if _, err := t.visit(t.row(i)); err != nil {
				return err
			}
		}
		if err := t.end(t.updates - before); err != nil {
			return err
		}
	}
	return nil
}

// end counts and reports an epoch with the given number of updates, without any if it is the last.
func (t *training) end(updates int) error {
	t.epochs++
	t.done = t.done || updates == 0
	if t.report == nil {
		return nil
	}
	return t.report(Progress{
		Epoch: t.epochs, Epochs: t.settings.Epochs, Steps: t.steps, Updates: updates, Last: t.done, Seconds: time.Since(t.started).Seconds(),
	})
}

// interrupted returns the cause of the cancellation of ctx.
func interrupted(ctx context.Context) error {
	return fmt.Errorf("perceptron: stopped before the end of the training: %w", context.Cause(ctx))
}

// model returns the model of the completed steps, which ended with the given error.
func (t *training) model(ctx context.Context, stopped error) (*classifier.Model, error) {
	training := classifier.Training{Status: solver.MaxEpochs, Epochs: t.epochs, Seconds: time.Since(t.started).Seconds()}
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		training.Status = solver.TimeLimit
	case ctx.Err() != nil:
		training.Status = solver.Cancelled
	case stopped != nil:
		training.Status = solver.Stopped
	case t.done:
		training.Status = solver.Converged
	}
	var model *classifier.Model
	switch w := t.weights.(type) {
	case primal:
		model = w.model(training, t.data, t.averaged, t.steps, false)
	case *examples:
		u := t.expansion(w.changes, t.data.X.Rows, t.averaged, t.steps)
		if t.kernel == nil {
			p := newPrimal(t.attributes, t.data.X.Cols, false)
			for i := range t.data.X.Rows {
				columns, values := u.Row(i)
				if err := p.add(t.row(i), change{}, columns, values); err != nil {
					return nil, err
				}
			}
			model = p.model(training, t.data, false, t.steps, false)
			break
		}
		expansion := &structured.Expansion{Columns: t.attributes.Columns(), Rows: *u}
		var err error
		if model, err = classifier.NewKernel(t.attributes, t.kernel, expansion, training, t.data); err != nil {
			return nil, err
		}
	}
	model.Name = t.name
	return model, nil
}
