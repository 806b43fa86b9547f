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

// commandError is a command that ran and failed, with its output.
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
func (e *commandError) noRoom() bool {
	return strings.Contains(e.text, "no space left on device") || strings.Contains(e.text, "disk quota exceeded")
}

// Messages is the standard error of a go command that runs with the flag -v.
type Messages struct {
	// Package, if set, is called with each package that the command compiles, and with each
	// download.
	Package func(what string)

	text, line bytes.Buffer
}

// Text returns the rest: errors.
func (m *Messages) Text() string { return m.text.String() + m.line.String() }

func (m *Messages) Write(p []byte) (int, error) {
	for text := range bytes.Lines(p) {
		m.line.Write(text)
		if text[len(text)-1] != '\n' {
			break
		}
		line := strings.TrimPrefix(strings.TrimSuffix(m.line.String(), "\n"), "go: ")
		if m.Package != nil && (!strings.ContainsAny(line, " \t") || strings.HasPrefix(line, "downloading ")) {
			m.Package(line)
		} else {
			m.text.Write(m.line.Bytes())
		}
		m.line.Reset()
	}
	return len(p), nil
}

// run runs a command to its end in dir and returns its standard output. When ctx is done or this
// process ends, the command and its children are killed. If the command fails, the error is a
// *commandError with its standard error, or, if that is empty, its standard output.
func run(ctx context.Context, dir string, env []string, name string, args ...string) (string, error) {
	return runSaying(ctx, nil, dir, env, name, args...)
}

// runSaying is run for a go command with the flag -v. It calls compiled with each package.
func runSaying(ctx context.Context, compiled func(what string), dir string, env []string, name string, args ...string) (string, error) {
	cmd := process.Bind(exec.CommandContext(ctx, name, args...))
	cmd.Dir = dir
	cmd.Env = env
	cmd.WaitDelay = time.Second
	var stdout bytes.Buffer
	stderr := Messages{Package: compiled}
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := process.Run(cmd)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		text := strings.TrimSpace(stderr.Text())
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

// plainly returns a *PlaceError for a file system error about dir, which the environment variable
// names, and other errors unchanged.
func plainly(err error, dir, variable string) error {
	var command *commandError
	var path *fs.PathError
	switch {
	case err == nil, errors.As(err, new(*PlaceError)):
		return err
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.As(err, &command) && command.noRoom():
		return newPlaceError(variable, fmt.Sprintf("there is no room left in %s for compiled code; free some, or", dir), err)
	case errors.As(err, &path) && (errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.ENOTDIR)):
		return newPlaceError(variable, fmt.Sprintf("compiled code cannot be written to %s: %v;", dir, path.Err), err)
	}
	return err
}
