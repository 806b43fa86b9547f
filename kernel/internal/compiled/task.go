package compiled

import (
	"context"
	"maps"
	"runtime"
	"runtime/pprof"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"github.com/hierml/notebook/kernel/internal/compiled/cell"
	"github.com/hierml/notebook/kernel/internal/program"
)

// A task is a call that the runner supervises, with the goroutines that it starts, which may
// outlive it.
type task struct {
	cell int
	// contexts end only when the task is stopped. halted then says the same without a lock.
	contexts *program.Ending
	halted   atomic.Bool
	// late is closed when deferred calls of a stopped task have had enough time to wait.
	late chan struct{}
	// finished is closed when the call has ended.
	finished chan struct{}

	mu      sync.Mutex
	main    string // the number of the call's goroutine
	failure error  // why the task was stopped, or the error of the call
	over    bool   // the call has ended
	bundle  *program.Bundle
	values  []any // of the bundle
	reached int
	left    *leftOut
}

// A leftOut is an error that a statement of the cell has left out.
type leftOut struct {
	err error
	at  program.Frame
}

func newTask(cell int) *task {
	return &task{cell: cell, late: make(chan struct{}), finished: make(chan struct{}), contexts: program.NewEnding(cell)}
}

func (t *task) stopped() bool { return t.halted.Load() }

// finish records the result of the call, unless the task was stopped for another reason before.
func (t *task) finish(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return
	}
	if t.failure == nil {
		t.failure = err
	}
	t.over = true
	close(t.finished)
}

func (t *task) err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.failure
}

func (t *task) outcome() (*program.Bundle, []any, int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.bundle, t.values, t.reached
}

// tasks finds the task of each goroutine by its profiler labels, which goroutines inherit. Only the
// address of the labels matters, not their content.
type tasks struct {
	relabel func(labels pprof.LabelSet)
	// linger is how long goroutines that outlive a stopped call have to notice that, and how long
	// deferred calls may wait.
	linger time.Duration

	mu     sync.Mutex // held while labels is replaced, and while a goroutine gets a label
	labels atomic.Pointer[map[uintptr]*bearer]
}

// A bearer is the meaning of a label for its goroutines. They are ending when they make their last
// deferred calls. For goroutines that a check has spared, spared has the time of the last look, in
// nanoseconds since 1970; otherwise it is nil.
//
// The garbage collector frees the label when its goroutines have ended. Another label, of another
// runner or of user code, may then get its address before the cleanup runs.
type bearer struct {
	task   *task
	ending bool
	spared *atomic.Int64
	label  weak.Pointer[byte]
}

func newTasks(relabel func(labels pprof.LabelSet)) *tasks {
	if relabel == nil {
		relabel = func(labels pprof.LabelSet) {
			pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), labels))
		}
	}
	all := &tasks{relabel: relabel, linger: time.Second}
	all.labels.Store(&map[uintptr]*bearer{})
	return all
}

// begin makes the calling goroutine that of a task's call.
func (all *tasks) begin(t *task) {
	t.main = goroutine()
	all.label(bearer{task: t})
}

// label gives the calling goroutine a label with this meaning.
func (all *tasks) label(b bearer) {
	number := 0
	if b.task != nil {
		number = b.task.cell
	}
	all.setLabels(b, pprof.Labels("cell", strconv.Itoa(number)))
}

// setLabels gives the calling goroutine labels whose address has this meaning.
func (all *tasks) setLabels(b bearer, labels pprof.LabelSet) {
	all.mu.Lock()
	all.relabel(labels)
	label := program.Label()
	b.label = weak.Make((*byte)(label))
	all.replace(func(labels map[uintptr]*bearer) { labels[uintptr(label)] = &b })
	all.mu.Unlock()
	runtime.AddCleanup((*byte)(label), func(at uintptr) {
		all.mu.Lock()
		defer all.mu.Unlock()
		all.replace(func(labels map[uintptr]*bearer) {
			if labels[at] == &b { // and not that of a new label at the same address
				delete(labels, at)
			}
		})
	}, uintptr(label))
}

// replace changes a copy of labels. all.mu is held.
func (all *tasks) replace(change func(map[uintptr]*bearer)) {
	labels := maps.Clone(*all.labels.Load())
	change(labels)
	all.labels.Store(&labels)
}

// mayBeStopped reports whether the calling goroutine's task was stopped, or the task of a label
// with the same address. While a cell ends, the loops of all others ask this in each round, and
// checking that the label is the same would take three times as long.
func (all *tasks) mayBeStopped() bool {
	b := (*all.labels.Load())[uintptr(program.Label())]
	return b != nil && b.task != nil && b.task.stopped()
}

// bearer returns the record of the calling goroutine; its task is nil if it belongs to none.
func (all *tasks) bearer() bearer {
	if b := (*all.labels.Load())[uintptr(program.Label())]; b != nil && b.label.Value() != nil {
		return *b
	}
	return bearer{}
}

// stop stops a task for a reason, and reports whether its call was still running. Only the first
// reason counts.
func (all *tasks) stop(t *task, reason error) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.over && t.failure == nil {
		t.failure = reason
		t.contexts.End()
		t.halted.Store(true)
		time.AfterFunc(all.linger, func() { close(t.late) })
		cell.Stopping(1)
	}
	return !t.over
}

// end is called when the call of a task has ended.
func (all *tasks) end(t *task) {
	if t.stopped() {
		time.AfterFunc(all.linger, func() { cell.Stopping(-1) })
	}
}

// check ends the calling goroutine if its task was stopped; one that is already ending only if it
// would wait.
func (all *tasks) check(waits bool) {
	if !waits && !all.mayBeStopped() {
		return
	}
	b := all.bearer()
	switch {
	case b.task == nil || !waits && !b.task.stopped(): // a waiting goroutine has seen that the context is done
	case !waits && all.spares(b):
	case !b.ending:
		all.label(bearer{task: b.task, ending: true})
		runtime.Goexit()
	case waits:
		runtime.Goexit()
	}
}

// spares reports whether the calling goroutine, whose task was stopped, may continue for now. It
// may if the cell has passed a context to a package, and a package has called the goroutine's
// current function: the package may not have noticed the end of the context yet. When the function
// returns, the package returns its result so far, such as a model from training. It has as long for
// that as deferred calls.
func (all *tasks) spares(b bearer) bool {
	if b.ending || !b.task.contexts.Given() {
		return false
	}
	select {
	case <-b.task.late:
		return false
	default:
	}
	const trust = time.Millisecond // how long a look at the stack stays valid
	now := time.Now().UnixNano()
	switch {
	case b.spared != nil && now-b.spared.Load() < int64(trust):
		return true
	case !calledBack():
		return false
	case b.spared == nil:
		b.spared = new(atomic.Int64)
		all.label(b)
	}
	b.spared.Store(now)
	return true
}

// goroutine returns the number of the calling goroutine.
func goroutine() string {
	const prefix = len("goroutine ")
	var buffer [64]byte
	text := buffer[:runtime.Stack(buffer[:], false)]
	for i := prefix; i < len(text); i++ {
		if text[i] == ' ' {
			return string(text[prefix:i])
		}
	}
	return ""
}
