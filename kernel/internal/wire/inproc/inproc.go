// Package inproc carries the messages of package wire by function calls, for a kernel whose clients
// are in the same program or reach it through that, as in a browser page.
package inproc

import (
	"bytes"
	"context"
	"sync"
	"time"

	"github.com/hierml/notebook/kernel/internal/wire"
)

// A Transport is the kernel's end. Nothing else can reach it, so messages need no signatures and
// clients no limits. The route of a message is the client's name for itself.
type Transport struct {
	deliver func(channel wire.Channel, frames [][]byte)

	mu     sync.Mutex
	closed bool
	queues map[wire.Channel]*queue
}

var _ wire.Transport = (*Transport)(nil)

// A queue holds the messages of a channel that were not received yet.
type queue struct {
	changed  sync.Cond
	messages [][][]byte
	put      int64 // messages since the beginning
}

// New returns a transport that calls deliver with each message of the kernel: with the frames of
// [wire.Transport.Send], which do not change any more. Several goroutines may call deliver
// concurrently, but those for iopub one after the other. deliver must not wait for the kernel.
func New(deliver func(channel wire.Channel, frames [][]byte)) *Transport {
	t := &Transport{deliver: deliver, queues: make(map[wire.Channel]*queue)}
	for _, channel := range []wire.Channel{wire.Shell, wire.Control, wire.Stdin, wire.Heartbeat} {
		q := &queue{}
		q.changed.L = &t.mu
		t.queues[channel] = q
	}
	return t
}

// Listen opens a server on the transport.
func (t *Transport) Listen(config wire.Config) (*wire.Server, error) {
	return wire.Open(t, &wire.ConnectionInfo{Transport: "inproc", SignatureScheme: "hmac-sha256"}, config)
}

// Put takes a message of a client on a channel other than iopub, beginning with its route. It does
// not block. It drops messages after Close and those on unknown channels.
func (t *Transport) Put(channel wire.Channel, frames [][]byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	q := t.queues[channel]
	if t.closed || q == nil || len(frames) == 0 {
		return
	}
	q.messages = append(q.messages, frames)
	q.put++
	q.changed.Signal()
}

// Open implements wire.Transport. There are no subscriptions: everything is delivered from the
// beginning.
func (t *Transport) Open(func(topic []byte, known bool) [][]byte) error { return nil }

// Receive implements wire.Transport.
func (t *Transport) Receive(channel wire.Channel) ([][]byte, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	q := t.queues[channel]
	for len(q.messages) == 0 && !t.closed {
		q.changed.Wait()
	}
	if t.closed {
		return nil, wire.ErrClosed
	}
	first := q.messages[0]
	q.messages[0] = nil
	q.messages = q.messages[1:]
	return first, nil
}

// Done implements wire.Transport.
func (t *Transport) Done(wire.Channel, []byte, bool) {}

// Send implements wire.Transport.
func (t *Transport) Send(channel wire.Channel, frames [][]byte) error {
	t.deliver(channel, frames)
	return nil
}

// Routes implements wire.Transport: a client has the same route on all channels, and is always
// present.
func (t *Transport) Routes(_ wire.Channel, client []byte) [][]byte { return [][]byte{client} }

// IsSame implements wire.Transport.
func (t *Transport) IsSame(a, b []byte) bool { return bytes.Equal(a, b) }

// Drain implements wire.Transport.
func (t *Transport) Drain(_ context.Context, channel wire.Channel) (messages int64, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.queues[channel].put, nil
}

// WaitRoom implements wire.Transport: sending delivers at once.
func (t *Transport) WaitRoom(context.Context) error { return nil }

// Sync implements wire.Transport.
func (t *Transport) Sync(context.Context) error { return nil }

// Close implements wire.Transport.
func (t *Transport) Close(time.Time) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	for _, q := range t.queues {
		q.changed.Broadcast()
	}
	return nil
}
