package magic

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/hierml/notebook/stdlib/host"
)

// Shell runs a command with the shell, sh: !COMMAND. It shows the output as it arrives. The
// command's input is empty, and the command ends when the cell is interrupted. A status other than
// 0 ends the cell. Processes that the command leaves in the background continue, and their output
// is shown.
func Shell(command string) { fail(run(host.Stdout(), host.Stderr(), "sh", "-c", command)) }

// Lines runs a command like Shell, and returns the lines of its output: LINES := !COMMAND. It shows
// the standard error.
func Lines(command string) ([]string, error) {
	var out lineBuffer
	if err := run(&out, host.Stderr(), "sh", "-c", command); err != nil {
		return nil, err
	}
	text := out.end()
	if text == "" {
		return []string{}, nil
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSuffix(line, "\r")
	}
	return lines, nil
}

// A lineBuffer collects the output of a command until the command has ended.
type lineBuffer struct {
	mu    sync.Mutex
	text  strings.Builder
	ended bool
}

func (b *lineBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.ended {
		b.text.Write(p)
	}
	return len(p), nil
}

// end returns the output. It drops later output of background processes.
func (b *lineBuffer) end() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
	return b.text.String()
}

// Insert formats a value for a shell command, inside the quotation mark " or ', or outside for an
// empty one: {EXPRESSION} in !COMMAND. The shell takes the value literally, whatever its
// characters. A slice or an array outside quotation marks becomes one word per element.
func Insert(quote string, value any) string {
	words := []string{}
	if v := reflect.ValueOf(value); value != nil && (v.Kind() == reflect.Slice || v.Kind() == reflect.Array) && !isText(value) {
		for i := range v.Len() {
			words = append(words, fmt.Sprint(v.Index(i).Interface()))
		}
	} else {
		words = append(words, inserted(value))
	}
	for i, word := range words {
		if strings.Contains(word, "\x00") {
			fail(fmt.Errorf("%q contains a zero byte, which cannot be passed to a command", word))
		}
		switch {
		case quote == `"`:
			words[i] = inDouble.Replace(word)
		case quote == "'":
			words[i] = strings.ReplaceAll(word, "'", `'\''`)
		case !plainWord.MatchString(word):
			words[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

var (
	inDouble  = strings.NewReplacer(`\`, `\\`, `$`, `\$`, "`", "\\`", `"`, `\"`)
	plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:,@%+-]+$`)
)

// isText reports whether a value is formatted as one word.
func isText(value any) bool {
	switch value.(type) {
	case []byte, error, fmt.Stringer:
		return true
	}
	return false
}

func inserted(value any) string {
	if b, ok := value.([]byte); ok {
		return string(b)
	}
	return fmt.Sprint(value)
}

// Bash runs a script with bash, like Shell: %%bash. The status is that of the script's last
// command, unless the script contains set -e.
func Bash(script string) { fail(run(host.Stdout(), host.Stderr(), "bash", "-c", script)) }

// Test runs a program of tests: %test. A status other than 0 ends the cell.
func Test(program string, args ...string) {
	out, errs := &traceWriter{w: host.Stdout()}, &traceWriter{w: host.Stderr()}
	err := run(out, errs, program, args...)
	if errors.As(err, new(*exec.ExitError)) {
		err = fmt.Errorf("tests have failed: %w", err)
	}
	fail(errors.Join(err, out.Close(), errs.Close()))
}

func run(stdout, stderr io.Writer, shell string, args ...string) error {
	path, err := exec.LookPath(shell)
	switch {
	case runtime.GOOS == "js":
		return errors.New("other programs, such as the shell, cannot run in a browser; os.ReadDir(\".\") lists files, os.ReadFile reads one")
	case err != nil:
		return fmt.Errorf("there is no %s on this machine", shell)
	}
	cmd := exec.Command(path, args...)
	out := attach(&cmd.Stdout, stdout)
	errs := attach(&cmd.Stderr, stderr)
	err = cmd.Start()
	out.started()
	errs.started()
	if err == nil {
		err = cmd.Wait()
	}
	if err := errors.Join(out.settle(), errs.settle()); err != nil {
		return err
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == commandNotFound {
		err = fmt.Errorf("%w (the shell does not know the command; if the line is Go, put it in parentheses)", err)
	}
	return err
}

// commandNotFound is the status of shells for an unknown command.
const commandNotFound = 127

// A tap carries the output of a command to one of the cell's outputs. exec.Cmd can do that, too,
// but waits for all processes that the command leaves in the background.
type tap struct {
	r, w *os.File
	quit chan error // the result of copying, once the command has ended
}

// idle is how long there must be nothing to read before the output of an ended command counts as
// complete.
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
		// All remaining writers belong to the background.
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
			// The deadline may have passed during a write.
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

// started closes the command's end of the pipe.
func (t *tap) started() { _ = t.w.Close() } // it was not written to

// settle waits until the command's output is copied.
func (t *tap) settle() error {
	err := t.r.SetReadDeadline(time.Now().Add(idle))
	return errors.Join(err, <-t.quit)
}
