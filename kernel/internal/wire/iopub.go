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

// Output is merged until there is so much of it, or the oldest is so old.
const (
	mergeSize  = 64 << 10
	mergeDelay = 25 * time.Millisecond
)

// maxUnseen is how many bytes may be with the transport, as in zmq4's own queue, which has no
// bound, before they are waited for.
const maxUnseen = 4 << 20

// IOPub is the channel on which all clients hear what the kernel does. It is the one place from
// which messages go there, so they leave in the order of the calls. Streams are merged; whatever
// else is published for the same parent is preceded by the text that was written before.
type IOPub struct {
	server *Server
	topic  string
	unseen atomic.Int64 // bytes sent since the last Sync

	mu      sync.Mutex
	streams map[string]*stream // by the parent's ID
	begun   int                // how many streams there were
	last    *Parent            // of the idle that was published last, while nothing is busy
	closed  bool
}

// A stream is text of one parent that was not published yet.
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

// WaitRoom waits while a subscriber's queue is full, for as long as that subscriber takes something
// and a second when it does not. Whoever publishes much calls it before.
func (p *IOPub) WaitRoom() {
	// The errors are that the server is closed, which send reports.
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
	Buffers  [][]byte        // not changed until they have been sent
}

// Publish sends a message to all subscribers. It is not held up by those that are slow.
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

// Status publishes the kernel's state. Idle is preceded by all that was written, also for others: a
// client that has seen the last idle it waits for need not listen on.
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

// Stream publishes text, merged with what is written to the same stream soon before and after. It
// waits for subscribers that are slow.
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

// Flush publishes the text of a parent that is still to be published.
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

// flushAll publishes the text of all parents, in the order in which the first of each was written.
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

// subscribed greets a new subscriber (JEP 65). The last idle follows for those who sent their first
// request before they listened; all subscribers hear it, so nobody gets it from where no request
// came.
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

// close publishes what is left and waits until it is in the subscribers' queues.
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
		p.server.log.Warn("iopub was closed before all was sent", "reason", err)
	}
}
