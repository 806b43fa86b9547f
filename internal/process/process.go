// Package process starts programs that end with this process, however it ends, so that a killed
// kernel or installer leaves no compiler, pip or go command running. It also knows the file of the
// running program.
package process

import (
	"os/exec"
	"runtime"
)

// Bind makes the program end with cmd's context, and on Linux with this process. The program's
// children end with the context, too. Start it with [Start] or [Run].
func Bind(cmd *exec.Cmd) *exec.Cmd {
	bind(cmd)
	return cmd
}

// Run starts a program and waits for its end, like [exec.Cmd.Run].
func Run(cmd *exec.Cmd) error {
	wait, err := Start(cmd)
	if err != nil {
		return err
	}
	return wait()
}

// Start starts a program, like [exec.Cmd.Start]. Call wait, which is its Wait.
func Start(cmd *exec.Cmd) (wait func() error, err error) {
	started, ended := make(chan error), make(chan struct{})
	go func() {
		// The system signals the death of the thread that started the program, so this goroutine
		// keeps its thread while the program runs.
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
