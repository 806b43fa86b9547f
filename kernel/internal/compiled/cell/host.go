package cell

import "sync/atomic"

// A Host runs cells, and does the work for this package that takes more than a few lines. This
// keeps the package small, since each plugin contains everything that it needs.
//
// Its methods act for the cell of the calling goroutine: the cell that started the goroutine,
// directly or not.
type Host interface {
	// Check ends the calling goroutine if its cell was stopped, unless the goroutine is making its
	// last deferred calls.
	Check()
	// Done returns a channel that is closed when the cell is stopped; nil if the goroutine has no
	// cell.
	Done() <-chan struct{}
	// Stop ends the calling goroutine.
	Stop()
	// Sleep waits for a number of nanoseconds.
	Sleep(nanoseconds int64)
	// Apart calls f in a new goroutine and waits for it. If the cell is stopped first, the calling
	// goroutine ends, and undo is called after f, whenever that is. If name is not empty, the user
	// is told that f goes on. Panics of f continue in the calling goroutine.
	Apart(name string, f, undo func())
	// Waits returns a function that calls f through Apart.
	Waits(name string, f any) any

	// Caught handles the panic of a goroutine. The deferred function that has recovered it calls
	// Caught.
	Caught(value any)
	// Guard returns a function that calls f for the cell, and passes its panics to Caught.
	Guard(f func()) func()
	// Coroutine returns the means by which a coroutine belongs to the cell of the goroutine that
	// resumes it.
	Coroutine() Coroutine
	// Exit ends the cell as os.Exit would end a program.
	Exit(status int)
	// Fatal logs a text, which the formatter makes, and exits. depth is the number of calls between
	// the user's and this one.
	Fatal(l Logger, format Formatter, text string, values []any, depth int)

	// Reached records how many of the cell's statements have run.
	Reached(statements int)
	// Show records the values of the cell's last expression.
	Show(values []any)
	// Failed records that the cell is about to panic with an error that it left out, and where.
	Failed(err error, cell, line, column int)
	// Kept returns a value that a cell has shown, or nil.
	Kept(cell, index int) any
	// Convert stores a value that a cell has shown in the variable that into points to. It panics
	// if their types have different meanings.
	Convert(cell int, value, into any)

	// Builtin writes values to standard error like the builtin functions print and println.
	Builtin(values []any, line bool)
	// Print writes values to standard output, and Scan reads them from standard input.
	Print(format Formatter, text string, values []any) (int, error)
	Scan(format Formatter, text string, values []any) (int, error)
}

// A Formatter is one of three ways to convert between values and text: those of fmt.Print,
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
	// stopping is not 0 while goroutines may have to end.
	stopping atomic.Int32
)

// SetHost installs h as the host of this process. Call it before any cell runs.
func SetHost(h Host) { current.Store(&h) }

// host returns the host. If it were inlined into cells, each would contain the methods of the
// generic pointer and of the interfaces in its type arguments.
//
//go:noinline
func host() Host { return *current.Load() }

// Stopping adds to the number of cells that are being stopped. While it is not 0, Check asks the
// host.
func Stopping(cells int) { stopping.Add(int32(cells)) }
