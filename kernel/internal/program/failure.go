package program

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"
)

// An Error is a failure of a cell in the form that is shown.
type Error struct {
	// Name is the kind: "CompileError", "Refused", "panic", "exit", "Interrupted", "WorkerDied", or
	// the type of an error that the cell returned.
	Name string
	// Message is one line, one line per compile error, or the text of an error.
	Message string
	// Traceback is what the user reads: lines with ANSI colours.
	Traceback []string
	// Cause is the underlying error, or nil.
	Cause error
}

func (e *Error) Error() string { return e.Name + ": " + e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// A RuntimeError is a panic of user code. [NewRuntimeError] makes one.
type RuntimeError struct {
	// Name is the kind of failure: "panic", "exit", "interrupted", or the type of an error that
	// stopped a cell. It is "error" if that type is unexported or the error comes from a magic.
	Name string
	// Message is the panic's value as the Go run time prints it, or the error's text, shortened by
	// [Shorten].
	Message string
	// Frames lists the active calls of the user's functions, innermost first.
	Frames []Frame
	// Exit is set if the code called os.Exit.
	Exit *ExitError
}

// NewRuntimeError returns a failure with a name and a message, of which it keeps the start and the
// end.
func NewRuntimeError(name, message string, frames ...Frame) *RuntimeError {
	return &RuntimeError{Name: name, Message: Shorten(message), Frames: frames}
}

func (e *RuntimeError) Error() string { return e.Name + ": " + e.Message }

// MaxText is how many bytes [Shorten] keeps of a text about a failure.
const MaxText = 64 << 10

// Shorten returns at most MaxText bytes of a text, and one line more: for a longer text the start,
// a line that says how much is left out, and the end. The message of a panic may contain all data
// of a program, and the processes that hold and show it must survive that.
func Shorten(text string) string {
	if len(text) <= MaxText {
		return text
	}
	start, end := MaxText/2, len(text)-MaxText/2
	for start > MaxText/2-utf8.UTFMax && !utf8.RuneStart(text[start]) {
		start--
	}
	for end < len(text)-MaxText/2+utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end++
	}
	return fmt.Sprintf("%s\n[%d bytes left out]\n%s", text[:start], end-start, text[end:])
}

// Interruption is the error of a program that was interrupted because its context is done. It wraps
// the cause.
func Interruption(ctx context.Context) error {
	return fmt.Errorf("interrupted: %w", context.Cause(ctx))
}

// Must is the name of the function that returns the results of a call without its error, and panics
// if the error is not nil. Cells have it without declaring it.
const Must = "must"

// Demanded returns the failure of a function called must that has panicked with an error: that
// error, at the call of must. Frames are those of the panic.
func Demanded(name, text string, frames []Frame) (failed *RuntimeError, ok bool) {
	if len(frames) < 2 || frames[0].Function != Must {
		return nil, false
	}
	return NewRuntimeError(name, text, frames[1:]...), true
}

// InGoroutine is the text for standard error about a panic in a goroutine whose cell is over. title
// names the cells.
func (e *RuntimeError) InGoroutine(title func(cell int) string) string {
	text := "panic: " + e.Message + "\n\ngoroutine:\n"
	for _, f := range e.Frames {
		text += "  " + title(f.Cell)
		if f.Line > 0 {
			text += fmt.Sprintf(":%d", f.Line)
			if f.Column > 0 {
				text += fmt.Sprintf(":%d", f.Column)
			}
		}
		if f.Function != "" {
			text += " in " + f.Function
		}
		text += "\n"
	}
	return text
}

// Unwrap returns the *ExitError, if there is one.
func (e *RuntimeError) Unwrap() error { return exit(e.Exit) }

// Exited returns the error of code that called os.Exit when only the cell has ended.
func Exited(status int) *RuntimeError {
	e := &ExitError{status}
	return &RuntimeError{Name: "exit", Message: e.Error(), Exit: e}
}

// EndedWell reports whether err says that a cell, and not its process, ended with os.Exit(0).
func EndedWell(err error) bool {
	var failed *RuntimeError
	return errors.As(err, &failed) && failed.Exit != nil && failed.Exit.Status == 0
}

// An ExitError says that user code, or code that it calls, called os.Exit. errors.As finds it in a
// *RuntimeError if that ended the cell, and in a *DeathError if it ended the process.
type ExitError struct{ Status int }

func (e *ExitError) Error() string { return fmt.Sprintf("exit status %d", e.Status) }

func exit(e *ExitError) error {
	if e == nil {
		return nil
	}
	return e
}

// A Frame is one active call of a user's function. Function is empty for the statements of a cell
// itself. Line and Column are the position, or 0 if unknown. Operation is the kind of operation
// there, empty if unknown: index, slice, call, divide, nil, ... More counts further calls around
// this one that are left out, those of a recursion.
type Frame struct {
	Function  string
	Cell      int
	Line      int
	Column    int
	Operation string
	More      int
}

// A DeathError says that the process with the user's variables is gone, and the variables with it.
type DeathError struct {
	// Cause is one line, such as "stack overflow", "concurrent map writes" or "killed (perhaps out
	// of memory)".
	Cause string
	// Frames is where it happened, if that is known.
	Frames []Frame
	// Exit is set if the process ended by os.Exit.
	Exit *ExitError
	// Process identifies a process of an executor: the numbers rise from 1. It is 0 if they are not
	// counted.
	Process int
}

func (e *DeathError) Error() string { return "the worker process died: " + e.Cause }

// Unwrap returns the *ExitError, if there is one.
func (e *DeathError) Unwrap() error { return exit(e.Exit) }

// A StoppedError says that the executor itself has interrupted a program, for example because it
// uses too much memory. The variables are kept.
type StoppedError struct {
	Name    string
	Message string
}

func (e *StoppedError) Error() string { return e.Message }

// ErrDeep stops a program with a goroutine whose stack exceeds Go's limit.
var ErrDeep = &StoppedError{Name: "StackOverflow", Message: "stack overflow: the stack of a function that calls itself has grown above 1 GB; variables are kept"}
