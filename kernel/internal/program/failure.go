package program

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"
)

// An Error is a failure of a cell, in the form in which it is shown.
type Error struct {
	// Name is the kind: "CompileError", "Refused", "panic", "exit", "Interrupted", "WorkerDied", or
	// the type of an error of the cell's own.
	Name string
	// Message is one line, or one a compile error, or the text of an error.
	Message string
	// Traceback is what the user reads: lines with ANSI colours.
	Traceback []string
	// Cause is the error behind it, if there is one.
	Cause error
}

func (e *Error) Error() string { return e.Name + ": " + e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// A RuntimeError is a panic of the user's code. [NewRuntimeError] makes one.
type RuntimeError struct {
	// Name is the kind of failure: "panic", "exit", "interrupted", or the type of an error that a
	// cell stopped for, "error" if it is private or that of a magic.
	Name string
	// Message is the panic's value as the Go run time prints it, or the error's text, shortened by
	// [Shorten].
	Message string
	// Frames lists the active calls of the user's functions, innermost first.
	Frames []Frame
	// Exit is set if the code called os.Exit.
	Exit *ExitError
}

// NewRuntimeError returns a failure of a name, with the start and the end of a message.
func NewRuntimeError(name, message string, frames ...Frame) *RuntimeError {
	return &RuntimeError{Name: name, Message: Shorten(message), Frames: frames}
}

func (e *RuntimeError) Error() string { return e.Name + ": " + e.Message }

// MaxText is how many bytes of a text about a failure [Shorten] keeps.
const MaxText = 64 << 10

// Shorten returns a text of at most MaxText bytes, and a line besides: of a longer one, the start,
// a line that says how much is left out, and the end. A panic may have all data of a program in its
// text, and both the process that holds them and the one that shows them have to survive it.
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

// Interruption is the error of a program that was interrupted by the end of its context, which it
// wraps the cause of.
func Interruption(ctx context.Context) error {
	return fmt.Errorf("interrupted: %w", context.Cause(ctx))
}

// Must is the name of the function that returns the results of a call without its error, and panics
// with that if there is one. Cells have one that the user need not declare.
const Must = "must"

// Demanded returns the failure of a function called must, which has panicked with an error: it is
// that error, where must was called. Frames are those of the panic.
func Demanded(name, text string, frames []Frame) (failed *RuntimeError, ok bool) {
	if len(frames) < 2 || frames[0].Function != Must {
		return nil, false
	}
	return NewRuntimeError(name, text, frames[1:]...), true
}

// InGoroutine is what standard error says of a panic in a goroutine whose cell is over. title names
// the cells.
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

// Exited returns the error of code that called os.Exit, of which only the cell has ended.
func Exited(status int) *RuntimeError {
	e := &ExitError{status}
	return &RuntimeError{Name: "exit", Message: e.Error(), Exit: e}
}

// EndedWell reports whether err says that a cell, and not its process, ended by os.Exit(0).
func EndedWell(err error) bool {
	var failed *RuntimeError
	return errors.As(err, &failed) && failed.Exit != nil && failed.Exit.Status == 0
}

// An ExitError says that the user's code, or something that it calls, called os.Exit. errors.As
// finds it where that ended the cell, in a *RuntimeError, and where it ended the process, in a
// *DeathError.
type ExitError struct{ Status int }

func (e *ExitError) Error() string { return fmt.Sprintf("exit status %d", e.Status) }

func exit(e *ExitError) error {
	if e == nil {
		return nil
	}
	return e
}

// A Frame is one active call of a user's function. Function is empty for the statements of a cell
// itself. Line and Column are where it is, as far as that is known; otherwise 0. Operation is the
// kind of what it was doing there, empty if that is not known: index, slice, call, divide, nil, ...
// More counts further calls, around this one, that are left out: those of a recursion.
type Frame struct {
	Function  string
	Cell      int
	Line      int
	Column    int
	Operation string
	More      int
}

// A DeathError says that the process which held the user's variables is gone, and they with it.
type DeathError struct {
	// Cause is one line: "stack overflow", "concurrent map writes", "killed (out of memory?)".
	Cause string
	// Frames is where it happened, as far as that is known.
	Frames []Frame
	// Exit is set if the process ended by os.Exit.
	Exit *ExitError
	// Process tells the processes of an executor apart: their numbers rise from 1. It is 0 if they
	// are not counted.
	Process int
}

func (e *DeathError) Error() string { return "the worker process died: " + e.Cause }

// Unwrap returns the *ExitError, if there is one.
func (e *DeathError) Unwrap() error { return exit(e.Exit) }

// A StoppedError says that the executor has interrupted a program on its own account, as when it
// uses too much memory. The variables are kept.
type StoppedError struct {
	Name    string
	Message string
}

func (e *StoppedError) Error() string { return e.Message }

// ErrDeep is what stops a program one of whose goroutines has a stack that Go would not allow.
var ErrDeep = &StoppedError{Name: "StackOverflow", Message: "stack overflow: the stack of a function that calls itself has grown above 1 GB; variables are kept"}
