// Package progress carries in a context who wants to see how far work has come of which nobody
// has asked to be told otherwise. A notebook puts in what draws a bar; in a program nobody
// watches, and nothing is done.
//
// Functions that last call [Begin] unless they were given a function for their progress, and pass
// on the context that it returns. Work within such work is not shown: what lasts for the user is
// the whole.
package progress

import (
	"context"
	"sync/atomic"
	"time"
)

// A Watcher is told of work that begins. It may be told by several goroutines at the same time.
type Watcher interface {
	// Begin returns the task, nil if its progress is not to be told.
	Begin(what string) Task
	// Note is told, in a line, what one has to know of the outcome of work.
	Note(text string)
}

// A Task is work that goes on. Its methods may be called by several goroutines at the same time.
type Task interface {
	// Report is told the part of the work that is done, from 0 to 1, NaN if that is not known, and
	// how it stands. It calls state only if it shows it.
	Report(done float64, state func() string)
	// Expect is told how long the work is expected to last from now on, negative if that is not
	// known yet. Of work that does not tell, a watcher may conclude it from the part that is done.
	Expect(left time.Duration)
	// End is called once, when the work is over, whether or not it succeeded.
	End()
}

type key struct{}

// With returns a context in which w is told of work; nil stands for nobody.
func With(ctx context.Context, w Watcher) context.Context { return context.WithValue(ctx, key{}, w) }

// Silent returns a context in which nobody is told, for the parts of work that is reported on as a
// whole. Where nobody watches, it is ctx itself.
func Silent(ctx context.Context) context.Context {
	if watcher(ctx) == nil {
		return ctx
	}
	return With(ctx, nil)
}

func watcher(ctx context.Context) Watcher {
	w, _ := ctx.Value(key{}).(Watcher)
	return w
}

// Begin tells the watcher of the context about work, in a word or two, such as "training". It
// returns the context for the parts of it, which is silent, and the task, to be ended by the
// caller. Where nobody watches, that is nil, whose methods do nothing.
func Begin(ctx context.Context, what string) (context.Context, *Work) {
	w := watcher(ctx)
	if w == nil {
		return ctx, nil
	}
	task := w.Begin(what)
	if task == nil {
		return With(ctx, nil), nil
	}
	return With(ctx, nil), &Work{task}
}

// Note tells the watcher of the context, if there is one, what one has to know of an outcome. The
// context is that of the whole work, as it was before Begin.
func Note(ctx context.Context, text string) {
	if w := watcher(ctx); w != nil {
		w.Note(text)
	}
}

// attending is the watcher of functions that are given no context, nil for nobody.
var attending atomic.Pointer[Watcher]

// SetDefault makes w the watcher that NoteDefault tells, in the whole process. A notebook, and the
// commands, set theirs.
func SetDefault(w Watcher) { attending.Store(&w) }

// NoteDefault tells the watcher that SetDefault has set, if there is one, what a function has to
// say that is given no context. It calls text only then, and tells nothing if that is empty.
func NoteDefault(text func() string) {
	w := attending.Load()
	if w == nil || *w == nil {
		return
	}
	if said := text(); said != "" {
		(*w).Note(said)
	}
}

// WithNotesFrom returns a context like ctx, of a part of the work of whole, whose notes the
// watcher of whole is told, and nothing else: that of the last part, whose outcome is that of the
// whole.
func WithNotesFrom(ctx, whole context.Context) context.Context {
	w := watcher(whole)
	if w == nil {
		return ctx
	}
	return With(ctx, noter{w})
}

// A noter passes notes on.
type noter struct{ Watcher }

func (noter) Begin(string) Task { return nil }

// WithoutNotes returns a context like ctx, of a part of work whose outcome is not that of the
// whole: its watcher is told no notes.
func WithoutNotes(ctx context.Context) context.Context {
	w := watcher(ctx)
	if w == nil {
		return ctx
	}
	return With(ctx, withoutNotes{w})
}

// withoutNotes passes on all but notes.
type withoutNotes struct{ Watcher }

func (withoutNotes) Note(string) {}

// Work is a task that somebody watches or, if it is nil, nobody.
type Work struct{ task Task }

// Report tells the watcher, if there is one, as [Task] does.
func (w *Work) Report(done float64, state func() string) {
	if w != nil {
		w.task.Report(done, state)
	}
}

// Expect tells the watcher, if there is one, as [Task] does.
func (w *Work) Expect(left time.Duration) {
	if w != nil {
		w.task.Expect(left)
	}
}

// End ends the work.
func (w *Work) End() {
	if w != nil {
		w.task.End()
	}
}

// Follow is [Begin] for work that tells report, unless that is nil, and else the watcher of the
// context, if there is one. It returns the context for the parts of the work, the function to
// tell, which may be nil, and one to call at the end.
func Follow(ctx context.Context, what string, report func(done float64, state string) error) (context.Context, func(done float64, state string) error, func()) {
	if report != nil {
		return Silent(ctx), report, func() {}
	}
	ctx, w := Begin(ctx, what)
	if w == nil {
		return ctx, nil, func() {}
	}
	return ctx, func(done float64, state string) error {
		w.task.Report(done, func() string { return state })
		return nil
	}, w.End
}
