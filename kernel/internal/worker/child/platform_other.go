//go:build unix && !linux

package child

import "syscall"

// fionread asks for the number of bytes in a pipe.
const fionread = 0x4004667f

// setName is not needed here.
func setName() {}

// A moment would be a start time of processes.
type moment struct{}

func now() moment { return moment{} }

// signalProcesses sends the signal to all processes of this one's group. This process ignores an
// interrupt. The start times of processes are unknown here, so none are killed.
func signalProcesses(_ moment, signal syscall.Signal) {
	if signal == syscall.SIGINT {
		_ = syscall.Kill(0, signal) // reaches this process at least
	}
}
