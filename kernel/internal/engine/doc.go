// Package engine conducts the cells of a session through their stages. It knows Jupyter, processes
// and yaegi only by what package program says of them.
//
// A cell goes through these stages, each a package; a bug lives in the first one whose result is
// wrong, and the page of each says how that looks:
//
//   - magics: lines that are no Go become calls; a few the engine carries out itself (magic_*.go).
//   - syntax: the Go into imports, declarations and statements.
//   - Resolve (modules.go): what a cell imports and the program does not consist of is asked for,
//     before the cell is checked. Wrong when an import asks the network that should not, or an
//     edited package stays what it was.
//   - check: the pieces against the session, which package state holds.
//   - change: what the cell declares enters the session, to be committed or taken back.
//   - lower (with shape) writes what the interpreter runs, or emit the units that the compiler
//     builds (write.go). The first cell of a session decides which of the two (executors.go).
//     plugins.go replaces a process that has loaded many units, and ahead.go builds cells that wait.
//   - Run, by the executor of package program (run.go).
//   - Commit (run.go): what was declared becomes live, as far as the cell got; after the death of
//     the process that held the variables, declarations are sent again when they are used
//     (process.go).
//   - An interrupt ends the work before Run, too, where that heeds it; what does not is left to itself
//     (attend.go). Wrong when a cell or a shutdown waits for a check that does not end.
//   - What went wrong is worded for the user (failure.go). Wrong when a failure has no place, or
//     other words than the same failure had elsewhere.
//
// Beside them stand assist, which completes and describes, and export, which writes a notebook as a
// program.
package engine
