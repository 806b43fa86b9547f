package wire

import (
	"context"
	"sync"
)

// Drain returns when Receive has returned every request that had arrived on a channel when Drain
// was called, and the caller of Receive has finished with them. The transport knows what has
// arrived, see package zmq. The error is that of ctx.
func (s *Server) Drain(ctx context.Context, channel Channel) error {
	messages, err := s.transport.Drain(ctx, channel)
	if err != nil {
		return err
	}
	return s.finished[channel].wait(ctx, messages)
}

// progress counts things that finish one after the other.
type progress struct {
	mu      sync.Mutex
	busy    bool
	done    int64
	changed chan struct{} // closed by the next change; nil if nothing waits
}

func (p *progress) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.busy = true
}

// step counts a beginning.
func (p *progress) step() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.busy {
		return
	}
	p.busy = false
	p.done++
	if p.changed != nil {
		close(p.changed)
		p.changed = nil
	}
}

// wait returns when n things have finished.
func (p *progress) wait(ctx context.Context, n int64) error {
	for {
		p.mu.Lock()
		if p.done >= n {
			p.mu.Unlock()
			return nil
		}
		if p.changed == nil {
			p.changed = make(chan struct{})
		}
		changed := p.changed
		p.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
