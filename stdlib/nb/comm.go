package nb

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/hierml/notebook/stdlib/host"
)

// Errors of comms.
var (
	// ErrNoFrontEnd means that there is no front end to open a comm with, as in a compiled program.
	ErrNoFrontEnd = host.ErrNoFrontEnd
	// ErrCommClosed means that either side closed the comm.
	ErrCommClosed = errors.New("the comm is closed")
)

// A Comm is a channel between cells and code in the front end, such as a widget. It is open until
// either side closes it, or until the process that runs the cells ends.
//
// Data is any value that encoding/json turns into an object: a map, a struct, json.RawMessage; nil
// means the empty object. Other values, such as a number, a list, a string, or JSON text in a
// []byte, are an error. So are values of a type declared in a cell, because its fields are not
// visible here: pass the result of json.Marshal as a json.RawMessage. Buffers are bytes that are
// sent unchanged; you may modify them after the call.
//
// Functions that handle messages run like cells: their output belongs to the message, a panic is
// reported and affects only the message, and an interrupt ends them. Messages of one comm arrive in
// order, one after the other. They wait for the running cell, unless the front end sends them
// through a subshell.
//
// The methods of a Comm are safe for concurrent use.
type Comm struct {
	id, target string

	sending sync.Mutex // held while a message is sent, so that none follows the last

	mu        sync.Mutex
	closed    bool
	onMessage func(*Comm, Message)
	onClose   func(*Comm, Message)
	// direct, if set, receives messages of all kinds instead of these two, even while a cell runs.
	// It calls no user functions; the function that it returns may.
	direct func(kind string, m Message) (run func())
}

// A Message is a message from the other side of a comm.
type Message struct {
	Data     json.RawMessage // a JSON object
	Metadata json.RawMessage // a JSON object, or empty
	Buffers  [][]byte
}

// Decode stores the data in the value that v points to, as json.Unmarshal does.
func (m Message) Decode(v any) error {
	if len(m.Data) == 0 {
		return json.Unmarshal([]byte("{}"), v)
	}
	return json.Unmarshal(m.Data, v)
}

// CommOptions are rarely needed options for opening a comm.
type CommOptions struct {
	Metadata any // as Data is; Jupyter widgets want {"version": "2.1.0"}
	Buffers  [][]byte
	// The functions of [Comm.OnMessage] and [Comm.OnClose]. Set here, they miss no message.
	OnMessage, OnClose func(*Comm, Message)
}

// OpenComm opens a comm with the target that the front end has registered. The options may be nil.
// If the front end does not know the target, it closes the comm, which only [Comm.OnClose] reports.
func OpenComm(target string, data any, options *CommOptions) (*Comm, error) {
	if target == "" {
		return nil, errors.New("a comm needs a target")
	}
	if options == nil {
		options = &CommOptions{}
	}
	c := &Comm{target: target, onMessage: options.OnMessage, onClose: options.OnClose}
	if err := c.open(data, options); err != nil {
		return nil, err
	}
	return c, nil
}

// open opens a comm that has no ID yet.
func (c *Comm) open(data any, options *CommOptions) error {
	m := &host.CommMessage{Kind: "open", ID: rand.Text(), Target: c.target, Buffers: options.Buffers}
	var err error
	if m.Data, err = object("data", data); err != nil {
		return err
	}
	if options.Metadata != nil {
		if m.Metadata, err = object("metadata", options.Metadata); err != nil {
			return err
		}
	}
	c.id = m.ID
	// The answer may come before the call is over.
	comms.add(c)
	if err := host.Current().Comm(m); err != nil {
		comms.remove(c)
		return err
	}
	return nil
}

// call requests that direct receives a message "call" when neither a cell nor another call runs.
func (c *Comm) call() error { return host.Current().Comm(&host.CommMessage{Kind: "call", ID: c.id}) }

// ID returns the comm's id on both sides. It is the model_id of a Jupyter widget.
func (c *Comm) ID() string { return c.id }

// Target returns the name by which the comm was opened.
func (c *Comm) Target() string { return c.target }

// Send sends a message to the other side. The error is ErrCommClosed after the end of the comm.
func (c *Comm) Send(data any, buffers ...[]byte) error {
	text, err := object("data", data)
	if err != nil {
		return err
	}
	c.sending.Lock()
	defer c.sending.Unlock()
	c.mu.Lock()
	closed := c.closed
	c.mu.Unlock()
	if closed {
		return ErrCommClosed
	}
	return host.Current().Comm(&host.CommMessage{Kind: "msg", ID: c.id, Data: text, Buffers: buffers})
}

// Close closes the comm; data is sent with the closing message and may be nil. The error is
// ErrCommClosed after the end of the comm. OnClose's function is not called.
func (c *Comm) Close(data any) error {
	text, err := object("data", data)
	if err != nil {
		return err
	}
	c.sending.Lock()
	defer c.sending.Unlock()
	if !comms.remove(c) {
		return ErrCommClosed
	}
	return host.Current().Comm(&host.CommMessage{Kind: "close", ID: c.id, Data: text})
}

// OnMessage sets the function that is called for each message. Without one, or with nil, messages
// are dropped.
func (c *Comm) OnMessage(f func(*Comm, Message)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.onMessage = f
}

// OnClose sets the function that is called when the front end closes the comm. Nothing can be sent
// any more then.
func (c *Comm) OnClose(f func(*Comm, Message)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.onClose = f
}

// HandleComm sets the function for comms that the front end opens with target. f receives the comm
// and the message that opened it; it calls OnMessage to receive more. If f panics, the comm is
// closed. A later call for the same target replaces f, and nil removes it. Comms with other targets
// are closed at once.
func HandleComm(target string, f func(*Comm, Message)) { comms.handle(target, f) }

// object returns the value as the text of a JSON object.
func object(what string, v any) (json.RawMessage, error) {
	if v == nil {
		return json.RawMessage("{}"), nil
	}
	text, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("the %s of a comm: %w", what, err)
	}
	if !bytes.HasPrefix(text, []byte("{")) {
		return nil, fmt.Errorf("the %s of a comm must be a JSON object, not %T", what, v)
	}
	return text, nil
}
