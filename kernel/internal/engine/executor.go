package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/hierml/notebook/stdlib/host"
)

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

// A Program is a cell after lowering: Go that the interpreter runs as the Go
// compiler would have.
type Program struct {
	// Cell is the number of the cell.
	Cell int
	// Title is what errors call the cell.
	Title string
	// Source holds units that are evaluated in order; each is complete by
	// itself (import declarations, or package-level declarations).
	Source []string
	// Call names the function that holds the cell's statements. It is empty
	// when the cell only declares.
	Call string
	// Variables names the variables at package level that the source declares.
	Variables []string
	// Temporary names what no program after this one mentions, save this
	// cell's Call.
	Temporary []string
	// Keep says that other programs may ask for the values which this one
	// shows, if it ends well.
	Keep bool
	// Declared, if set, is called once what the source or the units declare is
	// there and before the function or the unit's statements are called; not if
	// there are none.
	Declared func() `json:"-"`
	// Interpreted, if set, may be called once before Run returns, with the time
	// for which the program computed in interpreted code, as far as that is
	// known.
	Interpreted func(time.Duration) `json:"-"`
	// Message, if set, is for the code that listens to the comm. There is no
	// source then.
	Message *CommMessage
	// Compiled, if set, is the cell in its compiled form. Source, Call,
	// Variables and Temporary are empty then.
	Compiled *Compiled
}

// Compiled is what an executor has to load and run for a compiled cell.
type Compiled struct {
	// Plugin is the file to load, which the executor may remove when it has;
	// empty where all units are loaded already.
	Plugin string
	// Units are the import paths of the plugin's units, in the order in which
	// they have to be initialized.
	Units []string
	// Run is the import path of the unit whose statements are to be run;
	// empty for none.
	Run string
	// Again is the number of the cell that the unit to run was compiled for,
	// where it has run before; 0 where it is this one. Frames tell that number.
	Again int
	// Moved are variables to be carried over before that.
	//
	// Those of the interpreter come in a program of their own, with no Run. The
	// bundle of that one tells which could not be carried over, and have the
	// zero values of their types now: Data[LeftBehind] is a map[string]any from
	// the names of the variables that they should have gone to, as Moved.Key
	// has them, to strings that say why in a few words, such as "a function
	// value made by interpreted code". The bundle may be nil if all were.
	Moved []Moved
	// Save is a file to be made, which the variables Moved are written to for
	// another process of this program. There is nothing to load and to run then,
	// FromUnit and FromVariable are where a variable is, and Variable is what the
	// file calls it. The bundle tells as above what is not in the file,
	// and its Data[Environment] is a []any of the environment.
	Save string
	// Load is such a file, which the variables Moved with no FromUnit are read
	// from by FromVariable, in place of the interpreter.
	Load string
	// Shown are the numbers of cells whose values are saved and loaded, too. Their
	// keys are those of ShownKey.
	Shown []int
	// Looks ask what variables look like. There is nothing to load and to run
	// then, and the bundle's Data[Seen] is a []any of the answers' texts.
	Looks []Look
}

// Seen is where the bundle of a program tells what variables look like.
const Seen = "seen"

// An Aspect is what a Look asks for.
type Aspect string

// The aspects.
const (
	LookValue  Aspect = "value"  // as a cell shows it
	LookBrief  Aspect = "brief"  // in a line, which is cut where it gets long
	LookLength Aspect = "length" // what len returns
	LookNil    Aspect = "nil"    // whether it is: "true" or "false"
)

// A Look asks for what a variable looks like.
type Look struct {
	// Unit and Variable are where it is: cell.Code's Variables or Moved.
	Unit, Variable string
	// Field is that of a struct; empty for the variable itself.
	Field  string
	Aspect Aspect
	// Plain says that the value is of a basic type, by whose rules it is written.
	Plain bool
	// Most is how much of a string or a slice counts; 0 for all.
	Most int
}

// LeftBehind is where the bundle of a program tells which variables could not be
// carried over. Data[LeftInPart] tells in the same form of those of which a part
// could not, and which: "h.list[2]: a function value made by interpreted code".
const (
	LeftBehind = "left"
	LeftInPart = "part"
)

// Environment is where the bundle of a program that saves variables tells the
// environment of its process.
const Environment = "environment"

// ReachedCall is the Call of a program that asks how many of the statements of
// the last program with its Cell were done, if that one failed. The bundle's
// Data["reached"] is the number. Its Compiled is set, and empty, where the cell
// was compiled.
const ReachedCall = bridge + ".ShowReached"

// number has frames of the cell that the unit was compiled for tell the number
// of the cell that runs.
func (c *Compiled) number(frames []Frame, cell int) {
	for i, f := range frames {
		if c.Again != 0 && f.Cell == c.Again {
			frames[i].Cell = cell
		}
	}
}

// Moved is a variable that a unit takes over, from the interpreter or from an
// older unit.
type Moved struct {
	Name string // the user's
	// Unit and Variable are where it goes: cell.Code's Variables, or its
	// Moved where the unit only refers to the older one.
	Unit, Variable string
	// FromUnit and FromVariable are where it is; FromUnit is empty for the
	// interpreter's, which is called by its lowered name.
	FromUnit, FromVariable string
}

// Key names the variable that m goes to.
func (m Moved) Key() string { return m.Unit + "." + m.Variable }

// ShownKey names what a cell has shown among the keys of variables.
func ShownKey(cell int) string { return fmt.Sprintf("Out.%d", cell) }

// A CommMessage is a message of a comm, to or from the front end.
type CommMessage = host.CommMessage

// A Bundle is one value in several representations, keyed by MIME type, as
// Jupyter's display_data has it. Text is a string, bytes are []byte, and JSON
// is whatever encoding/json marshals.
type Bundle struct {
	Data     map[string]any `json:"data"`
	Metadata map[string]any `json:"metadata,omitempty"`
}

// Output receives what a running cell writes and shows. Its methods are
// called from one goroutine at a time, except that the others may be called
// while Input waits.
type Output interface {
	// Stream receives a piece of what was written to "stdout" or "stderr".
	// The piece never ends within a UTF-8 sequence that continues later.
	Stream(name string, text string)
	// Display shows a bundle. A non-empty id names it, so that a later call
	// with update set replaces what was shown under that id.
	Display(bundle *Bundle, id string, update bool)
	// Clear removes what the cell has shown so far, or with wait only when
	// something new arrives.
	Clear(wait bool)
	// Input asks the user for a line. It fails where nobody can be asked.
	Input(ctx context.Context, prompt string, password bool) (string, error)
	// Comm sends a message to the front end. The error is host.ErrNoFrontEnd
	// where there is none.
	Comm(m *CommMessage) error
	// Page shows a bundle beside the notebook.
	Page(bundle *Bundle)
	// NextInput proposes the source of the next cell, or with replace a new
	// source of this one.
	NextInput(source string, replace bool)
}

// A RuntimeError is a panic of the user's code.
type RuntimeError struct {
	// Name is the kind of failure: "panic", "exit", "interrupted", or the type
	// of an error that a cell stopped for, "error" if it is private or that of
	// a magic.
	Name string
	// Message is the panic's value as the Go run time prints it, or the
	// error's text.
	Message string
	// Frames lists the active calls of the user's functions, innermost first.
	Frames []Frame
}

func (e *RuntimeError) Error() string { return e.Name + ": " + e.Message }

// A Frame is one active call of a user's function. Function is empty for the
// statements of a cell itself. Line and Column are where it is, as far as that
// is known; otherwise 0. Operation is the kind of what it was doing there, empty
// if that is not known: index, slice, call, divide, nil, ... More counts further
// calls, around this one, that are left out: those of a recursion.
type Frame struct {
	Function  string
	Cell      int
	Line      int
	Column    int
	Operation string
	More      int
}

// A DeathError says that the process which held the user's variables is gone,
// and they with it.
type DeathError struct {
	// Cause is one line: "stack overflow", "concurrent map writes",
	// "killed (out of memory?)".
	Cause string
	// Frames is where it happened, as far as that is known.
	Frames []Frame
	// Process tells the processes of an executor apart: their numbers rise
	// from 1. It is 0 if they are not counted.
	Process int
}

func (e *DeathError) Error() string { return "the worker process died: " + e.Cause }

// A StoppedError says that the executor has interrupted a program on its own
// account, as when it uses too much memory. The variables are kept.
type StoppedError struct {
	Name    string
	Message string
}

func (e *StoppedError) Error() string { return e.Message }
