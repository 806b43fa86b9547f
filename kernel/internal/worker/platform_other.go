//go:build unix && !linux

package worker

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// The child leads a process group of its own, so that it and what it starts
// can be ended together.
func sysProcAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// fionread asks for the number of bytes in a pipe.
const fionread = 0x4004667f

// A moment would say when a process has started.
type moment struct{}

func now() moment { return moment{} }

// signalProcesses sends the signal to all processes of this one's group, which
// itself does not heed an interrupt. More cannot be known of them here, so none
// are killed.
func signalProcesses(_ moment, signal unix.Signal) {
	if signal == unix.SIGINT {
		_ = unix.Kill(0, signal) // reaches this process at least
	}
}

// memoryOfMachine is not known here.
func memoryOfMachine() int64 { return 0 }

// resident is not known here.
func resident(int) int64 { return 0 }

// workingFolder is not known here.
func workingFolder(int) string { return "" }

// systemKillings is not known here.
func systemKillings() int64 { return -1 }
