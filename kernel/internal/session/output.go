package session

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/wire"
	"github.com/hierml/notebook/stdlib/display"
	"github.com/hierml/notebook/stdlib/host"
)

// An output publishes what one cell writes and shows, under that cell's header, also after the cell
// has ended. A silent one publishes nothing. The worker keeps it while a goroutine of the cell
// lives, so it uses little memory.
type output struct {
	session *session
	parent  wire.Parent
	silent  bool
	budget  budget
	notes   strings.Builder // shown last, under notesID
	notesID string
	streams alternation

	mu      sync.Mutex
	ended   bool
	asker   *wire.Request // whose front end accepts questions; nil otherwise
	mute    error         // why the cell cannot ask for input, if asker is nil
	payload []any         // of the reply
}

var _ program.Output = (*output)(nil)

func newOutput(s *session, parent wire.Parent) *output {
	// Copy the header, which may be part of a large message.
	parent.Header = bytes.Clone(parent.Header)
	return &output{session: s, parent: parent, payload: []any{}, mute: errNoCell}
}

// Reasons why a cell cannot ask for input.
var (
	errNoCell      = errors.New("only cells can ask for input, not user expressions or comms")
	errNoQuestions = errors.New("this cell cannot ask for input: the front end that runs it accepts no questions (allow_stdin is false)")
	errEnded       = errors.New("cannot ask for input: the cell has ended")
)

// takeQuestions lets the cell ask the front end that sent its request, if the request allows it.
func (o *output) takeQuestions(r *wire.Request, allowed bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.mute = errNoQuestions
	if allowed {
		o.asker = r
	}
}

// finish is called when the cell has ended. It returns the payload of its reply.
func (o *output) finish() []any {
	said, tail, path := o.budget.end()
	o.write("stderr", said)
	o.write("stdout", tail)
	o.session.keepFile(path)
	o.mu.Lock()
	defer o.mu.Unlock()
	payload := o.payload
	o.ended, o.asker, o.mute, o.payload = true, nil, errEnded, nil
	return payload
}

// curb lets the interrupted cell write only a little more.
func (o *output) curb() { o.budget.curb() }

func (o *output) Stream(name, text string) {
	if o.silent {
		return
	}
	shown, note := o.budget.text(text)
	if name != host.Notes && shown != "" {
		to, first := o.streams.stream(name, time.Now())
		if first {
			defer o.note("note: standard output and standard error alternate too often for front ends; from here on they are merged, in order\n")
		}
		name = to
	}
	o.write(name, shown)
	o.write("stderr", note)
}

// write publishes text outside the budget.
func (o *output) write(name, text string) {
	switch {
	case o.silent || text == "":
	case name == host.Notes:
		o.note(text)
	default:
		o.notes.Reset()
		o.session.iopub.Stream(o.parent, name, text)
	}
}

// note shows lines of the kernel. It joins them to the previous lines if nothing was shown in
// between.
func (o *output) note(lines string) {
	msgType := "update_display_data"
	if o.notes.Len() == 0 {
		msgType, o.notesID = "display_data", rand.Text()
	}
	o.notes.WriteString(lines)
	data, _ := encodeBundle(display.Note(o.notes.String())) // a text can be encoded
	o.show(msgType, data, o.notesID)
}

func (o *output) Display(bundle *program.Bundle, id string, update bool) {
	if o.silent || bundle == nil {
		return
	}
	data, problems := encodeBundle(bundle)
	o.complain(problems)
	// An update replaces what was shown before, and removes it if the cell made it empty.
	removes := update && len(bundle.Data) == 0
	if len(data.Data) == 0 && !removes || !update && !o.afford(sizeOf(data)) {
		return
	}
	msgType := "display_data"
	if update {
		msgType = "update_display_data"
	} else {
		o.notes.Reset()
	}
	o.show(msgType, data, id)
}

// show publishes a bundle that is outside the budget, or within it.
func (o *output) show(msgType string, data wire.Data, id string) {
	data.Transient = map[string]any{}
	if id != "" {
		data.Transient["display_id"] = id
	}
	o.session.iopub.WaitRoom()
	o.session.publish(o.parent, msgType, data)
}

// afford reports whether the budget has room for data of a size.
func (o *output) afford(size int) bool {
	ok, note := o.budget.data(size)
	o.write("stderr", note)
	return ok
}

func (o *output) Clear(wait bool) {
	if !o.silent {
		o.budget.clear()
		o.notes.Reset()
		o.session.publish(o.parent, "clear_output", wire.ClearOutput{Wait: wait})
	}
}

// Comm implements program.Output. A silent cell may still send messages to code.
func (o *output) Comm(m *program.CommMessage) error { return o.session.sendComm(o.parent, m) }

// Page implements program.Output. Once the reply is sent, it displays the bundle.
func (o *output) Page(bundle *program.Bundle) {
	if bundle == nil {
		return
	}
	data, problems := encodeBundle(bundle)
	if len(data.Data) > 0 && !o.reply(wire.Page{Source: "page", Data: data.Data}, sizeOf(data)) {
		o.Display(bundle, "", false)
		return
	}
	o.complain(problems)
}

// NextInput implements program.Output. Once the reply is sent, it does nothing.
func (o *output) NextInput(source string, replace bool) {
	o.reply(wire.NextInput{Source: "set_next_input", Text: source, Replace: replace}, len(source))
}

// reply adds something of the given size to the payload of the reply. It reports false if the reply
// is already sent.
func (o *output) reply(payload any, size int) bool {
	o.mu.Lock()
	ended := o.ended
	o.mu.Unlock()
	if ended {
		return false
	}
	if o.afford(size) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.payload = append(o.payload, payload)
	}
	return true
}

func (o *output) Input(ctx context.Context, prompt string, password bool) (string, error) {
	o.mu.Lock()
	asker, mute := o.asker, o.mute
	o.mu.Unlock()
	if asker == nil {
		return "", mute
	}
	o.session.iopub.Flush(o.parent)
	return asker.Input(ctx, prompt, password)
}

// complain tells the user of values that could not be shown.
func (o *output) complain(problems []error) {
	for _, problem := range problems {
		o.Stream("stderr", "not shown: "+problem.Error()+"\n")
	}
}

// sizeOf estimates how many bytes of a message a value takes.
func sizeOf(data wire.Data) int {
	metadata, _ := wire.Encode(data.Metadata) // encodeBundle has checked that this works
	size := len(metadata)
	for _, encoded := range data.Data {
		size += len(encoded)
	}
	return size
}
