package cell

import "sync/atomic"

// A Host runs cells, and does for this package what takes more than a few lines. It is a way to
// keep this package small: what it needs is part of every plugin.
//
// Its methods are about the cell of the calling goroutine: the one that started it, or started who
// did.
type Host interface {
	// Check ends the calling goroutine if its cell was stopped, unless that is making its last
	// deferred calls.
	Check()
	// Done returns a channel that is closed when the cell is stopped; nil if the goroutine has no
	// cell.
	Done() <-chan struct{}
	// Stop ends the calling goroutine.
	Stop()
	// Sleep waits for so many nanoseconds.
	Sleep(nanoseconds int64)
	// Apart calls f in a goroutine of its own and returns when f has. When the cell is stopped
	// first, the calling goroutine ends, and undo is called after f, whenever that is. If name is
	// not empty, the user is told that f goes on. Panics of f go on in the calling goroutine.
	Apart(name string, f, undo func())
	// Waits returns a function like f that Apart calls.
	Waits(name string, f any) any

	// Caught is told what a goroutine has panicked with. It is called by the deferred function that
	// has recovered it.
	Caught(value any)
	// Guard returns f made to belong to the cell, and to tell Caught its panics.
	Guard(f func()) func()
	// Coroutine returns what makes a coroutine belong to the cell of the goroutine that resumes it.
	Coroutine() Coroutine
	// Exit ends the cell as os.Exit would end a program.
	Exit(status int)
	// Fatal logs a text, which the formatter makes, and exits. depth is how many calls are between
	// the user's and this one.
	Fatal(l Logger, format Formatter, text string, values []any, depth int)

	// Reached notes how many of the cell's statements are done.
	Reached(statements int)
	// Show keeps what the cell's last expression is.
	Show(values []any)
	// Failed is told that the cell is about to panic with an error because it has left it out, and
	// where.
	Failed(err error, cell, line, column int)
	// Kept returns a value that a cell has shown; nil if there is none.
	Kept(cell, index int) any
	// Convert puts a value that a cell has shown where into points to. It panics if their types do
	// not mean the same.
	Convert(cell int, value, into any)

	// Builtin writes values to standard error as the builtin functions print and println do.
	Builtin(values []any, line bool)
	// Print writes values to standard output, and Scan reads them from standard input.
	Print(format Formatter, text string, values []any) (int, error)
	Scan(format Formatter, text string, values []any) (int, error)
}

// A Formatter is one of three ways to make text of values, or values of text: those of fmt.Print,
// fmt.Printf and fmt.Println.
type Formatter int

// The three ways.
const (
	Plain Formatter = iota
	Formatted
	Line
)

// A Logger is a *log.Logger.
type Logger interface {
	Output(depth int, text string) error
}

var (
	current atomic.Pointer[Host]
	// stopping is not 0 while there may be goroutines that have to end.
	stopping atomic.Int32
)

// SetHost makes h the one that runs the cells of this process. It is called before there are any.
func SetHost(h Host) { current.Store(&h) }

// host returns the one that runs the cells. Were it inlined into cells, each of them would have to
// bring along the methods of the generic pointer and of the interfaces that its type arguments
// name.
//
//go:noinline
func host() Host { return *current.Load() }

// Stopping adds to the number of cells that are being stopped. While it is not 0, Check asks the
// host.
func Stopping(cells int) { stopping.Add(int32(cells)) }
