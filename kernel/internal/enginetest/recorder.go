package enginetest

import (
	"context"
	"io"
	"strings"
	"sync"

	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib/host"
)

// A Recorder records the output of a cell.
type Recorder struct {
	mu             sync.Mutex
	stdout, stderr strings.Builder
	written        chan struct{} // closed by the next output; nil if nobody waits
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
	if r.written != nil {
		close(r.written)
		r.written = nil
	}
}

// Await waits until standard output contains a text, or ctx is done. An empty text means any
// output.
func (r *Recorder) Await(ctx context.Context, text string) {
	for {
		r.mu.Lock()
		out := r.stdout.String()
		if r.written == nil {
			r.written = make(chan struct{})
		}
		written := r.written
		r.mu.Unlock()
		if out != "" && strings.Contains(out, text) {
			return
		}
		select {
		case <-written:
		case <-ctx.Done():
			return
		}
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

// Input fails: there is nobody to ask.
func (*Recorder) Input(context.Context, string, bool) (string, error) {
	return "", io.EOF
}

// Out returns the standard output.
func (r *Recorder) Out() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stdout.String()
}

// Notes returns the standard error.
func (r *Recorder) Notes() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stderr.String()
}
