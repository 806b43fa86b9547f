//go:build unix

package lock

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Available reports whether the system has locks.
const Available = true

// Direct are flags for os.OpenFile that avoid following links and blocking on pipes, if the system
// has such flags.
const Direct = unix.O_NOFOLLOW | unix.O_NONBLOCK

// open opens the file, but does not follow a link.
func open(path string, flag int) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|flag|Direct, 0o600)
}

// File locks an open file until it is closed, or its process ends. It reports false if another
// process has locked it.
func File(f *os.File, alone bool) (bool, error) {
	how := unix.LOCK_SH
	if alone {
		how = unix.LOCK_EX
	}
	err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}
