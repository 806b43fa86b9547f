package pipe

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/hierml/notebook/kernel/internal/program"
)

// A Message is the content of a frame: a pointer to one of the types below.
type Message interface {
	// blobs returns the blobs of the message, in the same order on both sides.
	blobs() []*Blob
}

// A Request is a message to the child for a cell. An answer ends it.
type Request interface {
	Message
	isRequest()
}

// An Answer is the last message of a request: the requested type, or *Failed.
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
	// Debug asks for *Debugged. It is a request of the Debug Adapter Protocol, with the variables
	// of the session.
	Debug struct {
		request
		Text    json.RawMessage
		Globals []program.Global
	}
	// Save asks for *Saved. It writes the variables of the adoption, and what cells have shown, to
	// a file.
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
	// Shown is the value of the last expression; no bundle if there is none.
	Shown struct {
		answer
		Bundle *Bundle
	}
	// Count is how many statements ran.
	Count struct {
		answer
		Statements int
	}
	// Delivered says that a message was delivered.
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
	// Adopted lists the variables that stayed behind.
	Adopted struct {
		answer
		Left program.LeftBehind
	}
	// Saved lists the variables that stayed behind, and has the environment and the arguments of
	// the child.
	Saved struct {
		answer
		Left        program.LeftBehind
		Environment []string
		Arguments   []string
	}
	// Failed may replace any of them.
	Failed struct {
		answer
		Failure Failure
	}
)

// Other messages to the child.
type (
	// Interrupt interrupts the cell. With Signal, it sends a signal if the program waits for one,
	// so that the program can end by itself.
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
	// Opened says whether a front end takes a comm that was opened.
	Opened struct {
		bare
		ID      string
		Failure *Failure
	}
	// Memory is the child's memory limit in bytes. It belongs to no cell.
	Memory struct {
		bare
		Bytes int64
	}
	// Free asks the child to return memory to the system. It belongs to no cell.
	Free struct{ bare }
)

// Other messages to the parent, each for a cell.
type (
	// Begin says that the cell begins. With Main, the streams belong to it from now on.
	Begin struct {
		bare
		Main bool
	}
	// Declared says that the program's declarations are in place.
	Declared struct{ bare }
	// Stream is text for standard output or standard error.
	Stream struct {
		Name string
		Text Blob
	}
	// Display, Clear, Page and NextInput are calls of the cell's output.
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
	// Event is an event of the debugger for the front end. It belongs to no cell.
	Event struct {
		bare
		Text json.RawMessage
	}
	// Deep says that a stack is about to end the child.
	Deep struct{ bare }
	// Signalled says that an interrupt was a signal to the program, which has not ended.
	Signalled struct{ bare }
	// Forget says that the cell will send nothing more.
	Forget struct{ bare }
)

// A Comm is a program.CommMessage, to or from the front end, whose buffers are blobs.
type Comm struct {
	program.CommMessage
	Buffers []Blob // replace those of the message
}

// kinds are the types of messages. A frame identifies its type by the index.
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

// PackComm converts a message of a comm for a frame.
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

// PackBundle converts a bundle for a frame; nil stays nil. The error names values that JSON cannot
// encode.
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
			// Detected here, the error can name the value.
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
