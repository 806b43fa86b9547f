package std

import (
	"fmt"
	"io"
	"os"
	"sync/atomic"
)

// outputs stand for files in the functions below.
var outputs atomic.Pointer[map[*os.File]io.Writer]

// SetOutput has fmt.Fprint and its like, and io.WriteString, write to out and err where they are to
// write to what os.Stdout and os.Stderr are now.
func SetOutput(out, err io.Writer) {
	outputs.Store(&map[*os.File]io.Writer{os.Stdout: out, os.Stderr: err})
}

func output(w io.Writer) io.Writer {
	if file, ok := w.(*os.File); ok {
		if m := outputs.Load(); m != nil && (*m)[file] != nil {
			return (*m)[file]
		}
	}
	return w
}

func fmtFprint(w io.Writer, a ...any) (int, error) { return fmt.Fprint(output(w), a...) }

func fmtFprintln(w io.Writer, a ...any) (int, error) { return fmt.Fprintln(output(w), a...) }

func fmtFprintf(w io.Writer, format string, a ...any) (int, error) {
	return fmt.Fprintf(output(w), format, a...)
}

func ioWriteString(w io.Writer, s string) (int, error) { return io.WriteString(output(w), s) }
