package worker

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"

	"github.com/hierml/notebook/kernel/internal/program"
)

// A frame is one message between parent and child.
type frame struct {
	Kind     string              `json:"kind"`
	Cell     int                 `json:"cell,omitempty"`
	Program  *program.Program    `json:"program,omitempty"`
	Adoption *program.Adoption   `json:"adoption,omitempty"`
	Looks    []program.Look      `json:"looks,omitempty"`
	Bundle   *bundle             `json:"bundle,omitempty"`
	ID       string              `json:"id,omitempty"`
	Main     bool                `json:"main,omitempty"`
	Update   bool                `json:"update,omitempty"`
	Wait     bool                `json:"wait,omitempty"`
	Name     string              `json:"name,omitempty"`
	Text     string              `json:"text,omitempty"`
	Bytes    *blob               `json:"bytes,omitempty"`
	Size     int64               `json:"size,omitempty"`
	Password bool                `json:"password,omitempty"`
	Replace  bool                `json:"replace,omitempty"`
	Comm     *comm               `json:"comm,omitempty"`
	Failure  *failure            `json:"failure,omitempty"`
	Left     *program.LeftBehind `json:"left,omitempty"`
	Texts    []string            `json:"texts,omitempty"`
}

// The kinds of frames, with the fields they use beside Cell.
const (
	// To the child.
	frameRun       = "run"       // Program
	frameReached   = "reached"   //
	frameLook      = "look"      // Looks
	frameAdopt     = "adopt"     // Adoption
	frameSave      = "save"      // Adoption, Name is a file
	frameLoad      = "load"      // Adoption, Name is a file
	frameDeliver   = "deliver"   // Comm
	frameInterrupt = "interrupt" //
	frameLine      = "line"      // Text or Failure
	frameOpened    = "opened"    // ID is that of a comm, Failure
	frameMemory    = "memory"    // Size is what the child is to stay below; of no cell
	frameFree      = "free"      // the child is to give memory back; of no cell

	// To the parent.
	frameBegin     = "begin"     // Main: the streams belong to the cell from now on
	frameDeclared  = "declared"  // what the program declares is there
	frameStream    = "stream"    // Name, Bytes
	frameDisplay   = "display"   // Bundle, ID, Update
	frameClear     = "clear"     // Wait
	frameComm      = "comm"      // Comm
	framePage      = "page"      // Bundle
	frameNextInput = "nextinput" // Text, Replace
	frameInput     = "input"     // Text is the prompt, Password
	frameDeep      = "deep"      // a stack is about to end the child
	frameDone      = "done"      // Failure or the answer: Bundle, Left, Texts; Size is the time of interpreted code, or a number of statements
	frameForget    = "forget"    // nothing will come from the cell any more
)

// A failure is an error that crosses the pipe.
type failure struct {
	Message  string                `json:"message"`
	Runtime  *program.RuntimeError `json:"runtime,omitempty"`
	Canceled bool                  `json:"canceled,omitempty"`
	End      bool                  `json:"end,omitempty"` // io.EOF
}

// A bundle is an program.Bundle whose values keep their types in JSON.
type bundle struct {
	Data     map[string]*datum `json:"data"`
	Metadata map[string]any    `json:"metadata,omitempty"`
}

type datum struct {
	Text  *string `json:"text,omitempty"`
	Bytes *blob   `json:"bytes,omitempty"`
	JSON  any     `json:"json,omitempty"`
}

func packBundle(b *program.Bundle) (*bundle, error) {
	if b == nil {
		return nil, nil
	}
	packed := &bundle{Data: make(map[string]*datum, len(b.Data)), Metadata: b.Metadata}
	for mime, v := range b.Data {
		switch v := v.(type) {
		case string:
			packed.Data[mime] = &datum{Text: &v}
		case []byte:
			packed.Data[mime] = &datum{Bytes: &blob{data: v}}
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

func (b *bundle) unpack() *program.Bundle {
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
			out.Data[mime] = d.Bytes.data
		default:
			out.Data[mime] = d.JSON
		}
	}
	return out
}

// left returns what was left behind.
func (f *frame) left() program.LeftBehind {
	if f.Left == nil {
		return program.LeftBehind{}
	}
	return *f.Left
}

// A comm is an program.CommMessage whose buffers are blobs.
type comm struct {
	program.CommMessage
	Buffers []blob `json:"buffers,omitempty"` // in place of those of the message
}

func packMessage(m *program.CommMessage) *comm {
	packed := &comm{CommMessage: *m}
	packed.CommMessage.Buffers = nil
	for _, b := range m.Buffers {
		packed.Buffers = append(packed.Buffers, blob{data: b})
	}
	return packed
}

func (c *comm) unpack() *program.CommMessage {
	m := c.CommMessage
	for _, b := range c.Buffers {
		m.Buffers = append(m.Buffers, b.data)
	}
	return &m
}

// maxFrame bounds a frame. Only a fault of the program could exceed it: what
// is displayed is bounded before.
const maxFrame = 1 << 30

func encodeFrame(f *frame) ([]byte, error) {
	body, err := f.marshal()
	if err != nil {
		return nil, err
	}
	if len(body) > maxFrame {
		return nil, fmt.Errorf("a frame of %d bytes is too long", len(body))
	}
	return append(binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(body)), uint32(len(body))), body...), nil
}

// readFrame reads a frame, of one that can be trusted.
func readFrame(r io.Reader) (*frame, error) {
	var n [4]byte
	if _, err := io.ReadFull(r, n[:]); err != nil {
		return nil, err
	}
	body := make([]byte, binary.BigEndian.Uint32(n[:]))
	if _, err := io.ReadFull(r, body); err != nil {
		return nil, err
	}
	f := new(frame)
	return f, f.unmarshal(body)
}

// A frameBuffer collects bytes until they are a frame.
type frameBuffer []byte

func (b *frameBuffer) write(p []byte) { *b = append(*b, p...) }

// next returns the next whole frame, or nil when it is not all there.
func (b *frameBuffer) next() (*frame, error) {
	if len(*b) < 4 {
		return nil, nil
	}
	n := binary.BigEndian.Uint32(*b)
	if n > maxFrame {
		return nil, errGarbage
	}
	end := 4 + int(n)
	if len(*b) < end {
		return nil, nil
	}
	f := new(frame)
	if err := f.unmarshal((*b)[4:end:end]); err != nil {
		return nil, fmt.Errorf("%w: %w", errGarbage, err)
	}
	*b = (*b)[end:]
	if len(*b) == 0 {
		*b = nil
	}
	return f, nil
}
