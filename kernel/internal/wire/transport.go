package wire

import (
	"context"
	"time"
)

// A Transport carries the frames of messages between a kernel and its clients. The first frame of a
// received message is its route, the way back to its sender; only the transport knows its format.
// Its methods may be called concurrently, but Receive by one caller per channel.
//
// Package zmq has the transport for kernels in their own process, and package inproc that for a
// program that contains its clients.
type Transport interface {
	// Open starts the transport. greet returns the first message for a peer that has subscribed to
	// a topic of iopub, or nil; known says whether messages from the peer's origin have been
	// signed.
	Open(greet func(topic []byte, known bool) [][]byte) error
	// Receive returns the next message on a channel other than iopub. The error is ErrClosed after
	// Close; after other errors there may be more messages.
	Receive(channel Channel) (frames [][]byte, err error)
	// Done says that the last message from Receive was processed, and whether it was signed with
	// the key.
	Done(channel Channel, route []byte, signed bool)
	// Send sends a message to the peer whose route is the first frame. On iopub it sends to all
	// peers, and the first frame is the topic. It does not block.
	Send(channel Channel, frames [][]byte) error
	// Routes returns the routes on a channel to the peers that belong to the same client as a route
	// on another channel, as far as is known before they sign something. IsSame reports whether two
	// routes belong to the same client.
	Routes(channel Channel, client []byte) [][]byte
	IsSame(a, b []byte) bool
	// Drain returns when Receive could have returned all messages that had arrived on a channel
	// when Drain was called. It also returns the number of all messages so far. The error is that
	// of ctx.
	Drain(ctx context.Context, channel Channel) (messages int64, err error)
	// WaitRoom waits while the queue of a subscriber of iopub is too long. Sync waits until all
	// sent messages are in these queues, where WaitRoom sees them.
	WaitRoom(ctx context.Context) error
	Sync(ctx context.Context) error
	// Close ends the transport, even if Open has failed halfway, and gives the peers until the
	// deadline to read their queues.
	Close(deadline time.Time) error
}
