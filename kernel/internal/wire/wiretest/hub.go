package wiretest

import (
	"sync"
	"testing"

	"github.com/go-zeromq/zmq4"
	"github.com/google/uuid"

	"github.com/hierml/notebook/kernel/internal/wire"
	"github.com/hierml/notebook/kernel/internal/wire/inproc"
)

// A Hub lets clients talk to a kernel in this process.
type Hub struct {
	// Transport is the kernel's end.
	Transport *inproc.Transport

	mu      sync.Mutex
	clients map[string]*Client // by session
}

// NewHub returns a hub without clients.
func NewHub() *Hub {
	h := &Hub{clients: make(map[string]*Client)}
	h.Transport = inproc.New(h.deliver)
	return h
}

// Dial connects a client to all channels.
func (h *Hub) Dial(t testing.TB) *Client {
	c := newClient(t, uuid.NewString())
	for channel := range c.queues {
		c.sockets[channel] = &call{h.Transport, wire.Channel(channel), []byte(c.Session)}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.clients[c.Session] = c
	return c
}

func (h *Hub) deliver(channel wire.Channel, frames [][]byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if channel != wire.IOPubChannel {
		h.clients[string(frames[0])].receive(string(channel), frames[1:])
		return
	}
	for _, c := range h.clients {
		c.receive(string(channel), frames)
	}
}

// A call is a channel of a client of a hub.
type call struct {
	transport *inproc.Transport
	channel   wire.Channel
	route     []byte
}

func (c *call) Send(m zmq4.Msg) error {
	c.transport.Put(c.channel, append([][]byte{c.route}, m.Frames...))
	return nil
}

func (c *call) Close() error { return nil }
