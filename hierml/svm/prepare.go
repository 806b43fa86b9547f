package svm

import (
	"context"
	"errors"
	"fmt"

	"github.com/hierml/notebook/hierml/solver"
)

// errPreparing ends preparations when Settings.Time is over.
var errPreparing = errors.New("svm: the time was up before the training")

// prepare calls do, for a preparation without which there are no weights, within the time of the
// settings. what describes it, and says what to do if the time is too short, for the error.
func prepare[T any](ctx context.Context, settings solver.Settings, what string, do func(ctx context.Context) (T, error)) (T, error) {
	if settings.Time <= 0 {
		return do(ctx)
	}
	settings.Begin()
	timed, cancel := context.WithTimeoutCause(ctx, settings.Left(), errPreparing)
	defer cancel()
	made, err := do(timed)
	if err != nil && errors.Is(context.Cause(timed), errPreparing) {
		err = fmt.Errorf("svm: the time of %v was up before the training, while %s", settings.Time, what)
	}
	return made, err
}

// factored is prepare for factors of a graph.
func factored[T any](ctx context.Context, settings solver.Settings, do func(ctx context.Context) (T, error)) (T, error) {
	return prepare(ctx, settings, "the graph was factored; give more time, or a taxonomy with fewer nodes of several parents", do)
}
