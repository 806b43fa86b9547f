//go:build unix

package farm

import (
	"errors"
	"os/exec"
	"syscall"
)

// detach has a program go on when this one ends, and lead a group of its own.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// lives tells whether there is a process.
func lives(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

// end asks a process that was detached, and what it has started, to end.
func end(pid int) error {
	if err := syscall.Kill(-pid, syscall.SIGTERM); !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}
