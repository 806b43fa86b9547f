//go:build !js

// Package zmq carries the messages of package wire over ZeroMQ: five zmq4 sockets, each behind
// package guard. Browsers have no sockets.
package zmq

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"sync"
	"time"

	"github.com/go-zeromq/zmq4"

	"github.com/hierml/notebook/kernel/internal/wire"
	"github.com/hierml/notebook/kernel/internal/wire/guard"
)

// Listen opens a server on the sockets in info.
func Listen(info *wire.ConnectionInfo, config wire.Config) (*wire.Server, error) {
	if info.Key == "" && config.Log != nil {
		config.Log.Warn("messages are not signed, since the key in the connection file is empty: " +
			"anyone who can connect to the kernel can run code as you; on 127.0.0.1 that is every user of this machine")
	}
	t := &transport{info: info, sockets: make(map[wire.Channel]*socket)}
	t.ctx, t.cancel = context.WithCancel(context.Background())
	return wire.Open(t, info, config)
}

// A transport is the five sockets of a kernel.
type transport struct {
	info    *wire.ConnectionInfo
	ctx     context.Context // done when the sockets are closed
	cancel  context.CancelFunc
	sockets map[wire.Channel]*socket
	known   origins
}

var _ wire.Transport = (*transport)(nil)

// A socket is one channel: zmq4's socket behind a guard.
type socket struct {
	zmq4.Socket
	guard *guard.Listener
}

// Open implements wire.Transport.
func (t *transport) Open(greet func(topic []byte, known bool) [][]byte) error {
	for _, channel := range []wire.Channel{wire.Shell, wire.Control, wire.Stdin, wire.IOPubChannel, wire.Heartbeat} {
		if err := t.open(channel, greet); err != nil {
			return fmt.Errorf("cannot open the %s channel: %w", channel, err)
		}
	}
	return nil
}

// bounds are the limits for peers that differ from the defaults of package guard. Queue limits a
// peer's unread messages. A peer that sends heartbeats need not be a client, and never signs.
var bounds = map[wire.Channel]guard.Limits{
	wire.Shell:     {Queue: 16 << 20},
	wire.Control:   {Queue: 16 << 20},
	wire.Stdin:     {Queue: 4 << 20},
	wire.Heartbeat: {Queue: 1 << 20, Total: 8 << 20, Message: 64 << 10, Received: 4 << 20},
}

// open listens for one channel. The heartbeat is also a ROUTER: it must echo whole messages with
// their envelope, which zmq4's REP gets wrong.
func (t *transport) open(channel wire.Channel, greet func([]byte, bool) [][]byte) error {
	config := guard.Config{Type: zmq4.Router, Limits: bounds[channel], Known: t.known.has}
	quiet := zmq4.WithLogger(log.New(io.Discard, "", 0))
	var z zmq4.Socket
	switch channel {
	case wire.IOPubChannel:
		config.Type = zmq4.Pub
		config.Subscribed = func(topic []byte, from guard.Origin) [][]byte { return greet(topic, t.known.has(from)) }
		z = zmq4.NewPub(t.ctx, quiet)
	default:
		z = zmq4.NewRouter(t.ctx, quiet)
	}
	network, address := t.info.Address(channel)
	listener, err := guard.Listen(network, address, config)
	if err != nil {
		return err
	}
	t.sockets[channel] = &socket{z, listener}
	return listener.Attach(z)
}

// Receive implements wire.Transport.
func (t *transport) Receive(channel wire.Channel) ([][]byte, error) {
	msg, err := t.sockets[channel].Recv()
	if t.ctx.Err() != nil {
		return nil, wire.ErrClosed
	}
	return msg.Frames, err
}

// Done implements wire.Transport.
func (t *transport) Done(channel wire.Channel, route []byte, signed bool) {
	if signed {
		t.known.add(guard.Source(route))
	}
	t.sockets[channel].guard.Done(route, signed)
}

// Send implements wire.Transport.
func (t *transport) Send(channel wire.Channel, frames [][]byte) error {
	if channel == wire.IOPubChannel {
		return t.sockets[channel].SendMulti(zmq4.NewMsgFrom(frames...))
	}
	return t.sockets[channel].Send(zmq4.NewMsgFrom(frames...))
}

// Routes implements wire.Transport: peers with the same identity and origin are one client.
func (t *transport) Routes(channel wire.Channel, client []byte) [][]byte {
	return t.sockets[channel].guard.Routes(guard.Identity(client), guard.Source(client))
}

// IsSame implements wire.Transport.
func (t *transport) IsSame(a, b []byte) bool {
	return string(guard.Identity(a)) == string(guard.Identity(b)) && guard.Source(a) == guard.Source(b)
}

// Drain implements wire.Transport. Messages that a client still holds, and those of clients that
// have signed nothing, do not count.
func (t *transport) Drain(ctx context.Context, channel wire.Channel) (messages int64, err error) {
	return t.sockets[channel].guard.Drain(ctx)
}

// WaitRoom implements wire.Transport.
func (t *transport) WaitRoom(ctx context.Context) error {
	return t.sockets[wire.IOPubChannel].guard.WaitRoom(ctx)
}

// Sync implements wire.Transport.
func (t *transport) Sync(ctx context.Context) error {
	socket := t.sockets[wire.IOPubChannel]
	if socket == nil {
		return nil
	}
	return socket.guard.Sync(ctx, socket)
}

// Close implements wire.Transport.
func (t *transport) Close(deadline time.Time) error {
	var wg sync.WaitGroup
	errs := make(chan error, len(t.sockets))
	for _, socket := range t.sockets {
		wg.Go(func() { errs <- socket.guard.Shutdown(deadline) })
	}
	wg.Wait()
	t.cancel()
	for _, socket := range t.sockets {
		// The connections are already closed, and zmq4 could complain about nothing else.
		_ = socket.Close()
	}
	close(errs)
	var err error
	for e := range errs {
		err = errors.Join(err, e)
	}
	return err
}
