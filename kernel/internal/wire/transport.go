package wire

import (
	"context"
	"time"
)

// A Transport carries the frames of messages between a kernel and its clients. The first frame of
// one that has come is its route, the way back to the peer that sent it; what it consists of is the
// transport's business. Its methods may be called while others run, and Receive for each channel by
// one caller.
//
// Package zmq has that of kernels which are processes, package inproc that of a program whose
// clients are in it.
type Transport interface {
	// Open begins. greet returns what a peer is to hear that has subscribed to a topic of iopub, if
	// anything, before it hears of what the subscription brings. It says whether the peer is known:
	// whether messages from where it comes have been signed.
	Open(greet func(topic []byte, known bool) [][]byte) error
	// Receive returns the next message that has come on a channel other than iopub. The error is
	// ErrClosed after Close; after another one there may be more.
	Receive(channel Channel) (frames [][]byte, err error)
	// Done says that the message which Receive returned last was looked at, and whether it was
	// signed with the key.
	Done(channel Channel, route []byte, signed bool)
	// Send sends a message to the peer of the route that is its first frame; on iopub to all peers,
	// and the first frame is the topic. It does not wait for peers.
	Send(channel Channel, frames [][]byte) error
	// Routes returns the routes on a channel to the peers that are one client with that of a route
	// on another channel, as far as can be told before they sign something. IsSame reports whether
	// two routes lead to such peers.
	Routes(channel Channel, client []byte) [][]byte
	IsSame(a, b []byte) bool
	// Drain returns when Receive could have returned all messages that had arrived on a channel
	// when it was called, and how many there were since the beginning. The error is that of ctx.
	Drain(ctx context.Context, channel Channel) (messages int64, err error)
	// WaitRoom waits while too much waits for a subscriber of iopub, and Sync until all that was
	// sent waits for the subscribers, for WaitRoom to see.
	WaitRoom(ctx context.Context) error
	Sync(ctx context.Context) error
	// Close ends the transport, also one that was not opened as a whole, and gives the peers the
	// time up to the deadline to take what waits for them.
	Close(deadline time.Time) error
}
