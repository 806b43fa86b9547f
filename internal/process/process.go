// Package process starts programs that end with this process, however it ends: a killed kernel or
// installer leaves no compiler, pip or go command at work. It also knows the file of the program
// that runs itself. What they do is left to its callers.
package process

import (
	"os/exec"
	"runtime"
)

// Bind makes the end of cmd's context, and on Linux the end of this process, end the program. Those
// that it has started end with its context, too. It has to be started by [Start] or [Run].
func Bind(cmd *exec.Cmd) *exec.Cmd {
	bind(cmd)
	return cmd
}

// Run starts a program and waits until it has ended, as [exec.Cmd.Run] does.
func Run(cmd *exec.Cmd) error {
	wait, err := Start(cmd)
	if err != nil {
		return err
	}
	return wait()
}

// Start starts a program, as [exec.Cmd.Start] does. Wait, which has to be called, is its Wait.
func Start(cmd *exec.Cmd) (wait func() error, err error) {
	started, ended := make(chan error), make(chan struct{})
	go func() {
		// The system tells the program of the death of the thread that has started it, so this
		// goroutine keeps its thread as long as the program runs.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			<-ended
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return func() error {
		defer close(ended)
		return cmd.Wait()
	}, nil
}
