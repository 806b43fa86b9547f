package enginetest

import (
	"context"
	"io"
	"strings"
	"sync"

	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib/host"
)

// A Recorder keeps what a cell writes and shows.
type Recorder struct {
	mu             sync.Mutex
	stdout, stderr strings.Builder
}

// Stream keeps a text.
func (r *Recorder) Stream(name, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if name == "stdout" {
		r.stdout.WriteString(text)
	} else {
		r.stderr.WriteString(text)
	}
}

// Display shows nothing.
func (*Recorder) Display(*program.Bundle, string, bool) {}

// Clear clears nothing.
func (*Recorder) Clear(bool) {}

// Comm has no front end.
func (*Recorder) Comm(*program.CommMessage) error { return host.ErrNoFrontEnd }

// Page shows nothing.
func (*Recorder) Page(*program.Bundle) {}

// NextInput has no cell to write to.
func (*Recorder) NextInput(string, bool) {}

// Input has nobody to ask.
func (*Recorder) Input(context.Context, string, bool) (string, error) {
	return "", io.EOF
}

// Out returns what was written to standard output.
func (r *Recorder) Out() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stdout.String()
}

// Notes returns what was written to standard error.
func (r *Recorder) Notes() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stderr.String()
}
