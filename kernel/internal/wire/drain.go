package wire

import (
	"context"
	"sync"
)

// Drain returns when Receive has returned every request that had arrived on a channel when Drain
// was called, and its caller is done with them. What has arrived the transport tells, see package
// zmq. The error is that of ctx.
func (s *Server) Drain(ctx context.Context, channel Channel) error {
	messages, err := s.transport.Drain(ctx, channel)
	if err != nil {
		return err
	}
	return s.finished[channel].wait(ctx, messages)
}

// progress counts what is done one after the other.
type progress struct {
	mu      sync.Mutex
	busy    bool
	done    int64
	changed chan struct{} // closed by the next change; nil if nobody waits
}

func (p *progress) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.busy = true
}

// step counts what was begun.
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

// wait returns when n things are done.
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
