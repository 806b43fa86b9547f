//go:build unix

package worker

import (
	"os"
	"os/exec"
	"syscall"
)

// A tree is the child and the processes that it has started: a process group.
type tree struct{ group int }

// treeOf returns the tree of a child that has started.
func treeOf(cmd *exec.Cmd) (tree, error) { return tree{cmd.Process.Pid}, nil }

// kill ends all processes of the tree.
func (t tree) kill() {
	_ = syscall.Kill(-t.group, syscall.SIGKILL) // fails if all are gone
}

func (tree) close() {}

// fate says in words what ended a process that did not exit by itself; otherwise it is empty.
func fate(state *os.ProcessState) string {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return status.Signal().String()
	}
	return ""
}

// killed reports whether SIGKILL ended the process.
func killed(state *os.ProcessState) bool {
	if state == nil {
		return false
	}
	status, ok := state.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}
