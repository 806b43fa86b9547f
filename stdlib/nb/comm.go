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
	// ErrNoFrontEnd says that nobody is there to open a comm with, as in a compiled program.
	ErrNoFrontEnd = host.ErrNoFrontEnd
	// ErrCommClosed says that either side has closed the comm.
	ErrCommClosed = errors.New("the comm is closed")
)

// A Comm is a channel between cells and code in the front end, such as a widget. It is open until
// either side closes it, or until the process that runs the cells ends.
//
// Data is any value that encoding/json turns into an object: a map, a struct, json.RawMessage; nil
// stands for the empty object. Everything else, such as a number, a list, a string, or JSON text in
// a []byte, is refused. So is a value of a type that a cell declares, as its fields cannot be seen
// from here; what json.Marshal makes of it is taken as a json.RawMessage. Buffers are bytes that go
// along as they are; they may be changed when the call is over.
//
// Functions that are told of messages run as cells do: what they print and show belongs to the
// message, a panic is reported and costs the message only, and an interrupt ends them. Messages of
// one comm come in their order, one after the other, and after the cell that runs, unless the front
// end sends them through a subshell, which does not wait for cells.
//
// Methods of a Comm may be called from several goroutines at the same time.
type Comm struct {
	id, target string

	sending sync.Mutex // held while a message is sent, so that none follows the last

	mu        sync.Mutex
	closed    bool
	onMessage func(*Comm, Message)
	onClose   func(*Comm, Message)
	// direct, if set, takes messages of all kinds in place of these two, while a cell runs, too. It
	// calls nothing of the user's; what it returns may.
	direct func(kind string, m Message) (run func())
}

// A Message is what came from the other side of a comm.
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

// CommOptions are what few comms need when they are opened.
type CommOptions struct {
	Metadata any // as Data is; Jupyter widgets want {"version": "2.1.0"}
	Buffers  [][]byte
	// The functions of [Comm.OnMessage] and [Comm.OnClose], which here miss nothing.
	OnMessage, OnClose func(*Comm, Message)
}

// OpenComm opens a comm with what the front end has registered as target. The options may be nil. A
// front end that does not know the target closes the comm, which only [Comm.OnClose] tells.
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

// call asks for direct to be given a message "call" when neither a cell nor another call runs.
func (c *Comm) call() error { return host.Current().Comm(&host.CommMessage{Kind: "call", ID: c.id}) }

// ID returns what both sides know the comm by. It is the model_id of a Jupyter widget.
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

// Close closes the comm; data are the last words, nil if there are none. The error is ErrCommClosed
// after the end of the comm. OnClose's function is not called.
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

// OnMessage makes f the function that is told of messages. Without one, or with nil, messages are
// dropped.
func (c *Comm) OnMessage(f func(*Comm, Message)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.onMessage = f
}

// OnClose makes f the function that is told when the front end closes the comm. Nothing can be sent
// any more by then.
func (c *Comm) OnClose(f func(*Comm, Message)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.onClose = f
}

// HandleComm makes f the function that is given the comms which the front end opens with target,
// and the message that opens them; f calls OnMessage to hear more. A comm whose f panics is closed.
// A later call for the same target replaces f, and nil removes it. Comms with targets that nobody
// handles are closed at once.
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
		return nil, fmt.Errorf("the %s of a comm must be a JSON object; %T is none", what, v)
	}
	return text, nil
}
