package compiled

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"runtime/pprof"
	"time"

	"github.com/hierml/notebook/kernel/internal/compiled/cell"
	"github.com/hierml/notebook/kernel/internal/compiled/standard"
	"github.com/hierml/notebook/kernel/internal/program"
)

// stdio replaces the standard files for cells.
type stdio struct {
	in       io.Reader
	out, err io.Writer
}

func newStdio(r *Runner) *stdio {
	s := &stdio{os.Stdin, os.Stdout, os.Stderr}
	if r.config.Stdin != nil {
		s.in = reader{r}
	}
	if r.config.Stdout != nil {
		s.out = r.config.Stdout
	}
	if r.config.Stderr != nil {
		s.err = r.config.Stderr
	}
	return s
}

// standardHost implements standard.Host.
type standardHost struct{ r *Runner }

func (h standardHost) EndsWithCell(ctx context.Context) context.Context {
	if t := h.r.tasks.bearer().task; t != nil {
		return t.contexts.Context(ctx)
	}
	return ctx
}

func (h standardHost) Polled(file *os.File, setDeadline func(*os.File, time.Time) error, f func()) {
	if program.Polled(file, setDeadline, h.r.Done(), f) {
		h.r.Stop()
	}
}

func (h standardHost) SetLabels(labels pprof.LabelSet) {
	h.r.tasks.setLabels(h.r.tasks.bearer(), labels)
}

func (h standardHost) ParseFlags(set any, arguments []string) error {
	if set == nil {
		return program.ParseFlags(flag.CommandLine, os.Args[1:], h.r.Exit)
	}
	return program.ParseFlags(set.(*flag.FlagSet), arguments, h.r.Exit)
}

func (h standardHost) Signals() standard.Signals { return &program.CellSignals }

func (h standardHost) Stdin() io.Reader { return h.r.stdio.in }

func (h standardHost) Stdout() io.Writer { return h.r.stdio.out }

func (h standardHost) Stderr() io.Writer { return h.r.stdio.err }

// A reader is standard input that panics if reading fails, for example because there is nobody to
// ask, and ends the goroutine after an interrupt: programs seldom check the errors of fmt.Scan. The
// end of the input is a normal error, and so is everything in goroutines without a cell.
type reader struct{ r *Runner }

func (i reader) Read(p []byte) (int, error) {
	n, err := i.r.config.Stdin.Read(p)
	done := i.r.Done()
	switch {
	case err == nil, errors.Is(err, io.EOF), done == nil:
		return n, err
	case errors.Is(err, context.Canceled):
		if program.StopFollows(done) {
			i.r.Stop()
		}
		return n, err
	}
	panic(noInput{err})
}

// A noInput is the panic of standard input that cannot be read. Package fmt panics with it again,
// which the message should not repeat.
type noInput struct{ error }

// Print implements cell.Host.
func (r *Runner) Print(format cell.Formatter, text string, values []any) (int, error) {
	out := standard.Of(os.Stdout)
	switch format {
	case cell.Formatted:
		return fmt.Fprintf(out, text, values...)
	case cell.Line:
		return fmt.Fprintln(out, values...)
	}
	return fmt.Fprint(out, values...)
}

// Scan implements cell.Host.
func (r *Runner) Scan(format cell.Formatter, text string, values []any) (int, error) {
	in := standard.Of(os.Stdin)
	switch format {
	case cell.Formatted:
		return fmt.Fscanf(in, text, values...)
	case cell.Line:
		return fmt.Fscanln(in, values...)
	}
	return fmt.Fscan(in, values...)
}

// Fatal implements cell.Host.
func (r *Runner) Fatal(l cell.Logger, format cell.Formatter, text string, values []any, depth int) {
	switch format {
	case cell.Formatted:
		text = fmt.Sprintf(text, values...)
	case cell.Line:
		text = fmt.Sprintln(values...)
	default:
		text = fmt.Sprint(values...)
	}
	output := log.Output
	if l != nil {
		output = l.Output
	}
	if err := output(depth+2, text); err != nil {
		fmt.Fprintln(r.stdio.err, "log:", err)
	}
	r.Exit(1)
}
