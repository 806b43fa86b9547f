//go:build unix

package process

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

func bind(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	endWithParent(cmd.SysProcAttr)
	if cmd.Cancel != nil { // it has a context
		cmd.Cancel = func() error { return Signal(cmd, syscall.SIGKILL) }
	}
}

// Signal sends a signal to a bound program and its children.
func Signal(cmd *exec.Cmd, signal syscall.Signal) error {
	err := syscall.Kill(-cmd.Process.Pid, signal)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}
