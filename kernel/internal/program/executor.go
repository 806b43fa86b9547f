package program

import "context"

// An Executor runs lowered cells. The engine decides what a cell means; an
// Executor only carries it out, so the interpreter in a worker process, the
// interpreter in this process and a compiler are interchangeable.
type Executor interface {
	// Run runs the program to its end. Whatever it writes and displays goes
	// to out, in order, and all of it before Run returns, save what goroutines
	// and processes write and display that outlive the cell: that may come
	// until Close. The bundle is what the cell's last expression shows; nil
	// when there is nothing to show.
	//
	// Programs with different cells may run at the same time. The end of ctx
	// may end those that run beside this one, too.
	//
	// A panic of the user's code is reported as a *RuntimeError, the end of
	// ctx as an error that wraps context.Cause(ctx), and the death of the
	// process that held the user's variables as a *DeathError.
	Run(ctx context.Context, program *Program, out Output) (*Bundle, error)

	// Close ends the executor and whatever processes it started.
	Close() error
}

// What an Executor may be beside. Who has one asks for these faces, and goes
// without where there are none.

// A Killer is an Executor that can end a program which does not heed the end of
// its ctx, at the price of the session's variables: Run then returns a
// *DeathError.
type Killer interface {
	Kill()
}

// A Located is an Executor that knows in which folder the user's code works;
// empty means that of this process.
type Located interface {
	Folder() string
}

// A Restarter is an Executor that can begin anew: with no variables, and in the
// state that it had at first. What runs ends with a *DeathError. It returns the
// number of the process that ended, as a *DeathError has it.
type Restarter interface {
	Restart() (process int, err error)
}

// A Replacer is an Executor that can go on in another process.
type Replacer interface {
	// Replace starts another process, has it load the program, which runs
	// nothing, and gives the variables that the program moves the values that
	// they have where they are now. The process so far then ends, and its number
	// is returned. The bundle is that of a program with Moved. After an error the
	// process so far is still there.
	Replace(ctx context.Context, program *Program, out Output) (bundle *Bundle, process int, err error)
}
