package program

import "context"

// An Executor runs lowered cells. The engine decides what a cell means; an Executor only carries it
// out, so the interpreter in a worker process, the interpreter in this process and a compiler are
// interchangeable.
//
// Whatever a request has the user's code write and display goes to out, in order, and all of it
// before the method returns, save what goroutines and processes write and display that outlive the
// cell: that may come until Close.
//
// Requests for different cells may be carried out at the same time. The end of ctx may end those
// that run beside this one, too.
//
// A panic of the user's code is reported as a *RuntimeError, the end of ctx as an error that wraps
// context.Cause(ctx), and the death of the process that held the user's variables as a *DeathError.
// Any other error says that the request could not be carried out.
type Executor interface {
	// Run runs the program to its end. The bundle is what the cell's last expression shows; nil
	// when there is nothing to show.
	Run(ctx context.Context, p *Program, out Output) (*Bundle, error)

	// Reached returns how many of the statements of a cell's last program were done, if that one
	// failed. It can be asked once.
	Reached(ctx context.Context, cell int, out Output) (statements int, err error)

	// Deliver gives a message of the front end to the code that listens to its comm. The cell
	// stands for it as that of a program.
	Deliver(ctx context.Context, cell int, m *CommMessage, out Output) error

	// Look returns a text for each of the looks at variables of compiled cells.
	Look(ctx context.Context, cell int, looks []Look, out Output) (texts []string, err error)

	// Adopt loads units into a process that has none yet.
	Adopt(ctx context.Context, a *Adoption, out Output) error

	// Close ends the executor and whatever processes it started.
	Close() error
}

// What an Executor may be beside. Who has one asks for these faces, and goes without where there
// are none.

// A Killer is an Executor that can end a program which does not heed the end of its ctx, at the
// price of the session's variables: Run then returns a
// *DeathError.
type Killer interface {
	Kill()
	// Insist ends programs that an interrupt was only sent to as a signal, and reports whether
	// there are some.
	Insist() bool
}

// A Located is an Executor that knows in which folder the user's code works; empty means that of
// this process.
type Located interface {
	Folder() string
}

// A Restarter is an Executor that can begin anew: with no variables, and in the state that it had
// at first. What runs ends with a *DeathError. It returns the number of the process that ended, as
// a *DeathError has it.
type Restarter interface {
	Restart() (process int, err error)
}

// A Replacer is an Executor that can go on in another process.
type Replacer interface {
	// Replace starts another process, has it adopt variables, and what cells have shown, from the
	// one so far. That one then ends, and its number is returned. After an error it is still there.
	Replace(ctx context.Context, a *Adoption, out Output) (left LeftBehind, process int, err error)
}

// A Debuggee is an Executor whose programs stop at their hooks.
type Debuggee interface {
	// Debug carries out a request of the Debug Adapter Protocol, where the session has these
	// variables, and returns the response. The number stands for it as that of a cell does.
	Debug(ctx context.Context, number int, request []byte, globals []Global, out Output) (response []byte, err error)
	// DebugEvents has events of that protocol given to f, one after the other.
	DebugEvents(f func(event []byte))
}
