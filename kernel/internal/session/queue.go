package session

import (
	"slices"
	"sync"
	"time"

	"github.com/hierml/notebook/kernel/internal/wire"
)

const (
	// maxQueued bounds the bytes of the tasks in a queue. While it is full the kernel does not read
	// the shell channel, and clients wait.
	maxQueued = 256 << 20
	// perTask is added to the bytes of each task.
	perTask = 1 << 10
	// abortGrace is how long the reply of a failed cell waits for requests that clients sent before
	// they could know of the failure.
	abortGrace = 10 * time.Millisecond
	// drainPatience is how long it waits until arrived requests are read.
	drainPatience = 5 * time.Second
	// maxAhead bounds how many requests are examined before their turn.
	maxAhead = 16
)

// A task is something that a shell does in its turn.
type task struct {
	parent  wire.Parent // of everything published meanwhile
	run     func(*shell)
	request *wire.Request // to answer; nil for the call of a comm
}

// size estimates how many bytes the task takes.
func (t task) size() int {
	if t.request == nil {
		return perTask + len(t.parent.Header)
	}
	return perTask + t.request.Size()
}

// runsCode reports whether the task is a client's request that runs user code.
func (t task) runsCode() bool { return t.request != nil && handlers[t.request.Header.Type].runsCode }

// A queue holds the tasks of a shell that wait for their turn.
type queue struct {
	mu      sync.Mutex
	changed sync.Cond
	tasks   []task
	size    int           // bytes of the tasks
	full    chan struct{} // holds a value while someone waits for room
	about   bool          // the code of the task taken last has yet to run
	closed  bool
}

func (q *queue) init() {
	q.changed.L = &q.mu
	q.full = make(chan struct{}, 1)
}

// put adds a task, waiting for room, unless the queue is closed.
func (q *queue) put(t task) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.isFull() && !q.closed {
		select {
		case q.full <- struct{}{}:
		default:
		}
		q.changed.Wait()
	}
	return q.add(t)
}

// offer adds a task unless the queue is full or closed.
func (q *queue) offer(t task) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return !q.isFull() && q.add(t)
}

func (q *queue) isFull() bool { return q.size >= maxQueued }

func (q *queue) add(t task) bool {
	if q.closed {
		return false
	}
	q.tasks = append(q.tasks, t)
	q.size += t.size()
	q.changed.Broadcast()
	return true
}

// take removes the first task, waiting for one, unless the queue is closed.
func (q *queue) take() (first task, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.tasks) == 0 && !q.closed {
		q.changed.Wait()
	}
	if q.closed {
		return task{}, false
	}
	first = q.tasks[0]
	q.tasks[0] = task{}
	q.tasks = q.tasks[1:]
	q.size -= first.size()
	q.about = first.runsCode()
	q.changed.Broadcast()
	return first, true
}

// begun records that the code of the task taken last runs, has run, or never will.
func (q *queue) begun() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.about = false
}

// isAboutToRun reports whether code waits for its turn, or has its turn and does not run yet.
func (q *queue) isAboutToRun() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.about || slices.ContainsFunc(q.tasks, task.runsCode)
}

// cells returns the code of the waiting cells up to the first other task.
func (q *queue) cells() (sources []string) {
	q.mu.Lock()
	waiting := slices.Clone(q.tasks[:min(len(q.tasks), maxAhead)])
	q.mu.Unlock()
	for _, t := range waiting {
		var content wire.ExecuteRequest
		r := t.request
		if r == nil || r.Header.Type != "execute_request" || r.Decode(&content) != nil || content.Silent || !content.StoreHistory {
			break
		}
		sources = append(sources, content.Code)
	}
	return sources
}

// takeAll removes the requests of a type.
func (q *queue) takeAll(msgType string) []*wire.Request {
	var taken []*wire.Request
	for _, t := range q.remove(func(t task) bool { return t.request != nil && t.request.Header.Type == msgType }) {
		taken = append(taken, t.request)
	}
	return taken
}

// takeComms removes the messages of comms that come before the next cell.
func (q *queue) takeComms() []task {
	cell := false
	return q.remove(func(t task) bool {
		comm := t.request != nil && handlers[t.request.Header.Type].comm
		cell = cell || t.runsCode() && !comm
		return comm && !cell
	})
}

// remove removes the tasks for which chosen returns true. It calls chosen for each task in order.
func (q *queue) remove(chosen func(task) bool) (removed []task) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.tasks = slices.DeleteFunc(q.tasks, func(t task) bool {
		if !chosen(t) {
			return false
		}
		removed = append(removed, t)
		q.size -= t.size()
		return true
	})
	q.changed.Broadcast()
	return removed
}

// close closes the queue and returns the requests that waited.
func (q *queue) close() (waiting []*wire.Request) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, t := range q.tasks {
		if t.request != nil {
			waiting = append(waiting, t.request)
		}
	}
	q.closed, q.tasks, q.size = true, nil, 0
	q.changed.Broadcast()
	return waiting
}
