// Package history keeps the cells that a user ran, from one run of the kernel to the next, in a
// file that several kernels share and that only the user can read.
//
// The cells of one run of a kernel are a session. Sessions are numbered from 1, in the order of
// their first cells; a session without cells has no number.
package history

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"
)

// A Cell is one entry of a history.
type Cell struct {
	Session int    `json:"session"`
	Line    int    `json:"line"`
	Input   string `json:"input"`
	Output  string `json:"output,omitempty"` // text of the value; empty if there is none
}

const (
	// maxText bounds the stored text of an input or an output.
	maxText = 1 << 20
	// maxCells and maxBytes bound the cells that are not in the file yet. The oldest are dropped
	// first.
	maxCells = 10_000
	maxBytes = 16 << 20
	// lockPatience is how long a question waits for other kernels that use the file.
	lockPatience = time.Second
	// closePatience is how long Close waits for them.
	closePatience = 1500 * time.Millisecond
	// pause is how long to write nothing after a failure.
	pause = 10 * time.Second
)

// A History is the history of one session and of earlier ones. It is safe for concurrent use.
//
// While the file cannot be written, the newest 10,000 cells of this session stay in memory, and a
// warning is logged once.
type History struct {
	store *store // nil for a history in memory
	log   *slog.Logger

	mu           sync.Mutex
	session      int    // 0 until the first cell is in the file
	pending      []Cell // of this session and not in the file, oldest first
	pendingBytes int
	failing      bool // the file could not be used the last time
	notBefore    time.Time
	closed       bool
}

// Open returns the history in a file, whose folder should contain nothing else. Neither has to
// exist, and neither is touched before the first cell or the first question. The empty path makes a
// history that ends with the session.
func Open(path string, log *slog.Logger) *History {
	h := &History{log: log}
	if path != "" {
		h.store = &store{path: path, max: maxFile, log: log}
	}
	return h
}

// Add adds a cell to this session. It does not wait for other kernels that use the file: a later
// cell, a question or Close then writes this one, too. Of texts of more than a mebibyte, it stores
// the beginning.
func (h *History) Add(line int, input, output string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return
	}
	c := Cell{Line: max(line, 0), Input: abridge(input), Output: abridge(output)}
	h.pending = append(h.pending, c)
	h.pendingBytes += c.size()
	for len(h.pending) > maxCells || h.pendingBytes > maxBytes {
		h.pendingBytes -= h.pending[0].size()
		h.pending = h.pending[1:]
	}
	h.flush(0)
}

func (c Cell) size() int { return len(c.Input) + len(c.Output) }

func abridge(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= maxText {
		return text
	}
	kept := strings.ToValidUTF8(text[:maxText], "")
	return fmt.Sprintf("%s\n// … %d more bytes were not kept", kept, len(text)-len(kept))
}

// Close writes the remaining cells, which takes a second or two if others use the file. Cells that
// are added later are lost.
func (h *History) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return
	}
	h.closed, h.notBefore = true, time.Time{}
	h.flush(closePatience)
	if h.store != nil && len(h.pending) > 0 {
		h.log.Warn("the last cells are missing from the history", "path", h.store.path)
	}
}

// flush writes the pending cells, unless other kernels use the file for longer than patience, or it
// failed a moment ago. The caller holds mu.
func (h *History) flush(patience time.Duration) {
	if h.store == nil || len(h.pending) == 0 || time.Now().Before(h.notBefore) {
		return
	}
	session, err := h.store.write(patience, h.session, h.pending)
	switch {
	case err == nil:
		h.session, h.pending, h.pendingBytes, h.failing = session, nil, 0, false
	case patience > 0 || !errors.Is(err, context.DeadlineExceeded):
		h.fail(err)
		h.notBefore = time.Now().Add(pause)
	}
}

// fail logs what is wrong with the file, once. The caller holds mu.
func (h *History) fail(err error) {
	if errors.Is(err, context.DeadlineExceeded) {
		err = errors.New("other kernels use it")
	}
	if !h.failing {
		h.log.Warn("the history cannot be read or written, and is kept in memory only", "path", h.store.path, "reason", err)
	}
	h.failing = true
}
