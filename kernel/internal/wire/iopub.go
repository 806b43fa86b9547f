package wire

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Output is merged up to this size and this age.
const (
	mergeSize  = 64 << 10
	mergeDelay = 25 * time.Millisecond
)

// maxUnseen is how many bytes the transport may hold, for example in zmq4's own unbounded queue,
// before WaitRoom waits for them.
const maxUnseen = 4 << 20

// IOPub is the channel on which all clients learn what the kernel does. All messages on it are sent
// from here, so they leave in the order of the calls. Streams are merged; before anything else for
// the same parent, the text so far is published.
type IOPub struct {
	server *Server
	topic  string
	unseen atomic.Int64 // bytes sent since the last Sync

	mu      sync.Mutex
	streams map[string]*stream // by the parent's ID
	begun   int                // number of streams so far
	last    *Parent            // of the last idle, while nothing is busy
	closed  bool
}

// A stream is unpublished text of one parent.
type stream struct {
	parent Parent
	number int // in the order of all streams
	name   string
	text   []byte
	timer  *time.Timer
}

func newIOPub(s *Server) *IOPub {
	return &IOPub{server: s, topic: "kernel." + s.session + ".", streams: make(map[string]*stream)}
}

// WaitRoom waits while a subscriber's queue is full: as long as that subscriber takes something,
// and a second if it does not. Call it before publishing much.
func (p *IOPub) WaitRoom() {
	// The only error is that the server is closed, which send reports.
	if p.unseen.Load() > maxUnseen {
		p.unseen.Store(0)
		_ = p.server.transport.Sync(p.server.ctx)
	}
	_ = p.server.transport.WaitRoom(p.server.ctx)
}

// A Broadcast is a message to all subscribers.
type Broadcast struct {
	Type     string
	Content  any
	Metadata json.RawMessage // a JSON object, or empty
	Buffers  [][]byte        // not changed until they are sent
}

// Publish sends a message to all subscribers. Slow ones do not delay it.
func (p *IOPub) Publish(parent Parent, b Broadcast) error {
	body, err := marshal(b.Content)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.flush(parent.ID)
	return p.send(parent, b.Type, b.Metadata, body, b.Buffers)
}

// Status publishes the kernel's state. Before idle it publishes all text so far, even of other
// parents: a client that has seen the last idle it waits for may stop listening.
func (p *IOPub) Status(parent Parent, state string) error {
	body, err := marshal(Status{state})
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.flush(parent.ID)
	p.last = nil
	if state == "idle" {
		p.last = &parent
		p.flushAll()
	}
	return p.send(parent, "status", nil, body, nil)
}

// Stream publishes text, merged with other text of the same stream shortly before and after. It
// waits for slow subscribers.
func (p *IOPub) Stream(parent Parent, name, text string) {
	if text == "" {
		return
	}
	p.WaitRoom()
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.streams[parent.ID]
	if s != nil && s.name != name {
		p.flush(parent.ID)
		s = nil
	}
	if s == nil {
		p.begun++
		s = &stream{parent: parent, number: p.begun, name: name}
		s.timer = time.AfterFunc(mergeDelay, func() { p.expire(s) })
		p.streams[parent.ID] = s
	}
	s.text = append(s.text, text...)
	if len(s.text) >= mergeSize {
		p.flush(parent.ID)
	}
}

// Flush publishes the remaining text of a parent.
func (p *IOPub) Flush(parent Parent) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.flush(parent.ID)
}

func (p *IOPub) expire(s *stream) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.streams[s.parent.ID] == s {
		p.flush(s.parent.ID)
	}
}

// flushAll publishes the remaining text of all parents, ordered by their first text.
func (p *IOPub) flushAll() {
	for _, s := range slices.SortedFunc(maps.Values(p.streams), func(a, b *stream) int { return a.number - b.number }) {
		p.flush(s.parent.ID)
	}
}

func (p *IOPub) flush(id string) {
	s := p.streams[id]
	if s == nil {
		return
	}
	delete(p.streams, id)
	s.timer.Stop()
	body, err := marshal(Stream{s.name, string(s.text)})
	if err == nil {
		err = p.send(s.parent, "stream", nil, body, nil)
	}
	if err != nil && err != ErrClosed {
		p.server.drop(IOPubChannel, err)
	}
}

func (p *IOPub) send(parent Parent, msgType string, metadata, content []byte, buffers [][]byte) error {
	if p.closed {
		return ErrClosed
	}
	_, frames := p.server.encode(msgType, parent.Header, metadata, content, buffers)
	size := len(content)
	for _, b := range buffers {
		size += len(b)
	}
	p.unseen.Add(int64(size))
	return p.server.transport.Send(IOPubChannel, append([][]byte{[]byte(p.topic + msgType)}, frames...))
}

// subscribed greets a new subscriber (JEP 65). It adds the last idle for clients that sent their
// first request before they listened. All subscribers get that, so an origin that has sent no
// request does not.
func (p *IOPub) subscribed(topic []byte, known bool) [][]byte {
	content, err := marshal(map[string]string{"subscription": string(topic)})
	if err != nil {
		p.server.drop(IOPubChannel, err)
		return nil
	}
	_, frames := p.server.encode("iopub_welcome", nil, nil, content, nil)
	if known {
		p.repeatIdle()
	}
	return append([][]byte{topic}, frames...)
}

func (p *IOPub) repeatIdle() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last == nil || p.closed {
		return
	}
	body, err := marshal(Status{"idle"})
	if err == nil {
		err = p.send(*p.last, "status", nil, body, nil)
	}
	if err != nil {
		p.server.drop(IOPubChannel, err)
	}
}

// close publishes the remaining text and waits until it is in the subscribers' queues.
func (p *IOPub) close(deadline time.Time) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return
	}
	p.flushAll()
	p.closed = true
	p.mu.Unlock()
	ctx, cancel := context.WithDeadline(p.server.ctx, deadline)
	defer cancel()
	if err := p.server.transport.Sync(ctx); err != nil {
		p.server.log.Warn("iopub was closed before everything was sent", "reason", err)
	}
}
