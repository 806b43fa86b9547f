// Package history keeps the cells that a user ran, from one run of the kernel to the next, in a
// file that several kernels share and that only the user can read.
//
// The cells of one run of a kernel are a session. Sessions are numbered from 1, in the order of
// their first cells; a session without cells has no number.
package history

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"
)

// A Cell is one entry of a history.
type Cell struct {
	Session, Line int
	Input         string
	Output        string // text of the value; empty if there is none
}

const (
	// maxText is the most that is kept of an input or an output.
	maxText = 1 << 20
	// gathering is how long cells wait for others to be written with.
	gathering = 250 * time.Millisecond
	// lockPatience is how long other kernels may keep the file.
	lockPatience = time.Second
	// pause is how long nothing is written after a failure.
	pause = 10 * time.Second
	// closePatience bounds Close.
	closePatience = 1500 * time.Millisecond
)

// limits bound a history. The oldest cells go first.
type limits struct{ cells, bytes int }

var (
	onDisk   = limits{cells: 100_000, bytes: 64 << 20}
	inMemory = limits{cells: 10_000, bytes: 16 << 20}
)

// A History is that of one session and of those before it. It is safe for concurrent use.
//
// While the file cannot be written, the cells of this session live in memory, the newest 10,000 of
// them, and the log is told so once.
type History struct {
	store *store // nil for a history in memory
	log   *slog.Logger

	wake    chan struct{} // of the writer; has room for one
	closing chan struct{}
	written chan struct{} // closed when the writer has ended

	disk sync.Mutex // held while the file is used; before mu

	mu           sync.Mutex
	session      uint64 // 0 until the first cell is in the file
	pending      []Cell // of this session and not in the file, oldest first
	pendingBytes int
	removed      int  // from pending, since the beginning
	failing      bool // the file could not be used the last time
	notBefore    time.Time
	started      bool // the writer
	closed       bool
}

// Open returns the history in a file, which belongs in a folder of its own. Neither has to exist,
// and neither is touched before the first cell or the first question. The empty path makes a
// history that ends with the session.
func Open(path string, log *slog.Logger) *History {
	h := &History{
		log:     log,
		wake:    make(chan struct{}, 1),
		closing: make(chan struct{}),
		written: make(chan struct{}),
	}
	if path != "" {
		h.store = &store{path: path, limits: onDisk, setAside: func(to string, reason error) {
			log.Warn("the history was set aside and begins anew", "kept as", to, "reason", reason)
		}}
	}
	return h
}

// Add adds a cell to this session. It does not wait for the disk. Of texts of more than a mebibyte
// the beginning is kept.
func (h *History) Add(line int, input, output string) {
	c := Cell{Line: line, Input: abridge(input), Output: abridge(output)}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return
	}
	h.pending = append(h.pending, c)
	h.pendingBytes += c.size()
	for len(h.pending) > inMemory.cells || h.pendingBytes > inMemory.bytes {
		h.drop(1)
	}
	if h.store == nil {
		return
	}
	if !h.started {
		h.started = true
		go h.write()
	}
	h.rouse()
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

// Close writes what is not written yet, which takes a second or two when others keep the file. What
// is added later is lost.
func (h *History) Close() {
	h.mu.Lock()
	started, closed := h.started, h.closed
	h.closed = true
	h.mu.Unlock()
	if !started || closed {
		return
	}
	close(h.closing)
	select {
	case <-h.written:
	case <-time.After(closePatience):
		h.log.Warn("the last cells are missing from the history, which others keep", "path", h.store.path)
	}
}

// write is the writer: it puts cells into the file until the history is closed.
func (h *History) write() {
	defer close(h.written)
	for h.wait() {
		h.disk.Lock()
		h.flush(lockPatience)
		h.disk.Unlock()
	}
	h.disk.Lock()
	defer h.disk.Unlock()
	h.flush(closePatience)
}

// wait returns when there are cells to write, or false when the history is being closed.
func (h *History) wait() bool {
	select {
	case <-h.wake:
	case <-h.closing:
		return false
	}
	h.mu.Lock()
	delay := max(gathering, time.Until(h.notBefore))
	h.mu.Unlock()
	select {
	case <-time.After(delay):
		return true
	case <-h.closing:
		return false
	}
}

// flush writes what is pending. The caller holds disk.
func (h *History) flush(patience time.Duration) {
	h.mu.Lock()
	session, added, end := h.session, slices.Clone(h.pending), h.removed+len(h.pending)
	h.mu.Unlock()
	if len(added) == 0 {
		return
	}
	session, err := h.store.write(patience, session, added)
	h.mu.Lock()
	defer h.mu.Unlock()
	if err != nil {
		h.fail(err)
		h.notBefore = time.Now().Add(pause)
		h.rouse()
		return
	}
	h.failing, h.session = false, session
	h.drop(max(0, end-h.removed))
}

// fail tells the log what keeps the history from its file, once. The caller holds mu.
func (h *History) fail(err error) {
	if !h.failing {
		h.log.Warn("the history cannot be read or written, and lives in memory", "path", h.store.path, "reason", err)
	}
	h.failing = true
}

// rouse wakes the writer.
func (h *History) rouse() {
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// drop removes the first n pending cells. The caller holds mu.
func (h *History) drop(n int) {
	for _, c := range h.pending[:n] {
		h.pendingBytes -= c.size()
	}
	h.pending = slices.Delete(h.pending, 0, n)
	h.removed += n
}
