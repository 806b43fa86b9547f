//go:build !unix

package process

import (
	"os/exec"
	"syscall"
)

func bind(*exec.Cmd) {}

// Signal ends the program: no other signal exists here.
func Signal(cmd *exec.Cmd, _ syscall.Signal) error { return cmd.Process.Kill() }
