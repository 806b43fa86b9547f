package session

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/hierml/notebook/kernel/internal/engine"
	"github.com/hierml/notebook/kernel/internal/wire"
	"github.com/hierml/notebook/stdlib/host"
)

// callType is the type of the requests by which comms are called. They come from
// the worker, and wait in a shell of their own: messages of comms are delivered
// while a call runs, and may be what is to end it.
const callType = "hierml_call"

// sendCall queues the call that a comm asks for.
func (s *session) sendCall(parent wire.Parent, id string) error {
	if err := s.comms.check(id); err != nil {
		return err
	}
	content, err := json.Marshal(wire.CommMessage{ID: id})
	if err != nil {
		return err
	}
	r := &wire.Request{Message: wire.Message{Header: wire.Header{ID: parent.ID, Type: callType}, RawHeader: parent.Header, Content: content}}
	if !s.calls.queue.offer(r) {
		return errFull
	}
	return nil
}

// call calls a comm when no cell runs, and tells it of its failure.
func call(s *session, r *request) (any, error) {
	var content wire.CommMessage
	if r.shell != s.calls { // a client sent it
		return nil, nil
	}
	if err := r.Decode(&content); err != nil {
		return nil, err
	}
	out := newOutput(s, r.AsParent())
	ctx, done := s.interruptible(r.shell, out)
	defer done()
	err := s.turns.call(ctx)
	if err == nil {
		if s.comms.check(content.ID) == nil { // it may have been closed meanwhile
			err = s.deliverTo(ctx, &engine.CommMessage{Kind: "call", ID: content.ID}, out)
		}
		s.turns.called()
	}
	out.finish()
	if err == nil || isDeath(err) {
		return nil, nil
	}
	f := s.explain(ctx, err)
	told, err := json.Marshal(host.Failed{Name: f.Name, Value: f.Message, Traceback: f.Traceback})
	if err != nil {
		return nil, err
	}
	// Not by ctx, which has ended if that is the failure.
	return nil, s.deliverTo(s.ctx, &engine.CommMessage{Kind: "failed", ID: content.ID, Data: told}, out)
}

// turns keeps calls apart from cells. Cells, of which subshells run several at
// once, do not wait for calls that wait.
type turns struct {
	mu      sync.Mutex
	cells   int
	calls   bool          // one runs
	changed chan struct{} // closed when something ends; nil if nobody waits
}

// cell waits until no call runs, or ctx ends. Without an error, cellDone is to be
// called.
func (t *turns) cell(ctx context.Context) error {
	return t.take(ctx, func() bool {
		if !t.calls {
			t.cells++
		}
		return !t.calls
	})
}

func (t *turns) cellDone() {
	t.give(func() { t.cells-- })
}

// call waits until no cell runs, or ctx ends. Without an error, called is to be
// called. There is one call at a time.
func (t *turns) call(ctx context.Context) error {
	return t.take(ctx, func() bool {
		t.calls = t.cells == 0
		return t.calls
	})
}

func (t *turns) called() {
	t.give(func() { t.calls = false })
}

// take calls try, under the lock, until it succeeds.
func (t *turns) take(ctx context.Context, try func() bool) error {
	for {
		t.mu.Lock()
		if try() {
			t.mu.Unlock()
			return nil
		}
		if t.changed == nil {
			t.changed = make(chan struct{})
		}
		changed := t.changed
		t.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (t *turns) give(change func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	change()
	if t.changed != nil {
		close(t.changed)
		t.changed = nil
	}
}
