package script

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"golang.org/x/term"

	"github.com/hierml/notebook/internal/visible"
	"github.com/hierml/notebook/kernel/internal/program"
	nbdisplay "github.com/hierml/notebook/stdlib/display"
	"github.com/hierml/notebook/stdlib/host"
)

// An Output shows the output of a script in a terminal, or in files. It writes displays as text.
type Output struct {
	stdin          io.Reader
	lines          *bufio.Reader
	stdout, stderr io.Writer
	terminal       bool // stdout is a terminal, on which a line can be replaced

	mu sync.Mutex // guards the fields below; not held while waiting for input
	// open is the last display, as long as nothing was written after it. Only a terminal already
	// has its text.
	open *display
	err  error // the first error of writing
}

type display struct{ id, text string }

var _ program.Output = (*Output)(nil)

// NewOutput returns an output on the three files. Displays go to stdout, questions to stderr.
func NewOutput(stdin io.Reader, stdout, stderr io.Writer) *Output {
	return &Output{stdin: stdin, lines: bufio.NewReader(stdin), stdout: stdout, stderr: stderr, terminal: isTerminal(stdout)}
}

func isTerminal(f any) bool {
	file, ok := f.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// Stream implements program.Output.
func (o *Output) Stream(name, text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.settle()
	if name == "stdout" {
		o.write(o.stdout, text)
		return
	}
	o.write(o.stderr, text)
}

// Display implements program.Output. An update of the last display replaces it: on a terminal if it
// is one line; a file gets only the last state. Any other update is shown as a new display. An
// update without data removes the last display, and any other display without data shows nothing.
func (o *Output) Display(bundle *program.Bundle, id string, update bool) {
	if bundle == nil || !o.terminal && bundle.Metadata[nbdisplay.Transient] != nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	replaced := update && o.open != nil && o.open.id == id
	if len(bundle.Data) == 0 {
		if replaced {
			if o.terminal {
				o.write(o.stdout, "\r\x1b[K")
			}
			o.open = nil
		}
		return
	}
	d := &display{id, text(bundle)}
	if !replaced {
		o.settle()
	}
	switch {
	case !o.terminal:
	case replaced && !strings.Contains(o.open.text, "\n"):
		o.write(o.stdout, "\r\x1b[K"+d.text)
	case replaced:
		o.write(o.stdout, "\n"+d.text)
	default:
		o.write(o.stdout, d.text)
	}
	o.open = d
}

// text returns the text of a bundle, without control sequences for the terminal, since it may
// contain data.
func text(bundle *program.Bundle) string {
	if s, ok := bundle.Data["text/plain"].(string); ok {
		return visible.Text(strings.TrimSuffix(s, "\n"))
	}
	return fmt.Sprintf("(%d representations, none of them text)", len(bundle.Data))
}

// settle ends the display that could still be replaced.
func (o *Output) settle() {
	switch {
	case o.open == nil:
	case o.terminal:
		o.write(o.stdout, "\n")
	case o.open.text != "":
		o.write(o.stdout, o.open.text+"\n")
	}
	o.open = nil
}

// Clear implements program.Output. Written text stays.
func (o *Output) Clear(bool) {}

// Comm implements program.Output.
func (o *Output) Comm(*program.CommMessage) error { return host.ErrNoFrontEnd }

// Page implements program.Output.
func (o *Output) Page(bundle *program.Bundle) { o.Display(bundle, "", false) }

// NextInput implements program.Output. A script has no next cell.
func (o *Output) NextInput(string, bool) {}

// Input implements program.Output. It writes the prompt to stderr, so that stdout has only the
// results.
func (o *Output) Input(ctx context.Context, prompt string, password bool) (string, error) {
	o.ask(prompt)
	type answer struct {
		line string
		err  error
	}
	answered := make(chan answer, 1)
	go func() {
		line, err := o.line(password)
		answered <- answer{line, err}
	}()
	select {
	case a := <-answered:
		return a.line, a.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

func (o *Output) ask(prompt string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.settle()
	if prompt != "" {
		o.write(o.stderr, prompt)
	}
}

func (o *Output) line(password bool) (string, error) {
	if password && isTerminal(o.stdin) {
		line, err := term.ReadPassword(int(o.stdin.(*os.File).Fd()))
		fmt.Fprintln(o.stderr)
		return string(line), err
	}
	line, err := o.lines.ReadString('\n')
	if errors.Is(err, io.EOF) && line != "" {
		err = nil
	}
	return strings.TrimRight(line, "\r\n"), err
}

// Close writes the remaining text, and returns the first error of writing.
func (o *Output) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.settle()
	return o.err
}

func (o *Output) write(w io.Writer, text string) {
	if _, err := io.WriteString(w, text); err != nil && o.err == nil {
		o.err = err
	}
}
