// Package standard replaces some functions and variables of the standard library in compiled cells.
// It is separate from package cell because otherwise each plugin would contain the packages of the
// types mentioned here.
package standard

import (
	"context"
	"io"
	"os"
	"runtime/pprof"
	"sync/atomic"
	"time"

	"github.com/hierml/notebook/kernel/internal/compiled/cell"
)

// A Host knows the standard files of cells.
type Host interface {
	// EndsWithCell derives a context that also ends when the cell of the calling goroutine is
	// stopped.
	EndsWithCell(ctx context.Context) context.Context
	// Polled calls f, which blocks on a file until the deadline of setDeadline, and ends it when
	// the cell of the calling goroutine is stopped.
	Polled(file *os.File, setDeadline func(*os.File, time.Time) error, f func())
	// ParseFlags is (*flag.FlagSet).Parse, but ends the cell instead of the process. Nil means
	// flag.CommandLine, with the arguments of the process.
	ParseFlags(set any, arguments []string) error
	// SetLabels sets the labels of the calling goroutine, which still belongs to its cell.
	SetLabels(labels pprof.LabelSet)
	// Signals are the functions of package os/signal for cells.
	Signals() Signals
	// Stdin, Stdout and Stderr are the files of cells.
	Stdin() io.Reader
	Stdout() io.Writer
	Stderr() io.Writer
}

// Signals are a *program.Signals.
type Signals interface {
	Notify(c chan<- os.Signal, all ...os.Signal)
	NotifyContext(parent context.Context, all ...os.Signal) (context.Context, context.CancelFunc)
	Stop(c chan<- os.Signal)
	Ignore(all ...os.Signal)
	Reset(all ...os.Signal)
}

// A setting holds the arguments of SetHost.
type setting struct {
	host  Host
	files map[*os.File]*File
}

var current atomic.Pointer[setting]

// SetHost installs h as the host of this process. Call it before any cell runs.
func SetHost(h Host) {
	current.Store(&setting{h, map[*os.File]*File{
		os.Stdin:  {os.Stdin, h.Stdin(), os.Stdin},
		os.Stdout: {os.Stdout, os.Stdout, h.Stdout()},
		os.Stderr: {os.Stderr, os.Stderr, h.Stderr()},
	}})
}

// A File is a standard file of the process with the cells' own input or output. Everything else is
// the file's.
type File struct {
	*os.File
	r io.Reader
	w io.Writer
}

var (
	_ io.ReadWriter   = (*File)(nil)
	_ io.StringWriter = (*File)(nil)
	_ io.ReaderFrom   = (*File)(nil)
	_ io.WriterTo     = (*File)(nil)
)

// Of returns the replacement for a file when it is converted to an interface, or read or written.
// For os.Stdin, os.Stdout and os.Stderr, as they are at the start of the process, that is the
// user's input and the cell's own output; other files stay the same.
func Of(f *os.File) *File {
	if s := current.Load().files[f]; s != nil {
		return s
	}
	return &File{f, f, f}
}

func (f *File) Read(p []byte) (n int, err error) {
	if f.r != f.File {
		return f.r.Read(p)
	}
	current.Load().host.Polled(f.File, (*os.File).SetReadDeadline, func() { n, err = f.File.Read(p) })
	return n, err
}

func (f *File) Write(p []byte) (n int, err error) {
	if f.w != f.File {
		return f.w.Write(p)
	}
	current.Load().host.Polled(f.File, (*os.File).SetWriteDeadline, func() { n, err = f.File.Write(p) })
	return n, err
}

// Read, Write and WriteString are the methods of a file.

// Read is (*os.File).Read.
func Read(f *os.File, p []byte) (int, error) { return Of(f).Read(p) }

// Write is (*os.File).Write.
func Write(f *os.File, p []byte) (int, error) { return Of(f).Write(p) }

// WriteString is (*os.File).WriteString.
func WriteString(f *os.File, text string) (int, error) { return Of(f).WriteString(text) }

// WriteString implements io.StringWriter.
func (f *File) WriteString(text string) (int, error) { return f.Write([]byte(text)) }

// ReadFrom implements io.ReaderFrom.
func (f *File) ReadFrom(r io.Reader) (int64, error) { return io.Copy(f.w, r) }

// WriteTo implements io.WriterTo.
func (f *File) WriteTo(w io.Writer) (int64, error) { return io.Copy(w, f.r) }

// EndsWithCell derives from a context for a compiled package one that also ends when the cell of
// the calling goroutine is stopped.
func EndsWithCell(ctx context.Context) context.Context { return current.Load().host.EndsWithCell(ctx) }

// AfterFunc is time.AfterFunc; f belongs to the cell of the calling goroutine.
func AfterFunc(d time.Duration, f func()) *time.Timer { return time.AfterFunc(d, cell.Guard(f)) }

// ParseFlags is (*flag.FlagSet).Parse.
func ParseFlags(set any, arguments []string) error {
	return current.Load().host.ParseFlags(set, arguments)
}

// FlagParser is the value of the method Parse of a *flag.FlagSet.
func FlagParser(set any) func(arguments []string) error {
	return func(arguments []string) error { return ParseFlags(set, arguments) }
}

// ParseCommandLine is flag.Parse.
func ParseCommandLine() { _ = ParseFlags(nil, nil) } // as flag.Parse does

// DoLabelled is pprof.Do.
func DoLabelled(ctx context.Context, labels pprof.LabelSet, f func(context.Context)) {
	defer SetLabels(ctx)
	ctx = pprof.WithLabels(ctx, labels)
	SetLabels(ctx)
	f(ctx)
}

// SetLabels is pprof.SetGoroutineLabels. It first asks the context, which may be a cell's own.
func SetLabels(ctx context.Context) {
	var labels []string
	pprof.ForLabels(ctx, func(key, value string) bool {
		labels = append(labels, key, value)
		return true
	})
	current.Load().host.SetLabels(pprof.Labels(labels...))
}

func signals() Signals { return current.Load().host.Signals() }

// Notify is signal.Notify.
func Notify(c chan<- os.Signal, all ...os.Signal) { signals().Notify(c, all...) }

// NotifyContext is signal.NotifyContext.
func NotifyContext(parent context.Context, all ...os.Signal) (context.Context, context.CancelFunc) {
	return signals().NotifyContext(parent, all...)
}

// StopSignals is signal.Stop.
func StopSignals(c chan<- os.Signal) { signals().Stop(c) }

// IgnoreSignals is signal.Ignore.
func IgnoreSignals(all ...os.Signal) { signals().Ignore(all...) }

// ResetSignals is signal.Reset.
func ResetSignals(all ...os.Signal) { signals().Reset(all...) }
