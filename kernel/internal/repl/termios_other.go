//go:build unix && !linux

package repl

import "golang.org/x/sys/unix"

// The requests to a terminal, by their names and numbers on these systems.
const (
	getTermios = unix.TIOCGETA
	setTermios = unix.TIOCSETA

	noKey = 0xff // in place of one that means something
)

// replace makes a descriptor refer to the same file as another.
func replace(fd, by int) error { return unix.Dup2(by, fd) }
