package session

import (
	"slices"
	"sync"
	"time"

	"github.com/hierml/notebook/kernel/internal/wire"
)

const (
	// maxQueue bounds the requests in a queue, and maxQueued their bytes. When
	// a queue is full the shell channel is not read, and its clients wait.
	maxQueue  = 4096
	maxQueued = 256 << 20
	// abortGrace is how long the reply of a failed cell waits for requests
	// that were sent before anybody could know of the failure.
	abortGrace = 10 * time.Millisecond
	// maxAhead bounds how many requests are looked at before their turn.
	maxAhead = 16
)

// A queue holds the requests of a shell that wait for their turn.
type queue struct {
	mu       sync.Mutex
	changed  sync.Cond
	requests []*wire.Request
	size     int // bytes of the requests
	closed   bool
}

func (q *queue) init() { q.changed.L = &q.mu }

// put adds a request, waiting for room, unless the queue is closed.
func (q *queue) put(r *wire.Request) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.isFull() && !q.closed {
		q.changed.Wait()
	}
	return q.add(r)
}

// offer adds a request unless the queue is full or closed.
func (q *queue) offer(r *wire.Request) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return !q.isFull() && q.add(r)
}

func (q *queue) isFull() bool { return len(q.requests) >= maxQueue || q.size >= maxQueued }

func (q *queue) add(r *wire.Request) bool {
	if q.closed {
		return false
	}
	q.requests = append(q.requests, r)
	q.size += r.Size()
	q.changed.Broadcast()
	return true
}

// take removes the first request, waiting for one. It is nil when the queue is
// closed.
func (q *queue) take() *wire.Request {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.requests) == 0 && !q.closed {
		q.changed.Wait()
	}
	if q.closed {
		return nil
	}
	r := q.requests[0]
	q.requests[0] = nil
	q.requests = q.requests[1:]
	q.size -= r.Size()
	q.changed.Broadcast()
	return r
}

// cells returns the code of the first cells that wait, up to something else.
func (q *queue) cells() (sources []string) {
	q.mu.Lock()
	waiting := slices.Clone(q.requests[:min(len(q.requests), maxAhead)])
	q.mu.Unlock()
	for _, r := range waiting {
		var content wire.ExecuteRequest
		if r.Header.Type != "execute_request" || r.Decode(&content) != nil || content.Silent || !content.StoreHistory {
			break
		}
		sources = append(sources, content.Code)
	}
	return sources
}

// takeAll removes the requests of a type.
func (q *queue) takeAll(msgType string) []*wire.Request {
	q.mu.Lock()
	defer q.mu.Unlock()
	var taken []*wire.Request
	q.requests = slices.DeleteFunc(q.requests, func(r *wire.Request) bool {
		if r.Header.Type != msgType {
			return false
		}
		taken = append(taken, r)
		q.size -= r.Size()
		return true
	})
	q.changed.Broadcast()
	return taken
}

// close ends the queue and returns the requests that waited.
func (q *queue) close() []*wire.Request {
	q.mu.Lock()
	defer q.mu.Unlock()
	waiting := q.requests
	q.closed, q.requests, q.size = true, nil, 0
	q.changed.Broadcast()
	return waiting
}
