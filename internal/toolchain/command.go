package toolchain

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/hierml/notebook/internal/process"
)

// commandError is a command that ran and failed, with what it wrote.
type commandError struct {
	command string
	text    string
}

func (e *commandError) Error() string {
	if e.text == "" {
		return e.command + " failed"
	}
	return e.command + ": " + e.text
}

// noRoom reports whether the command failed for a full disk.
func (e *commandError) noRoom() bool { return strings.Contains(e.text, "no space left on device") }

// run runs a command to its end in dir and returns what it wrote to standard output. The end of ctx
// kills it with what it started, and so does that of this process. A command that fails gives a
// *commandError with what it wrote to standard error, or, if that is empty, to standard output.
func run(ctx context.Context, dir string, env []string, name string, args ...string) (string, error) {
	cmd := process.Bind(exec.CommandContext(ctx, name, args...))
	cmd.Dir = dir
	cmd.Env = env
	cmd.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := process.Run(cmd)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		text := strings.TrimSpace(stderr.String())
		if text == "" {
			text = strings.TrimSpace(stdout.String())
		}
		if text == "" {
			text = exit.Error()
		}
		return "", &commandError{command: name, text: text}
	}
	return stdout.String(), err
}

// plainly says in a sentence what an error of the file system means for dir, which the environment
// variable named can change.
func plainly(err error, dir, variable string) error {
	var command *commandError
	var path *fs.PathError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.As(err, &command) && command.noRoom():
		return fmt.Errorf("there is no room left in %s for compiled code; make some, or name another folder by %s", dir, variable)
	case errors.As(err, &path) && (errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.ENOTDIR)):
		return fmt.Errorf("compiled code cannot be written to %s: %w; name another folder by %s", dir, path.Err, variable)
	}
	return err
}
