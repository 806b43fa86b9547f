package solver

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/hierml/structured"
)

// Watch makes Progress, if it is nil, a function that tells the watcher of ctx, see package
// progress, if there is one; another is told what is Done. It returns the context for what is
// trained with the settings, and a function to call when that is over.
func (s *Settings) Watch(ctx context.Context) (context.Context, func()) {
	if tell := s.Progress; tell != nil {
		w := &way{settings: *s}
		s.Progress = func(p Progress) error {
			p.done = w.done(p)
			return tell(p)
		}
		return progress.Silent(ctx), func() {}
	}
	ctx, work := progress.Begin(ctx, "training")
	if work == nil {
		return ctx, func() {}
	}
	w := &watched{work: work, way: way{settings: *s, behind: math.NaN()}}
	s.Progress = w.epoch
	s.watched = w
	return ctx, work.End
}

// watched is a training whose watcher is told of it. The methods of nil, of a training that nobody
// watches, do nothing.
type watched struct {
	work *progress.Work
	way  way
	last Progress // what the last certificate or estimate has told, zero before the first
}

// epoch tells of an epoch that is over.
func (w *watched) epoch(p Progress) error {
	w.last = p
	w.way.behind = w.way.done(p)
	w.work.Expect(w.way.left(p))
	w.work.Report(w.way.behind, p.state)
	return nil
}

// begin takes the gap of the point that the training begins at.
func (w *watched) begin(gap float64) {
	if w != nil {
		w.last = Progress{Gap: gap}
	}
}

// tell tells of what is done between the epochs and within one, and at what gap the training
// stands: an epoch may last for minutes, so the bar shows this and hardly ever the end of an epoch.
func (w *watched) tell(state func() string) {
	if w != nil {
		w.work.Report(w.way.behind, func() string {
			if gap := w.last.reached(); !(gap > 0) || math.IsInf(gap, 1) {
				return state()
			}
			return state() + ", " + w.last.gap()
		})
	}
}

// left returns how long the training will last after an epoch, negative if that cannot be known.
func (w *way) left(p Progress) time.Duration {
	w.forecast.add(p)
	goal, most := w.ends()
	return w.forecast.left(goal, most, w.settings.Time)
}

// A way is that of a training to its end.
type way struct {
	settings Settings
	first    float64 // gap
	behind   float64 // done after the last epoch, NaN in the first
	forecast forecast
}

// ends returns the gap and the number of epochs that end the training.
func (w *way) ends() (goal float64, most int) {
	return cmp.Or(w.settings.Gap, DefaultGap), cmp.Or(w.settings.MaxEpochs, DefaultMaxEpochs)
}

// done returns how much of the way is behind: of that of the logarithm of the gap, or of the epochs
// or the time where these are nearer to their end.
func (w *way) done(p Progress) float64 {
	goal, most := w.ends()
	gap := p.reached()
	if w.first == 0 && gap > 0 && !math.IsInf(gap, 0) {
		w.first = gap
	}
	done := float64(p.Epoch) / float64(most)
	if w.settings.Time > 0 {
		done = max(done, p.Seconds*float64(time.Second)/float64(w.settings.Time))
	}
	switch {
	case p.Gap <= goal:
		return 1
	case gap < w.first && w.first > goal:
		done = max(done, math.Log(w.first/gap)/math.Log(w.first/goal))
	}
	return min(done, 1)
}

// reached is the gap that the training has come to, or what it is thought to be.
func (p Progress) reached() float64 {
	if p.Estimate > 0 {
		return p.Estimate
	}
	return p.Gap
}

// state says how the training stands, for a bar.
func (p Progress) state() string {
	s := fmt.Sprintf("epoch %d, %s", p.Epoch, p.gap())
	if p.Seconds > 0 {
		s += fmt.Sprintf(", %.3g epochs/s", float64(p.Epoch)/p.Seconds)
	}
	return s
}

// gap is the part of the state that says what gap the training has come to.
func (p Progress) gap() string {
	about := ""
	if p.Estimate > 0 {
		about = "about "
	}
	return fmt.Sprintf("gap %s%.2g", about, p.reached())
}

// within tells what share of an epoch is done.
func (w *watched) within(epoch int, share float64) {
	if w != nil {
		w.tell(func() string { return fmt.Sprintf("%.0f %% of epoch %d", 100*share, epoch) })
	}
}

// follow returns a context in which a point, as the text calls it, is certified or its weights are
// built, so that the watcher is told how far that is.
func (s *Settings) follow(ctx context.Context, point string) context.Context {
	if s.watched == nil {
		return ctx
	}
	return structured.Followed(ctx, func(evaluating bool, part float64) {
		s.watched.tell(func() string { return stateOfPoint(point, evaluating, part) })
	})
}

func stateOfPoint(point string, evaluating bool, part float64) string {
	if !evaluating {
		return fmt.Sprintf("building the weights of %s, %.0f %%", point, 100*part)
	}
	return fmt.Sprintf("certifying %s, %.0f %%", point, 100*part)
}
