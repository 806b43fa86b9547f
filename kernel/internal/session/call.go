package session

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/wire"
	"github.com/hierml/notebook/stdlib/host"
)

// sendCall queues the call that a comm requests. Calls wait in their own shell: messages of comms
// are delivered while a call runs, and one of them may be meant to end it.
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

// call calls a comm when no cell runs, and reports a failure to it.
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
	defer s.iopub.Flush(parent)                 // within its turn: its output comes before that of a waiting cell
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
	// ctx is no use here: it may be done, and that may be the failure.
	return s.deliverTo(s.ctx, &program.CommMessage{Kind: "failed", ID: id, Data: told}, out)
}

// turns keeps calls apart from cells. Cells, several of which run at once in subshells, do not wait
// for calls that wait.
type turns struct {
	mu      sync.Mutex
	cells   int
	calls   bool          // a call runs
	changed chan struct{} // closed when something ends; nil if nobody waits
}

// cell waits until no call runs or ctx is done. If the error is nil, the caller must call cellDone.
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

// call waits until no cell or other call runs, or ctx is done. If the error is nil, the caller must
// call called.
func (t *turns) call(ctx context.Context) error {
	return t.take(ctx, func() bool {
		t.calls = t.cells == 0
		return t.calls
	})
}

func (t *turns) called() {
	t.give(func() { t.calls = false })
}

// take calls try, with the lock held, until it succeeds.
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
