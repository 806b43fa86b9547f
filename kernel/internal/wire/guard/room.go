package guard

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"
)

// WaitRoom returns when no peer is full. It waits for full peers as long as they take something,
// and cuts off all that take nothing for Limits.Stall, which is one period for all of them. It does
// not wait for peers from unknown origins. Messages that zmq4 has not yet put into the queues do
// not count; see [Listener.Sync]. The error is that of ctx.
func (l *Listener) WaitRoom(ctx context.Context) error {
	for l.isFull() {
		peers := l.byFullness()
		share := l.share(len(peers))
		for _, c := range peers {
			if c.waiting.Load() > share && !l.isKnown(Source(c.route)) {
				c.stall()
			}
		}
		if err := l.waitFor(ctx, peers); err != nil {
			return err
		}
	}
	return nil
}

// isFull reports whether a peer is full, or all of them together, while the listener is open.
func (l *Listener) isFull() bool {
	select {
	case <-l.done:
		return false
	default:
		return l.full.Load() > 0 || l.queued.Load() > l.limits.Total
	}
}

// share returns how much may wait for each of n peers without holding up the others. If there is
// too much for all, half of the room stays free when each peer has its share.
func (l *Listener) share(n int) int64 {
	if l.queued.Load() > l.limits.Total {
		return min(l.limits.Queue, l.limits.Total/int64(2*max(1, n)))
	}
	return l.limits.Queue
}

// waitFor waits until there is room. After Limits.Stall it cuts off peers that took nothing
// meanwhile and have more than their share waiting.
func (l *Listener) waitFor(ctx context.Context, peers []*conn) error {
	taken := make([]uint64, len(peers))
	for i, c := range peers {
		taken[i] = c.taken.Load()
	}
	timer := time.NewTimer(l.limits.Stall)
	defer timer.Stop()
	for {
		moved := l.moved.wait()
		if !l.isFull() {
			return nil
		}
		select {
		case <-moved:
		case <-l.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-timer.C:
			share := l.share(len(peers))
			for i, c := range peers {
				if c.waiting.Load() > share && c.taken.Load() == taken[i] {
					c.stall()
				}
			}
			return nil
		}
	}
}

// byFullness returns the peers with non-empty queues, longest first.
func (l *Listener) byFullness() []*conn {
	waiting := make(map[*conn]int64)
	var peers []*conn
	for _, c := range l.snapshot() {
		if n := c.waiting.Load(); n > 0 {
			waiting[c] = n
			peers = append(peers, c)
		}
	}
	slices.SortFunc(peers, func(a, b *conn) int { return cmp.Compare(waiting[b], waiting[a]) })
	return peers
}

// A signal wakes all waiting goroutines.
type signal struct {
	mu   sync.Mutex
	next chan struct{} // closed by the next send; nil if nothing waits
}

// wait returns a channel that the next send closes.
func (s *signal) wait() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == nil {
		s.next = make(chan struct{})
	}
	return s.next
}

func (s *signal) send() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next != nil {
		close(s.next)
		s.next = nil
	}
}
