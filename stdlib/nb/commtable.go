package nb

import (
	"sync"

	"github.com/hierml/notebook/stdlib/host"
)

// comms are those of this process.
var comms commTable

func init() { comms.start() } // front ends ask for the widgets before there are any

// A commTable has the open comms, and the functions for new ones.
type commTable struct {
	listen sync.Once

	mu      sync.Mutex
	open    map[string]*Comm                // by id
	targets map[string]func(*Comm, Message) // by name
}

// start registers the table as the receiver of messages.
func (t *commTable) start() {
	t.listen.Do(func() {
		t.open, t.targets = map[string]*Comm{}, map[string]func(*Comm, Message){}
		host.SetReceiver(t.receive)
	})
}

func (t *commTable) handle(target string, f func(*Comm, Message)) {
	t.start()
	t.mu.Lock()
	defer t.mu.Unlock()
	if f == nil {
		delete(t.targets, target)
		return
	}
	t.targets[target] = f
}

func (t *commTable) add(c *Comm) {
	t.start()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open[c.id] = c
}

// remove closes the comm on this side. It reports whether it was open.
func (t *commTable) remove(c *Comm) bool {
	t.mu.Lock()
	if t.open[c.id] == c {
		delete(t.open, c.id)
	}
	t.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	wasOpen := !c.closed
	c.closed = true
	return wasOpen
}

// receive handles a message, and returns the function to run for it.
func (t *commTable) receive(m *host.CommMessage) (run func()) {
	message := Message{Data: m.Data, Metadata: m.Metadata, Buffers: m.Buffers}
	if m.Kind == "open" {
		return t.accept(&Comm{id: m.ID, target: m.Target}, message)
	}
	t.mu.Lock()
	c := t.open[m.ID]
	t.mu.Unlock()
	if c == nil {
		return nil // it has crossed this side's close
	}
	c.mu.Lock()
	direct, f := c.direct, c.onMessage
	if m.Kind == "close" {
		f = c.onClose
	}
	c.mu.Unlock()
	switch {
	case m.Kind == "close" && !t.remove(c):
		return nil
	case direct != nil:
		return direct(m.Kind, message)
	case f == nil:
		return nil
	}
	return func() { f(c, message) }
}

// accept passes a comm that the front end opened to the function for its target.
func (t *commTable) accept(c *Comm, m Message) (run func()) {
	if c.target == controlTarget {
		c.direct = statesOf(c)
		t.add(c)
		return nil
	}
	t.mu.Lock()
	f := t.targets[c.target]
	t.mu.Unlock()
	return func() {
		if f == nil {
			if err := host.Current().Comm(&host.CommMessage{Kind: "close", ID: c.id}); err != nil {
				panic(err) // reported by the caller that delivers the message
			}
			return
		}
		t.add(c)
		accepted := false
		defer func() {
			if !accepted {
				// The caller that delivers the message informs the front end.
				t.remove(c)
			}
		}()
		f(c, m)
		accepted = true
	}
}
