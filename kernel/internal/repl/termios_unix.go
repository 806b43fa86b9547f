//go:build unix

package repl

import (
	"os"

	"golang.org/x/sys/unix"
)

// readKeys sets a terminal to deliver each key immediately, without echo. The returned function
// undoes that. Output is not affected.
func readKeys(tty *os.File) (restore func() error, err error) {
	fd := int(tty.Fd())
	before, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return nil, err
	}
	keys := *before
	keys.Iflag &^= unix.ICRNL | unix.INLCR | unix.IGNCR | unix.IXON | unix.ISTRIP
	keys.Lflag &^= unix.ECHO | unix.ICANON | unix.ISIG | unix.IEXTEN
	keys.Cc[unix.VMIN], keys.Cc[unix.VTIME] = 1, 0
	return func() error { return unix.IoctlSetTermios(fd, setTermios, before) }, unix.IoctlSetTermios(fd, setTermios, &keys)
}

// readPieces sets a terminal to deliver pieces, each ended by mark or a line end, without special
// keys.
func readPieces(tty *os.File) error {
	fd := int(tty.Fd())
	t, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return err
	}
	t.Iflag &^= unix.ICRNL | unix.INLCR | unix.IGNCR | unix.IXON | unix.ISTRIP
	t.Lflag &^= unix.ECHO | unix.ECHONL | unix.ISIG | unix.IEXTEN
	t.Lflag |= unix.ICANON
	for i := range t.Cc {
		t.Cc[i] = noKey
	}
	t.Cc[unix.VEOF] = mark
	return unix.IoctlSetTermios(fd, setTermios, t)
}
