package magic

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"time"

	"github.com/hierml/notebook/stdlib/host"
)

// Shell runs a command with the shell, sh: !COMMAND. What it writes is shown as it comes. It has
// nothing to read, and ends with the cell if that is interrupted. A status other than 0 ends the
// cell. What the command leaves in the background goes on, and is shown as long as it writes.
func Shell(command string) { run("sh", "-c", command) }

// Bash runs a script with bash, as Shell does: %%bash. The status is that of the script's last
// command, unless it says set -e.
func Bash(script string) { run("bash", "-c", script) }

func run(shell string, args ...string) {
	path, err := exec.LookPath(shell)
	switch {
	case runtime.GOOS == "js":
		fail(errors.New("other programs, as the shell, cannot be run in a browser"))
	case err != nil:
		fail(fmt.Errorf("there is no %s on this machine", shell))
	}
	cmd := exec.Command(path, args...)
	out := attach(&cmd.Stdout, host.Stdout())
	errs := attach(&cmd.Stderr, host.Stderr())
	err = cmd.Start()
	out.started()
	errs.started()
	if err == nil {
		err = cmd.Wait()
	}
	fail(errors.Join(out.settle(), errs.settle()))
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == commandNotFound {
		err = fmt.Errorf("%w (the shell does not know the command; for Go that begins with !, write it in parentheses)", err)
	}
	fail(err)
}

// commandNotFound is the status by which shells say so.
const commandNotFound = 127

// A tap is the way from a command to one of the cell's outputs. exec.Cmd has one, too, but it waits
// for all that the command leaves in the background.
type tap struct {
	r, w *os.File
	quit chan error // what came of copying, once the command has ended
}

// idle is how long there is nothing to read when all that a command wrote has been read.
const idle = 20 * time.Millisecond

func attach(to *io.Writer, w io.Writer) *tap {
	t := &tap{quit: make(chan error)}
	var err error
	t.r, t.w, err = os.Pipe()
	fail(err)
	*to = t.w
	go func() {
		defer t.r.Close()
		t.quit <- t.copy(w)
		// Whatever is still there belongs to the background.
		if t.r.SetReadDeadline(time.Time{}) == nil {
			_, _ = io.Copy(w, t.r)
		}
	}()
	return t
}

// copy copies until the end, or until there is nothing to read for a while after settle has set a
// deadline.
func (t *tap) copy(w io.Writer) error {
	buf := make([]byte, 32<<10)
	for waited := false; ; {
		n, err := t.r.Read(buf)
		if n > 0 {
			waited = false
			if _, err := w.Write(buf[:n]); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, os.ErrDeadlineExceeded) && !waited:
			// Its time may have passed while something was written.
			waited = true
			if err := t.r.SetReadDeadline(time.Now().Add(idle)); err != nil {
				return err
			}
		case errors.Is(err, os.ErrDeadlineExceeded):
			return nil
		case err != nil:
			return err
		}
	}
}

// started gives up the command's end of the pipe.
func (t *tap) started() { _ = t.w.Close() } // it was not written to

// settle waits until what the command wrote is copied.
func (t *tap) settle() error {
	err := t.r.SetReadDeadline(time.Now().Add(idle))
	return errors.Join(err, <-t.quit)
}
