package perceptron

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/hierml/notebook/hierml/progress"
)

// Settings are common to all methods. The zero value is ready to use.
type Settings struct {
	// Epochs bounds the passes of Fit over the instances; an epoch without an update is the last
	// one. Minover makes at most this many updates per instance. The default value is 20.
	Epochs int
	// Shuffle makes Fit visit the instances in a new random order in every epoch. By default the
	// order is that of the data.
	Shuffle bool
	// Seed determines the orders; equal seeds give equal results.
	Seed uint64
	// Progress, if not nil, is called after every epoch. An error stops the training.
	Progress func(Progress) error
	// Observe, if not nil, is called after every update.
	Observe func(Update)
}

// DefaultEpochs is the default number of epochs: kappa of the experiments of [Cai08].
const DefaultEpochs = 20

func (s *Settings) check() error {
	if s.Epochs < 0 {
		return fmt.Errorf("perceptron: Epochs is %d; it must not be negative, and 0 means the default of %d", s.Epochs, DefaultEpochs)
	}
	if s.Epochs == 0 {
		s.Epochs = DefaultEpochs
	}
	return nil
}

// order returns a function that puts rows, initially ascending, into the order of the next epoch.
func (s *Settings) order(rows []int) func() {
	if !s.Shuffle {
		return func() {}
	}
	r := rand.New(rand.NewPCG(s.Seed, 0))
	return func() { r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] }) }
}

// Update is a step that changed the weights.
type Update struct {
	// Step is the number of instances visited, including this one; for Minover the number of
	// updates.
	Step int
	// Instance is the row of the data; for a Learner, the number of previous instances.
	Instance int
	// Label and Other are the nodes y and z whose scores are raised and lowered.
	Label, Other int
	// Margin is F(x, Label) - F(x, Other) before the update.
	Margin float64
	// Size is tau.
	Size float64
}

// Progress is the state after an epoch.
type Progress struct {
	Epoch   int
	Epochs  int  // maximum number
	Steps   int  // instances visited since the start
	Updates int  // in this epoch
	Last    bool // nothing is left to update
	Seconds float64
}

// watch returns report or, if it is nil, a function that reports to the observer of ctx (package
// progress), or nil if there is none. It also returns a function to call at the end.
func watch(ctx context.Context, report func(Progress) error) (func(Progress) error, func()) {
	if report != nil {
		return report, func() {}
	}
	_, work := progress.Begin(ctx, "training")
	if work == nil {
		return nil, func() {}
	}
	return func(p Progress) error {
		work.Report(p.Done(), func() string { return fmt.Sprintf("epoch %d of %d, %d updates", p.Epoch, p.Epochs, p.Updates) })
		return nil
	}, work.End
}

// Done returns the share of the epochs that is done, from 0 to 1.
func (p Progress) Done() float64 {
	if p.Last || p.Epochs == 0 {
		return 1
	}
	return float64(p.Epoch) / float64(p.Epochs)
}

// String returns the state in one line.
func (p Progress) String() string {
	return fmt.Sprintf("epoch %d of %d: %d updates, %.1f s", p.Epoch, p.Epochs, p.Updates, p.Seconds)
}
