// Package standard is what compiled cells use in place of some functions and variables of the
// standard library. It is apart from package cell because the packages whose types are mentioned
// here would be part of every plugin.
package standard

import (
	"context"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/hierml/notebook/kernel/internal/compiled/cell"
)

// A Host knows the standard files of cells.
type Host interface {
	// Background returns a context that ends when the cell of the calling goroutine is stopped.
	Background() context.Context
	// Stdin, Stdout and Stderr are what cells use.
	Stdin() io.Reader
	Stdout() io.Writer
	Stderr() io.Writer
}

// A setting is what SetHost has set.
type setting struct {
	host  Host
	files map[*os.File]*File
}

var current atomic.Pointer[setting]

// SetHost makes h the one that runs the cells of this process. It is called before there are any.
func SetHost(h Host) {
	current.Store(&setting{h, map[*os.File]*File{
		os.Stdin:  {os.Stdin, h.Stdin(), os.Stdin},
		os.Stdout: {os.Stdout, os.Stdout, h.Stdout()},
		os.Stderr: {os.Stderr, os.Stderr, h.Stderr()},
	}})
}

// A File is a standard file of the process for which cells read and write something else. All else
// is the file's own.
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

// Of returns what stands for a file where it becomes an interface, or where it is read or written:
// lines that the user is asked for, and the cell's own output, for os.Stdin, os.Stdout and
// os.Stderr as they are when the process begins; the file for all others.
func Of(f *os.File) *File {
	if s := current.Load().files[f]; s != nil {
		return s
	}
	return &File{f, f, f}
}

func (f *File) Read(p []byte) (int, error) { return f.r.Read(p) }

func (f *File) Write(p []byte) (int, error) { return f.w.Write(p) }

// WriteString implements io.StringWriter.
func (f *File) WriteString(text string) (int, error) { return io.WriteString(f.w, text) }

// ReadFrom implements io.ReaderFrom.
func (f *File) ReadFrom(r io.Reader) (int64, error) { return io.Copy(f.w, r) }

// WriteTo implements io.WriterTo.
func (f *File) WriteTo(w io.Writer) (int64, error) { return io.Copy(w, f.r) }

// Background is context.Background and context.TODO: a context that ends when the cell of the
// calling goroutine is stopped, and only then.
func Background() context.Context { return current.Load().host.Background() }

// AfterFunc is time.AfterFunc, for a function that belongs to the cell of the calling goroutine.
func AfterFunc(d time.Duration, f func()) *time.Timer { return time.AfterFunc(d, cell.Guard(f)) }
