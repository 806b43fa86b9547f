package repl

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib/host"
)

// An output shows what one input writes and displays, also after it has ended.
type output struct {
	session   *session
	count     int
	interrupt context.CancelCauseFunc // of the input

	asking sync.Mutex // held during a question

	mu       sync.Mutex
	ended    bool
	pictures int            // shown so far
	files    map[string]int // pictures by the names of their displays
}

var _ program.Output = (*output)(nil)

// finish records that the input has ended.
func (o *output) finish() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = true
}

// Stream implements program.Output.
func (o *output) Stream(_, text string) { o.session.screen.write(o.session.screen.look.plain(text)) }

// Display implements program.Output.
func (o *output) Display(bundle *program.Bundle, id string, update bool) {
	if bundle == nil {
		return
	}
	text := o.session.screen.text(bundle, false)
	path, drawing := o.picture(bundle, id, update)
	switch {
	case path == "":
		o.session.screen.display(id, withEnd(text), update)
	case drawing == "":
		o.session.screen.display(id, withEnd(text)+path+"\n", update)
	default:
		o.session.screen.write(withEnd(text) + drawing + "\n" + path + "\n")
	}
}

// result shows the value of the input.
func (o *output) result(bundle *program.Bundle) {
	text := o.session.screen.text(bundle, false)
	path, drawing := o.picture(bundle, "", false)
	if text == "" && path == "" {
		return
	}
	o.session.screen.endLine()
	label := o.session.screen.look.paint(colorOut, fmt.Sprintf("Out[%d]:", o.count))
	separator := " "
	if strings.Contains(text, "\n") {
		separator = "\n"
	}
	if text == "" {
		separator = ""
	}
	shown := label + separator + text + "\n"
	if drawing != "" {
		shown += drawing + "\n"
	}
	if path != "" {
		shown += path + "\n"
	}
	o.session.screen.write(shown)
}

// picture saves the picture of a bundle, if there is one, and returns its path and its drawing, if
// the terminal can draw it. The picture of an update replaces the one before.
func (o *output) picture(bundle *program.Bundle, id string, update bool) (path, drawing string) {
	p, ok := pictureOf(bundle)
	if !ok {
		return "", ""
	}
	o.mu.Lock()
	number, again := o.files[id]
	if !again || !update || id == "" {
		o.pictures++
		number = o.pictures
	}
	if id != "" {
		if o.files == nil {
			o.files = make(map[string]int)
		}
		o.files[id] = number
	}
	o.mu.Unlock()
	file, err := o.session.pictures.save(fmt.Sprintf("%d-%d%s", o.count, number, p.extension), p.data)
	if err != nil {
		return "the picture was not saved: " + err.Error(), ""
	}
	columns, _ := o.session.screen.size()
	return o.session.screen.look.link(file), o.session.pictures.drawing(p, columns)
}

// Clear implements program.Output. Written text stays.
func (o *output) Clear(bool) {}

// Comm implements program.Output.
func (o *output) Comm(*program.CommMessage) error { return host.ErrNoFrontEnd }

// Page implements program.Output.
func (o *output) Page(bundle *program.Bundle) {
	if bundle != nil {
		o.session.screen.write(withEnd(o.session.screen.text(bundle, true)))
	}
}

// NextInput implements program.Output: the user edits the source next.
func (o *output) NextInput(source string, _ bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.ended {
		o.session.next = source
	}
}

// errEnded is the error of an input that asks after its end.
var errEnded = errors.New("cannot ask for input: the cell has ended")

// Input implements program.Output.
func (o *output) Input(ctx context.Context, prompt string, password bool) (string, error) {
	o.asking.Lock()
	defer o.asking.Unlock()
	o.mu.Lock()
	ended := o.ended
	o.mu.Unlock()
	if ended {
		return "", errEnded
	}
	line, err := o.session.editor.ask(ctx, prompt, password)
	if errors.Is(err, errInterrupted) {
		o.interrupt(errInterrupted)
		return "", errInterrupted
	}
	return line, err
}

// withEnd adds a line end to a text, unless it is empty.
func withEnd(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}
