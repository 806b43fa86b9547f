// Package program is the contract between the engine, which decides what a
// cell means, and those who carry it out: the programs that an [Executor] is
// given, where what they show goes ([Output]), and how they fail. A [Compiler]
// makes what is compiled.
//
// It knows neither how cells become programs, which is package engine's to know,
// nor in what process they run, which is package worker's.
package program

import (
	"fmt"
	"time"
)

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
const ReachedCall = "b__.ShowReached"

// Renumber has frames of the cell that the unit was compiled for tell the number
// of the cell that runs.
func (c *Compiled) Renumber(frames []Frame, cell int) {
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
