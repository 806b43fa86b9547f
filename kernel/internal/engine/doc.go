// Package engine conducts the cells of a session through their stages. It knows Jupyter, processes
// and yaegi only through the interfaces of package program.
//
// A cell goes through these stages, each in its own package. A bug is in the first stage whose
// result is wrong; the doc comment of each package describes the symptoms:
//
//   - magics: lines that are not Go become calls; the engine carries out a few itself
//     (magic_*.go).
//   - syntax: the Go into imports, declarations and statements.
//   - Resolve (modules.go): loads the packages that a cell imports and the program does not
//     contain, before the cell is checked. Wrong when an import uses the network that should not,
//     or an edit of a package has no effect.
//   - check: the pieces against the session, which package state holds.
//   - change: what the cell declares enters the session, to be committed or undone later.
//   - lower (with shape) writes code for the interpreter, or emit writes units for the compiler
//     (write.go). The first cell of a session decides which of the two (executors.go). plugins.go
//     replaces a process that has loaded many units, and ahead.go builds cells that wait.
//   - Run, by the executor of package program (run.go).
//   - Commit (run.go): the declarations that the cell reached become live. If the process that
//     holds the variables dies, declarations are sent again when they are used (process.go).
//   - An interrupt also ends the work before Run where that can be stopped; other work is
//     abandoned (attend.go). Wrong when a cell or a shutdown waits for a check that does not end.
//   - failure.go words errors for the user. Wrong when an error has no place, or when the same
//     error is worded differently elsewhere.
//
// In addition, package assist completes and describes, and package export writes a notebook as a
// program.
package engine
