package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/hierml/notebook/internal/process"
)

// answerPatience is how long another program may take to answer the doctor. Tests have less of it.
var answerPatience = 20 * time.Second

// A silence is a program that did not answer. That does not mean that it is damaged.
type silence struct{ command, why string }

func (s *silence) Error() string { return s.command + " " + s.why }

// finding returns what the doctor says about it.
func (s *silence) finding() finding {
	return hint("%s %s; the machine may be busy: run `hierml doctor` again", s.command, s.why)
}

// An answer has the output of a program.
type answer struct{ stdout, stderr string }

// last returns the last line of standard error.
func (a answer) last() string {
	said := strings.TrimSpace(a.stderr)
	return said[strings.LastIndexByte(said, '\n')+1:]
}

// ask runs a program that says something about itself. The error is a *silence if the program does
// not end in time, is killed, or cannot be started for want of memory or processes. The program and
// its child processes have ended then.
func ask(ctx context.Context, command string, args ...string) (answer, error) {
	waited, cancel := context.WithTimeout(ctx, answerPatience)
	defer cancel()
	cmd := process.Bind(exec.CommandContext(waited, command, args...))
	cmd.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := process.Run(cmd)
	exit, asked := (*exec.ExitError)(nil), strings.Join(append([]string{command}, args...), " ")
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay): // what it has left behind goes on
		err = nil
	case ctx.Err() != nil:
		err = ctx.Err()
	case waited.Err() != nil:
		err = &silence{asked, fmt.Sprintf("did not answer within %v", answerPatience)}
	case errors.Is(err, syscall.EAGAIN), errors.Is(err, syscall.ENOMEM):
		err = &silence{asked, fmt.Sprintf("could not be started (%v)", err)}
	case errors.As(err, &exit) && exit.Error() == "signal: killed": // as for want of memory
		err = &silence{asked, "was killed before it answered"}
	}
	return answer{stdout.String(), stderr.String()}, err
}
