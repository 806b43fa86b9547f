package program

import "context"

// An Executor runs lowered cells. The engine decides what a cell means, and an Executor only
// carries it out. So the interpreter in a worker process, the interpreter in this process and a
// compiler are interchangeable.
//
// All output of user code during a request goes to out, in order and before the method returns.
// Only goroutines and processes that outlive the cell may write later, until Close.
//
// Requests for different cells may run concurrently. When ctx is done, requests that run beside
// this one may end, too.
//
// A panic of user code is returned as a *RuntimeError, an interrupt as an error that wraps
// context.Cause(ctx), and the death of the process with the user's variables as a *DeathError. Any
// other error says that the request could not be carried out.
type Executor interface {
	// Run runs the program to its end. The bundle is the value of the cell's last expression, or
	// nil.
	Run(ctx context.Context, p *Program, out Output) (*Bundle, error)

	// Reached returns how many statements of a cell's last program ran, if that failed. It may be
	// called once.
	Reached(ctx context.Context, cell int, out Output) (statements int, err error)

	// Deliver passes a message of the front end to the code that listens to its comm. The number of
	// the cell identifies it like that of a program.
	Deliver(ctx context.Context, cell int, m *CommMessage, out Output) error

	// Look returns a text for each of the looks at variables of compiled cells.
	Look(ctx context.Context, cell int, looks []Look, out Output) (texts []string, err error)

	// Adopt loads units into a new process.
	Adopt(ctx context.Context, a *Adoption, out Output) error

	// Close ends the executor and the processes that it has started.
	Close() error
}

// Optional interfaces of an Executor. Callers check for them, and do without those that are
// missing.

// A Killer is an Executor that can end a program that ignores the end of its ctx. The variables of
// the session are lost: Run then returns a *DeathError.
type Killer interface {
	Kill()
	// Insist ends programs that an interrupt was only sent to as a signal, and reports whether
	// there were any.
	Insist() bool
}

// A Located is an Executor that knows the working directory of user code; empty means that of this
// process.
type Located interface {
	Folder() string
}

// A Restarter is an Executor that can start over: without variables, and in its initial state.
// Running programs end with a *DeathError. It returns the number of the process that ended, as in
// DeathError.
type Restarter interface {
	Restart() (process int, err error)
}

// A Replacer is an Executor that can continue in another process.
type Replacer interface {
	// Replace starts another process and moves variables, and the values of cells, to it from the
	// old one. The old one then ends, and its number is returned. After an error the old one is
	// still there.
	Replace(ctx context.Context, a *Adoption, out Output) (left LeftBehind, process int, err error)
}

// A Debuggee is an Executor whose programs stop at their hooks.
type Debuggee interface {
	// Debug carries out a request of the Debug Adapter Protocol, with the variables of the session,
	// and returns the response. The number identifies it like that of a cell.
	Debug(ctx context.Context, number int, request []byte, globals []Global, out Output) (response []byte, err error)
	// DebugEvents passes events of that protocol to f, one after the other.
	DebugEvents(f func(event []byte))
}
