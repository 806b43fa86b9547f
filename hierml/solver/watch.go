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

// Watch sets Progress, if it is nil, to a function that reports to the observer of ctx (package
// progress), if there is one; a Progress that is set also gets what is Done. It returns the context
// for the training, and a function to call at its end.
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

// watched is a training with an observer. The methods of nil, for a training without one, do
// nothing.
type watched struct {
	work *progress.Work
	way  way
	last Progress // of the last certificate or estimate, zero before the first
}

// epoch reports a finished epoch.
func (w *watched) epoch(p Progress) error {
	w.last = p
	w.way.behind = w.way.done(p)
	w.work.Expect(w.way.left(p))
	w.work.Report(w.way.behind, p.state)
	return nil
}

// begin sets the gap of the starting point of the training.
func (w *watched) begin(gap float64) {
	if w != nil {
		w.last = Progress{Gap: gap}
	}
}

// tell reports the current work, between epochs and within one, and the current gap: an epoch may
// last for minutes, so the bar mostly shows this and not the end of an epoch.
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

// left returns the remaining time of the training after an epoch, negative if unknown.
func (w *way) left(p Progress) time.Duration {
	w.forecast.add(p)
	goal, most := w.ends()
	return w.forecast.left(goal, most, w.settings.Time)
}

// A way is the path of a training to its end.
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

// done returns the completed share of the way: by the logarithm of the gap, or by the epochs or the
// time if these are nearer to their end.
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

// reached is the current gap of the training, or its estimate.
func (p Progress) reached() float64 {
	if p.Estimate > 0 {
		return p.Estimate
	}
	return p.Gap
}

// state describes the state of the training, for a bar.
func (p Progress) state() string {
	s := fmt.Sprintf("epoch %d, %s", p.Epoch, p.gap())
	if p.Seconds > 0 {
		s += fmt.Sprintf(", %.3g epochs/s", float64(p.Epoch)/p.Seconds)
	}
	return s
}

// gap is the part of the state with the current gap.
func (p Progress) gap() string {
	about := ""
	if p.Estimate > 0 {
		about = "about "
	}
	return fmt.Sprintf("gap %s%.2g", about, p.reached())
}

// within reports the share of an epoch that is done.
func (w *watched) within(epoch int, share float64) {
	if w != nil {
		w.tell(func() string { return fmt.Sprintf("%.0f %% of epoch %d", 100*share, epoch) })
	}
}

// follow returns a context for certifying a point or building its weights, which reports that
// progress to the observer; the text describes the point.
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
