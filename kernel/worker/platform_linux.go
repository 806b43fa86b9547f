package worker

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// The child leads a process group of its own, so that it and what it starts
// can be ended together, and learns of the death of the thread that started it.
func sysProcAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}

// fionread asks for the number of bytes in a pipe, at either end.
const fionread = unix.TIOCINQ
