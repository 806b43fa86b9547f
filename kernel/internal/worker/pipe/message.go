package pipe

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/hierml/notebook/kernel/internal/program"
)

// A Message is what a frame brings: a pointer to one of the types below.
type Message interface {
	// blobs returns the blobs of the message, in an order that does not depend on which side asks.
	blobs() []*Blob
}

// A Request is a message to the child, of a cell, that an answer ends.
type Request interface {
	Message
	isRequest()
}

// An Answer is the last message of a request: what it asks for, or *Failed.
type Answer interface {
	Message
	isAnswer()
}

// The requests.
type (
	// Run asks for *Shown.
	Run struct {
		request
		Program *program.Program
	}
	// Reached asks for *Count.
	Reached struct{ request }
	// Deliver asks for *Delivered.
	Deliver struct {
		request
		Comm Comm
	}
	// Look asks for *Seen.
	Look struct {
		request
		Looks []program.Look
	}
	// Adopt asks for *Adopted.
	Adopt struct {
		request
		Adoption *program.Adoption
	}
	// Debug asks for *Debugged: a request of the Debug Adapter Protocol is to be carried out, where
	// the session has these variables.
	Debug struct {
		request
		Text    json.RawMessage
		Globals []program.Global
	}
	// Save asks for *Saved: the variables of the adoption, and what cells have shown, are to be
	// written to a file.
	Save struct {
		request
		File     string
		Adoption *program.Adoption
	}
	// Load asks for *Adopted, as Adopt does, with the variables from such a file.
	Load struct {
		request
		File     string
		Adoption *program.Adoption
	}
)

// The answers.
type (
	// Shown is what the last expression shows; no bundle for nothing.
	Shown struct {
		answer
		Bundle *Bundle
	}
	// Count is how many statements were done.
	Count struct {
		answer
		Statements int
	}
	// Delivered says that a message was.
	Delivered struct{ answer }
	// Seen is a text for each look.
	Seen struct {
		answer
		Texts []string
	}
	// Debugged is the response of the debugger.
	Debugged struct {
		answer
		Text json.RawMessage
	}
	// Adopted tells what stayed behind.
	Adopted struct {
		answer
		Left program.LeftBehind
	}
	// Saved tells what stayed behind, and the environment and the arguments of the child.
	Saved struct {
		answer
		Left        program.LeftBehind
		Environment []string
		Arguments   []string
	}
	// Failed stands for any of them.
	Failed struct {
		answer
		Failure Failure
	}
)

// Other messages to the child.
type (
	// Interrupt asks the cell to end; with Signal, by a signal if its program waits for one, so
	// that it ends by itself.
	Interrupt struct {
		bare
		Signal bool
	}
	// Line answers a question of a cell.
	Line struct {
		bare
		Text    string
		Failure *Failure
	}
	// Opened says whether there is anybody for a comm that was opened.
	Opened struct {
		bare
		ID      string
		Failure *Failure
	}
	// Memory is how many bytes the child is to stay below. It is of no cell.
	Memory struct {
		bare
		Bytes int64
	}
	// Free asks the child to give memory back. It is of no cell.
	Free struct{ bare }
)

// Other messages to the parent, all of a cell.
type (
	// Begin says that the cell begins; with Main, that the streams belong to it from now on.
	Begin struct {
		bare
		Main bool
	}
	// Declared says that what the program declares is there.
	Declared struct{ bare }
	// Stream is text for standard output or standard error.
	Stream struct {
		Name string
		Text Blob
	}
	// Display, Clear, Page and NextInput are what is to be called of the cell's output.
	Display struct {
		Bundle *Bundle
		ID     string
		Update bool
	}
	Clear struct {
		bare
		Wait bool
	}
	Page      struct{ Bundle *Bundle }
	NextInput struct {
		bare
		Source  string
		Replace bool
	}
	// Question asks the user for a line.
	Question struct {
		bare
		Prompt   string
		Password bool
	}
	// Event is one of the debugger, for the front end. It is of no cell.
	Event struct {
		bare
		Text json.RawMessage
	}
	// Deep says that a stack is about to end the child.
	Deep struct{ bare }
	// Signalled says that an interrupt was a signal to the program, which has not ended for it.
	Signalled struct{ bare }
	// Forget says that nothing will come from the cell any more.
	Forget struct{ bare }
)

// A Comm is a program.CommMessage, to or from the front end, whose buffers are blobs.
type Comm struct {
	program.CommMessage
	Buffers []Blob // in place of those of the message
}

// kinds are the types of messages. A frame tells its own by the index.
var kinds = []reflect.Type{
	reflect.TypeFor[Run](), reflect.TypeFor[Reached](), reflect.TypeFor[Deliver](), reflect.TypeFor[Look](),
	reflect.TypeFor[Adopt](), reflect.TypeFor[Save](), reflect.TypeFor[Load](),
	reflect.TypeFor[Shown](), reflect.TypeFor[Count](), reflect.TypeFor[Delivered](), reflect.TypeFor[Seen](),
	reflect.TypeFor[Adopted](), reflect.TypeFor[Saved](), reflect.TypeFor[Failed](),
	reflect.TypeFor[Interrupt](), reflect.TypeFor[Line](), reflect.TypeFor[Opened](), reflect.TypeFor[Memory](), reflect.TypeFor[Free](),
	reflect.TypeFor[Begin](), reflect.TypeFor[Declared](), reflect.TypeFor[Stream](),
	reflect.TypeFor[Display](), reflect.TypeFor[Clear](), reflect.TypeFor[Page](), reflect.TypeFor[NextInput](), reflect.TypeFor[Comm](),
	reflect.TypeFor[Question](), reflect.TypeFor[Deep](), reflect.TypeFor[Signalled](), reflect.TypeFor[Forget](),
	reflect.TypeFor[Debug](), reflect.TypeFor[Debugged](), reflect.TypeFor[Event](),
}

// bare, request and answer make a type a message without blobs.
type (
	bare    struct{}
	request struct{ bare }
	answer  struct{ bare }
)

func (bare) blobs() []*Blob { return nil }
func (request) isRequest()  {}
func (answer) isAnswer()    {}

func (m *Deliver) blobs() []*Blob { return m.Comm.blobs() }
func (m *Shown) blobs() []*Blob   { return m.Bundle.blobs() }
func (m *Display) blobs() []*Blob { return m.Bundle.blobs() }
func (m *Page) blobs() []*Blob    { return m.Bundle.blobs() }
func (m *Stream) blobs() []*Blob  { return []*Blob{&m.Text} }

func (m *Comm) blobs() []*Blob {
	var all []*Blob
	for i := range m.Buffers {
		all = append(all, &m.Buffers[i])
	}
	return all
}

// PackComm makes a message of a comm one for a frame.
func PackComm(m *program.CommMessage) Comm {
	packed := Comm{CommMessage: *m}
	packed.CommMessage.Buffers = nil
	for _, b := range m.Buffers {
		packed.Buffers = append(packed.Buffers, Blob{Data: b})
	}
	return packed
}

// Unpack is the reverse of PackComm.
func (m *Comm) Unpack() *program.CommMessage {
	unpacked := m.CommMessage
	for _, b := range m.Buffers {
		unpacked.Buffers = append(unpacked.Buffers, b.Data)
	}
	return &unpacked
}

// A Bundle is a program.Bundle whose values keep their types in JSON.
type Bundle struct {
	Data     map[string]*datum `json:"data"`
	Metadata map[string]any    `json:"metadata,omitempty"`
}

type datum struct {
	Text  *string `json:"text,omitempty"`
	Bytes *Blob   `json:"bytes,omitempty"`
	JSON  any     `json:"json,omitempty"`
}

// PackBundle makes a bundle one for a frame; nil of nil. The error names what JSON does not have.
func PackBundle(b *program.Bundle) (*Bundle, error) {
	if b == nil {
		return nil, nil
	}
	packed := &Bundle{Data: make(map[string]*datum, len(b.Data)), Metadata: b.Metadata}
	for mime, v := range b.Data {
		switch v := v.(type) {
		case string:
			packed.Data[mime] = &datum{Text: &v}
		case []byte:
			packed.Data[mime] = &datum{Bytes: &Blob{Data: v}}
		default:
			// Found out here, the fault has a name.
			if _, err := json.Marshal(v); err != nil {
				return nil, fmt.Errorf("%s: %w", mime, err)
			}
			packed.Data[mime] = &datum{JSON: v}
		}
	}
	return packed, nil
}

// Unpack is the reverse of PackBundle.
func (b *Bundle) Unpack() *program.Bundle {
	if b == nil {
		return nil
	}
	out := &program.Bundle{Data: make(map[string]any, len(b.Data)), Metadata: b.Metadata}
	for mime, d := range b.Data {
		switch {
		case d == nil: // garbage
		case d.Text != nil:
			out.Data[mime] = *d.Text
		case d.Bytes != nil:
			out.Data[mime] = d.Bytes.Data
		default:
			out.Data[mime] = d.JSON
		}
	}
	return out
}

func (b *Bundle) blobs() []*Blob {
	if b == nil {
		return nil
	}
	var all []*Blob
	for _, mime := range slices.Sorted(maps.Keys(b.Data)) {
		if d := b.Data[mime]; d != nil && d.Bytes != nil {
			all = append(all, d.Bytes)
		}
	}
	return all
}

// A Failure is an error that crosses the pipe.
type Failure struct {
	Message  string
	Runtime  *program.RuntimeError
	Canceled bool
	End      bool // io.EOF
}
