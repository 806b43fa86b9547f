//go:build unix

package repl

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// A keyboard stands between the terminal and the library that reads keys.
//
// The library asks the terminal where the cursor is each time it draws, and loses the keys that it
// reads together with the answer, as those of somebody who types while the machine is busy. So it
// is given a terminal of its own for its standard input, which is read piece by piece: a piece has
// keys, or an answer.
type keyboard struct {
	tty           *os.File // the terminal
	master, slave *os.File // the library's

	ready chan struct{} // closed when the library may be given something
	once  *sync.Once    // closes it
}

// openKeyboard puts the library's terminal in place of the standard input.
func openKeyboard() (k *keyboard, err error) {
	k = new(keyboard)
	defer func() {
		if err != nil {
			err = errors.Join(err, k.close())
		}
	}()
	fd, err := unix.FcntlInt(os.Stdin.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return k, fmt.Errorf("keep the terminal: %w", err)
	}
	k.tty = os.NewFile(uintptr(fd), "terminal")
	if k.master, k.slave, err = pty.Open(); err != nil {
		return k, fmt.Errorf("open a terminal for the editor: %w", err)
	}
	if err := readPieces(k.slave); err != nil {
		return k, fmt.Errorf("set up the terminal of the editor: %w", err)
	}
	return k, replaceStdin(k.slave)
}

// replaceStdin makes a file the standard input.
func replaceStdin(f *os.File) error { return replace(int(os.Stdin.Fd()), int(f.Fd())) }

// close gives the terminal back.
func (k *keyboard) close() error {
	var errs []error
	if k.tty != nil {
		errs = append(errs, replaceStdin(k.tty))
	}
	for _, f := range []*os.File{k.tty, k.master, k.slave} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	return errors.Join(errs...)
}

// listen passes on single keys of the terminal once begin was called, until stop is.
func (k *keyboard) listen() (stop func() error, err error) {
	restore, err := readKeys(k.tty)
	if err != nil {
		return nil, fmt.Errorf("read keys from the terminal: %w", err)
	}
	ended, end, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, restore())
	}
	k.ready, k.once = make(chan struct{}), new(sync.Once)
	var pump sync.WaitGroup
	var failure error
	pump.Go(func() { failure = k.pump(ended) })
	return func() error {
		k.once.Do(func() { close(k.ready) })
		err := end.Close()
		pump.Wait()
		return errors.Join(err, failure, ended.Close(), restore())
	}, nil
}

// begin says that the library has set up its terminal, in its own way, which is changed back.
func (k *keyboard) begin() {
	k.once.Do(func() {
		_ = readPieces(k.slave) // has been done before
		close(k.ready)
	})
}

var (
	// answers are what a terminal says when it is asked for the cursor.
	answers = regexp.MustCompile(`\x1b\[[0-9]+;[0-9]+R`)
	// begun is an answer of which more may come.
	begun = regexp.MustCompile(`\x1b(\[([0-9]+(;[0-9]*)?)?)?$`)
)

// rest is how long the rest of an answer may take. What is no answer, as the key Escape, comes so
// much later.
const rest = 20 * time.Millisecond

// pump passes on what is typed until ended is closed.
func (k *keyboard) pump(ended *os.File) error {
	<-k.ready
	var held []byte // may be the beginning of an answer
	buf := make([]byte, 4096)
	for {
		patience := -1
		if len(held) > 0 {
			patience = int(rest.Milliseconds())
		}
		fds := []unix.PollFd{{Fd: int32(k.tty.Fd()), Events: unix.POLLIN}, {Fd: int32(ended.Fd()), Events: unix.POLLIN}}
		n, err := unix.Poll(fds, patience)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return err
		case fds[1].Revents != 0:
			return k.pass(held)
		case n == 0:
			if err := k.pass(held); err != nil {
				return err
			}
			held = nil
			continue
		}
		if n, err = unix.Read(int(k.tty.Fd()), buf); err != nil || n == 0 {
			// The terminal is gone, which the library reads as the end.
			return errors.Join(err, k.pass([]byte{0x04}))
		}
		text := append(held, buf[:n]...)
		end := len(text)
		if at := begun.FindIndex(text); at != nil {
			end = at[0]
		}
		if err := k.split(text[:end]); err != nil {
			return err
		}
		held = append([]byte(nil), text[end:]...)
	}
}

// split passes on a text, keys and answers apart.
func (k *keyboard) split(text []byte) error {
	from := 0
	for _, at := range answers.FindAllIndex(text, -1) {
		if err := errors.Join(k.pass(text[from:at[0]]), k.pass(text[at[0]:at[1]])); err != nil {
			return err
		}
		from = at[1]
	}
	return k.pass(text[from:])
}

// mark ends a piece of what the library reads, as Ctrl-D does on a terminal that is read by lines.
// It is no part of any text.
const mark = 0xfe

// maxPassed is the length of the longest piece, less than the library reads at once.
const maxPassed = 512

// pass gives the library a text to read. What it reads at once is of one text.
func (k *keyboard) pass(text []byte) error {
	text = bytes.ReplaceAll(text, []byte{mark}, nil)
	for piece := range slices.Chunk(text, maxPassed) {
		piece = bytes.Clone(piece)
		if piece[len(piece)-1] != '\n' { // which is a mark, too
			piece = append(piece, mark)
		}
		if _, err := k.master.Write(piece); err != nil {
			return err
		}
	}
	return nil
}
