// Package engine turns the cells of a notebook into programs, and has an Executor
// run them (package program). It knows Go, and imports nothing of Jupyter, of
// processes or of yaegi.
//
// A cell goes through these stages; a bug lives in the first one whose result
// is wrong.
//
//   - Magics (magic*.go): lines that are no Go become calls of stdlib/magic, and
//     places in that text those in the cell; a few the engine carries out
//     itself. Wrong when Go is taken for a magic, or the other way round.
//   - Split and parse (split.go, parse.go): the Go into imports, declarations
//     and statements. Wrong when a cell is cut in the wrong place, or a syntax
//     error is worded or placed badly. IsComplete (complete.go) works on the same
//     lexemes.
//   - Resolve (modules.go): what a cell imports and the program does not consist
//     of is asked for, before the cell is checked. Wrong when an import asks the
//     network that should not, or an edited package stays what it was.
//   - Check (check.go, forward.go, following.go): the pieces against the session, by go/types:
//     first what the cell declares without bodies, then its statements in order,
//     then bodies. Wrong when a good cell does not compile, a bad one does, or a
//     failed one leaves something behind.
//     Functions of earlier cells that mention what the cell declares anew are
//     declared again with it.
//     An assignment of a cell that leaves out an error (forgotten.go)
//     is found by that it does not compile, and checked again with a blank for it.
//   - Lower (lower*.go, generic.go, frames.go, describe.go, handover.go, refuse.go, prelude):
//     the typed tree into a Program of plain Go that the interpreter runs as the
//     compiler would. Each cell's text can be seen in testdata/lowering. Wrong
//     when the text does not say what the cell says. The subjects have a file
//     each: names of types (lower_type.go), expressions, calls, statements,
//     loops and their variables (lower_loop.go), range over functions
//     (lower_branch.go), deferred calls, function versions and literals
//     (lower_func.go), interfaces (lower_iface.go). lower_convert.go is the one
//     place that decides how a value becomes an interface, and handover.go what
//     compiled code may get.
//   - Emit (emit*.go, guard*.go, ahead.go), instead of lowering where cells are
//     compiled: the user's own text as a unit, a package of its own, with names of other
//     units qualified, and with guards that let it be stopped. Which way a
//     session takes, and when it changes from one to the other with its
//     variables, is decided in mode.go, promote.go and compile.go; package
//     build makes plugins of units. Units can be seen in testdata/emission.
//   - Run (engine.go): the Program by the Executor (package program). Wrong when the
//     lowered text is right and its result is not: then the interpreter
//     (kernel/internal/interpreted) differs from Go, and lowering has to avoid what
//     it is bad at, or refuse it by name.
//   - Commit (engine.go, lower.go, session.go): what was declared becomes live,
//     as far as the cell got; after the death of the process that held the
//     variables, declarations are sent again when they are used (death.go).
//
// What cells showed is kept by the interpreter until its process ends, as it is
// and not copied, so what a value refers to stays in memory; cells ask for it by
// _ and Out[n] (recall.go), which the parser turns into calls.
//
// Completion and inspection (completion.go, inspection.go) run nothing, save that
// inspection looks at variables while no cell runs (peek.go). They see a cell, as
// far as it is written, through a view (view.go): the text with its brackets
// closed (mend.go, repair.go) and without the lines that do not parse, checked in
// spite of its errors, of which nothing stays in the session. What the place asks
// for (expect.go) decides the order. Wrong when a name that is in scope is
// missing: then see what the parser makes of the repaired text.
//
// Export (export*.go) runs nothing either: it checks cells one after the other,
// as if they had run, and writes the user's own text as a program for the go
// command, with names changed where one stands for several things. Wrong when
// the program prints something else than the notebook shows.
//
// The principle of the lowering: the result is what go run would give, or the
// cell is refused before it runs, with a sentence that names what the
// interpreter cannot do. Nothing is silently wrong.
//
// Four decisions run through it. Names of the session get a version
// (x becomes x__1), so that declaring a name again is nothing special, and no
// name that the lowering writes can be hidden by one of the user's. Methods are
// functions of their receiver, found by static types; the running types have
// methods only where compiled code needs them. Generic functions are
// type-checked once more for each instance, with their type parameters as
// aliases. And functions name what they call directly, so that a function that
// is declared again has its callers lowered again, while literals and
// variables go by a variable that holds the newest version.
package engine
