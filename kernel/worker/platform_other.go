//go:build unix && !linux

package worker

import "syscall"

// The child leads a process group of its own, so that it and what it starts
// can be ended together.
func sysProcAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// fionread asks for the number of bytes in a pipe.
const fionread = 0x4004667f
