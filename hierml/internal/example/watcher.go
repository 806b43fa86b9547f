package example

import (
	"sync"
	"time"

	"github.com/hierml/notebook/hierml/progress"
)

// Watcher is a progress.Watcher that keeps what it is told, and the tasks that it returns tell it.
type Watcher struct {
	Notes        []string
	Begun, Ended int // tasks
	Reports      []Report
	Expected     []time.Duration

	mu sync.Mutex
}

// Report is what was told of a task.
type Report struct {
	Done  float64
	State string
}

// Begin implements progress.Watcher.
func (w *Watcher) Begin(string) progress.Task {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.Begun++
	return watched{w}
}

// Note implements progress.Watcher.
func (w *Watcher) Note(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.Notes = append(w.Notes, text)
}

// watched is a task.
type watched struct{ w *Watcher }

func (t watched) Report(done float64, state func() string) {
	t.w.mu.Lock()
	defer t.w.mu.Unlock()
	t.w.Reports = append(t.w.Reports, Report{done, state()})
}

func (t watched) Expect(left time.Duration) {
	t.w.mu.Lock()
	defer t.w.mu.Unlock()
	t.w.Expected = append(t.w.Expected, left)
}

func (t watched) End() {
	t.w.mu.Lock()
	defer t.w.mu.Unlock()
	t.w.Ended++
}
