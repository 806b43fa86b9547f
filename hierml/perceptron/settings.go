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
	// one. Minover takes at most that many updates an instance. The default value is 20.
	Epochs int
	// Shuffle makes Fit visit the instances in another random order in every epoch. Without it the
	// order is that of the data.
	Shuffle bool
	// Seed determines the orders; equal seeds give equal results.
	Seed uint64
	// Progress, if not nil, is called after every epoch. An error stops the training.
	Progress func(Progress) error
	// Observe, if not nil, is called at every update, after it.
	Observe func(Update)
}

// DefaultEpochs is the number of epochs where Settings has none: kappa of the experiments of
// [Cai08].
const DefaultEpochs = 20

func (s *Settings) check() error {
	if s.Epochs < 0 {
		return fmt.Errorf("perceptron: Epochs is %d; it is not negative, 0 for the default of %d", s.Epochs, DefaultEpochs)
	}
	if s.Epochs == 0 {
		s.Epochs = DefaultEpochs
	}
	return nil
}

// order returns the function that puts rows, in ascending order at first, into the order of the
// next epoch.
func (s *Settings) order(rows []int) func() {
	if !s.Shuffle {
		return func() {}
	}
	r := rand.New(rand.NewPCG(s.Seed, 0))
	return func() { r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] }) }
}

// Update is a step that changed the weights.
type Update struct {
	// Step is the number of instances looked at, this one included; for Minover the number of
	// updates.
	Step int
	// Instance is the row of the data; of a Learner, the number of instances before.
	Instance int
	// Label and Other are the nodes y and z that the instance is told to prefer and to avoid.
	Label, Other int
	// Margin is F(x, Label) - F(x, Other) before the update.
	Margin float64
	// Size is tau.
	Size float64
}

// Progress is the state after an epoch.
type Progress struct {
	Epoch   int
	Epochs  int  // there are at most
	Steps   int  // instances looked at since the start
	Updates int  // in this epoch
	Last    bool // nothing is left to update
	Seconds float64
}

// watch returns report or, if that is nil, a function that tells the watcher of ctx, see package
// progress, or nil if there is none; and a function to call at the end.
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

// Done returns the part of the epochs that is over, from 0 to 1.
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
