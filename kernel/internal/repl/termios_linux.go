package repl

import "golang.org/x/sys/unix"

// The requests to a terminal, by their names on this system.
const (
	getTermios = unix.TCGETS
	setTermios = unix.TCSETS

	noKey = 0 // in place of one that means something
)

// replace makes a descriptor refer to the same file as another.
func replace(fd, by int) error { return unix.Dup3(by, fd, 0) }
