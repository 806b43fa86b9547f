package interpreted

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"reflect"
	"runtime"
	"time"

	"github.com/traefik/yaegi/interp"

	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib"
)

// A standard is a standard file of the process for which cells read and write something else. All
// else is the file's own.
type standard struct {
	*os.File
	in  *Interpreter
	r   io.Reader
	out io.Writer
}

var (
	_ io.ReadWriter   = (*standard)(nil)
	_ io.StringWriter = (*standard)(nil)
	_ io.ReaderFrom   = (*standard)(nil)
	_ io.WriterTo     = (*standard)(nil)
)

func (s *standard) Read(p []byte) (n int, err error) {
	if s.r != s.File {
		return s.r.Read(p)
	}
	s.polled((*os.File).SetReadDeadline, func() { n, err = s.File.Read(p) })
	return n, err
}

func (s *standard) Write(p []byte) (n int, err error) {
	if s.out != s.File {
		return s.out.Write(p)
	}
	s.polled((*os.File).SetWriteDeadline, func() { n, err = s.File.Write(p) })
	return n, err
}

// polled calls f, which waits for the file no longer than the cell runs.
func (s *standard) polled(setDeadline func(*os.File, time.Time) error, f func()) {
	var done <-chan struct{}
	if t := s.in.task(); t != nil {
		done = t.ctx.Done()
	}
	if program.Polled(s.File, setDeadline, done, f) {
		runtime.Goexit()
	}
}

func (s *standard) WriteString(text string) (int, error) { return s.Write([]byte(text)) }

// ReadFrom implements io.ReaderFrom.
func (s *standard) ReadFrom(r io.Reader) (int64, error) { return io.Copy(s.out, r) }

// WriteTo implements io.WriterTo. Where a compiled function copies in a goroutine of its own, as
// os/exec does for a command, the file is copied: nobody is to be asked for lines that the command
// may not want.
func (s *standard) WriteTo(w io.Writer) (int64, error) {
	if s.in.task() == nil {
		return s.File.WriteTo(w)
	}
	return io.Copy(w, s.r)
}

// standards returns the function that finds what stands for a file, which is the file itself if the
// user has put another in the place of a standard one.
func (in *Interpreter) standards() func(*os.File) *standard {
	files := map[*os.File]*standard{}
	if in.config.Stdin != nil {
		files[os.Stdin] = &standard{os.Stdin, in, in.stdin(), os.Stdin}
	}
	if in.config.Stdout != nil {
		files[os.Stdout] = &standard{os.Stdout, in, os.Stdout, in.config.Stdout}
	}
	if in.config.Stderr != nil {
		files[os.Stderr] = &standard{os.Stderr, in, os.Stderr, in.config.Stderr}
	}
	return func(f *os.File) *standard {
		if s := files[f]; s != nil {
			return s
		}
		return &standard{f, in, f, f}
	}
}

// A currentStdin is what package fmt reads, and a currentStdout what it writes: the user may put
// another file in the place of a standard one.
type (
	currentStdin  struct{ in *Interpreter }
	currentStdout struct{ in *Interpreter }
)

func (c currentStdin) Read(p []byte) (int, error) { return c.in.standard(os.Stdin).Read(p) }

func (c currentStdout) Write(p []byte) (int, error) { return c.in.standard(os.Stdout).Write(p) }

// stdin returns the configured standard input for cells.
func (in *Interpreter) stdin() io.Reader {
	if in.config.Stdin == nil {
		return os.Stdin
	}
	return reader{in}
}

// A reader is standard input that panics when it cannot be read, as when there is nobody to ask,
// and ends the goroutine when an interrupt comes first: programs seldom look at the errors of
// fmt.Scan. The end of the input is an error as usual, and so is everything in goroutines that
// compiled functions start, where a panic would end the process.
type reader struct{ in *Interpreter }

func (r reader) Read(p []byte) (int, error) {
	n, err := r.in.config.Stdin.Read(p)
	t := r.in.task()
	switch {
	case err == nil, errors.Is(err, io.EOF), t == nil:
		return n, err
	case errors.Is(err, context.Canceled):
		if program.StopFollows(t.ctx.Done()) {
			runtime.Goexit()
		}
		return n, err
	}
	panic(err)
}

// logging are the functions of package log, which yaegi replaces by those of a logger of its own:
// the logger of the library is also that of package log/slog. Some end the cell instead of the
// process.
func (in *Interpreter) logging() interp.Exports {
	functions := maps.Clone(in.config.Symbols["log/log"])
	if functions == nil {
		return nil
	}
	end := func(text string) {
		if err := log.Output(2, text); err != nil {
			fmt.Fprintln(in.stderr(), "log:", err)
		}
		panic(stdlib.Exit(1))
	}
	functions["Fatal"] = reflect.ValueOf(func(v ...any) { end(fmt.Sprint(v...)) })
	functions["Fatalf"] = reflect.ValueOf(func(format string, v ...any) { end(fmt.Sprintf(format, v...)) })
	functions["Fatalln"] = reflect.ValueOf(func(v ...any) { end(fmt.Sprintln(v...)) })
	return interp.Exports{"log/log": functions}
}

func loggerFatal(l *log.Logger, v ...any) {
	l.Print(v...)
	panic(stdlib.Exit(1))
}

func loggerFatalf(l *log.Logger, format string, v ...any) {
	l.Printf(format, v...)
	panic(stdlib.Exit(1))
}

func loggerFatalln(l *log.Logger, v ...any) {
	l.Println(v...)
	panic(stdlib.Exit(1))
}

// parseFlags is (*flag.FlagSet).Parse.
func parseFlags(set *flag.FlagSet, arguments []string) error {
	return program.ParseFlags(set, arguments, func(status int) { panic(stdlib.Exit(status)) })
}

// parseCommandLine is flag.Parse.
func parseCommandLine() { _ = parseFlags(flag.CommandLine, os.Args[1:]) } // as flag.Parse does
