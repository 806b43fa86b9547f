package program

import (
	"os"
	"testing"
	"time"
)

// TestPolledAfterStop reads an empty pipe, and writes to a full one, for a cell that was stopped
// just before.
func TestPolledAfterStop(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	done := make(chan struct{})
	close(done)
	b := make([]byte, 1<<20)
	for _, c := range []struct {
		name        string
		file        *os.File
		setDeadline func(*os.File, time.Time) error
		f           func() (int, error)
	}{
		{"read", r, (*os.File).SetReadDeadline, func() (int, error) { return r.Read(b) }},
		{"write", w, (*os.File).SetWriteDeadline, func() (int, error) { return w.Write(b) }},
	} {
		err = nil
		if !Polled(c.file, c.setDeadline, done, func() { _, err = c.f() }) || !os.IsTimeout(err) {
			t.Errorf("%s ends with %v, and not by the stop", c.name, err)
		}
	}
	if n, err := r.Read(b[:1]); n != 1 || err != nil {
		t.Errorf("later, %d bytes are read: %v", n, err)
	}
}
