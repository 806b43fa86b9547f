package session

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/wire"
	"github.com/hierml/notebook/stdlib/host"
)

// sendCall queues the call that a comm asks for. Calls wait in a shell of their own: messages of
// comms are delivered while a call runs, and may be what is to end it.
func (s *session) sendCall(parent wire.Parent, id string) error {
	if err := s.comms.check(id); err != nil {
		return err
	}
	run := func(sh *shell) {
		s.check("status", s.iopub.Status(parent, "busy"))
		if err := s.call(sh, parent, id); err != nil {
			s.log.Warn("call of a comm", "comm", id, "reason", err)
		}
		s.idle(parent, sh)
	}
	if !s.calls.queue.offer(task{parent: parent, run: run}) {
		return errFull
	}
	return nil
}

// call calls a comm when no cell runs, and tells it of its failure.
func (s *session) call(sh *shell, parent wire.Parent, id string) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = s.panicked(p, "the call of a comm")
		}
	}()
	out := newOutput(s, parent)
	ctx, done := s.interruptible(sh, out)
	defer done()
	if err = s.turns.call(ctx); err == nil {
		defer s.turns.called()
	}
	defer s.iopub.Flush(parent)                 // within its turn: what it shows comes before a cell that waits for it
	if err == nil && s.comms.check(id) == nil { // it may have been closed meanwhile
		err = s.deliverTo(ctx, &program.CommMessage{Kind: "call", ID: id}, out)
	}
	out.finish()
	if err == nil || isDeath(err) {
		return nil
	}
	f := s.explain(ctx, err)
	told, err := json.Marshal(host.Failed{Name: f.Name, Value: f.Message, Traceback: f.Traceback})
	if err != nil {
		return err
	}
	// Not by ctx, which has ended if that is the failure.
	return s.deliverTo(s.ctx, &program.CommMessage{Kind: "failed", ID: id, Data: told}, out)
}

// turns keeps calls apart from cells. Cells, of which subshells run several at once, do not wait
// for calls that wait.
type turns struct {
	mu      sync.Mutex
	cells   int
	calls   bool          // one runs
	changed chan struct{} // closed when something ends; nil if nobody waits
}

// cell waits until no call runs, or ctx ends. Without an error, cellDone is to be called.
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

// call waits until no cell runs, or ctx ends. Without an error, called is to be called. There is
// one call at a time.
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
