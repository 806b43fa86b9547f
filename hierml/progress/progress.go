// Package progress carries a progress observer in a context, for work whose caller passed no
// callback. A notebook sets an observer that draws a bar; in a program there is none, and nothing
// happens.
//
// Long-running functions call [Begin], unless they were given a progress function, and pass on the
// context that it returns. Nested work is not shown: the user waits for the whole.
package progress

import (
	"context"
	"sync/atomic"
	"time"
)

// A Watcher observes work. It must be safe for concurrent use.
type Watcher interface {
	// Begin returns the task, or nil if its progress should not be reported.
	Begin(what string) Task
	// Note receives one line that the user should know about the outcome of work.
	Note(text string)
}

// A Task is running work. Its methods must be safe for concurrent use.
type Task interface {
	// Report receives the share of the work that is done, from 0 to 1, NaN if unknown, and a
	// description of the state. It calls state only to show it.
	Report(done float64, state func() string)
	// Expect receives the expected remaining time of the work, negative if unknown. For work that
	// does not call it, a watcher may estimate the time from the share done.
	Expect(left time.Duration)
	// End is called once, at the end of the work, whether or not it succeeded.
	End()
}

type key struct{}

// With returns a context with the observer w; nil means no observer.
func With(ctx context.Context, w Watcher) context.Context { return context.WithValue(ctx, key{}, w) }

// Silent returns a context without an observer, for the parts of work that is reported as a whole.
// If ctx has no observer, it returns ctx.
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

// Begin announces work to the observer of the context, in a word or two, such as "training". It
// returns a silent context for the parts of the work, and the task, which the caller must end.
// Without an observer the task is nil, whose methods do nothing.
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

// Note passes an important remark about an outcome to the observer of the context, if there is one.
// ctx must be the context of the whole work, before Begin.
func Note(ctx context.Context, text string) {
	if w := watcher(ctx); w != nil {
		w.Note(text)
	}
}

// attending is the watcher of functions that are given no context, nil for nobody.
var attending atomic.Pointer[Watcher]

// SetDefault sets the observer for NoteDefault, in the whole process. Notebooks and commands set
// theirs.
func SetDefault(w Watcher) { attending.Store(&w) }

// NoteDefault passes a note to the observer of SetDefault, if there is one, for functions without a
// context. It calls text only then, and drops an empty text.
func NoteDefault(text func() string) {
	w := attending.Load()
	if w == nil || *w == nil {
		return
	}
	if said := text(); said != "" {
		(*w).Note(said)
	}
}

// WithNotesFrom returns a context like ctx, for a part of the work of whole, which passes notes,
// and nothing else, to the observer of whole. Use it for the last part, whose outcome is that of
// the whole.
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

// WithoutNotes returns a context like ctx that drops notes, for a part of work whose outcome is not
// that of the whole.
func WithoutNotes(ctx context.Context) context.Context {
	w := watcher(ctx)
	if w == nil {
		return ctx
	}
	return With(ctx, withoutNotes{w})
}

// withoutNotes passes on everything except notes.
type withoutNotes struct{ Watcher }

func (withoutNotes) Note(string) {}

// Work is a task with an observer or, if it is nil, without one.
type Work struct{ task Task }

// Report passes its arguments to the observer, if there is one; see [Task].
func (w *Work) Report(done float64, state func() string) {
	if w != nil {
		w.task.Report(done, state)
	}
}

// Expect passes its argument to the observer, if there is one; see [Task].
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

// Follow is [Begin] for work that reports to the function report or, if that is nil, to the
// observer of the context, if there is one. It returns the context for the parts of the work, the
// function to report to, which may be nil, and a function to call at the end.
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
