//go:build unix

package farm

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// detach has a program go on when this one ends, and lead a group of its own.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// lives tells whether a process leads the job. Its number may be another process's by now, as after the
// machine was started again: the leader leads a group, and its command has the last words of its job; that
// of a process which has ended, and for which nobody has waited, is empty.
func lives(pid int, id string) bool {
	if group, err := syscall.Getpgid(pid); err != nil || group != pid || syscall.Kill(pid, 0) != nil {
		return false
	}
	command, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return err != nil || bytes.Contains(command, []byte(lastWords(id)))
}

// end asks a process that was detached, and what it has started, to end.
func end(pid int) error {
	if err := syscall.Kill(-pid, syscall.SIGTERM); !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}
