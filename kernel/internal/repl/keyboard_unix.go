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

// A keyboard is between the terminal and the library that reads keys.
//
// The library asks the terminal for the cursor position each time it draws, and loses keys that it
// reads together with the answer, for example when a user types while the machine is busy. So its
// standard input is another terminal, which it reads piece by piece: a piece has either keys or an
// answer.
type keyboard struct {
	tty           *os.File // the terminal
	master, slave *os.File // the library's

	ready chan struct{} // closed when the library may get input
	once  *sync.Once    // closes it
}

// openKeyboard replaces the standard input with the library's terminal.
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

// close restores the terminal.
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

// listen starts to pass on keys of the terminal when begin is called, until stop is called.
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

// begin is called when the library has set up its terminal, and changes that back.
func (k *keyboard) begin() {
	k.once.Do(func() {
		_ = readPieces(k.slave) // this has worked before
		close(k.ready)
	})
}

var (
	// answers match the terminal's cursor position.
	answers = regexp.MustCompile(`\x1b\[[0-9]+;[0-9]+R`)
	// begun matches an incomplete answer.
	begun = regexp.MustCompile(`\x1b(\[([0-9]+(;[0-9]*)?)?)?$`)
)

// rest is how long the rest of an answer may take. Other input that looks like the beginning of
// one, such as the Escape key, is delayed by that time.
const rest = 20 * time.Millisecond

// pump passes on the terminal's input until ended is closed.
func (k *keyboard) pump(ended *os.File) error {
	<-k.ready
	var held []byte // possibly the beginning of an answer
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
			// The terminal is gone, which the library sees as the end of input.
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

// split passes on a text, with keys and answers in separate pieces.
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

// mark ends a piece of the library's input, like Ctrl-D on a terminal in line mode. It occurs in no
// text.
const mark = 0xfe

// maxPassed is the maximum length of a piece, less than the library reads at once.
const maxPassed = 512

// pass passes a text to the library. Each of its reads gets bytes of one text only.
func (k *keyboard) pass(text []byte) error {
	text = bytes.ReplaceAll(text, []byte{mark}, nil)
	for piece := range slices.Chunk(text, maxPassed) {
		piece = bytes.Clone(piece)
		if piece[len(piece)-1] != '\n' { // a line end is a mark, too
			piece = append(piece, mark)
		}
		if _, err := k.master.Write(piece); err != nil {
			return err
		}
	}
	return nil
}
