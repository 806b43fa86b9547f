// Package change is what one checked cell does to the session, whichever back end runs it: it
// enters what the cell declares, has the functions that have to be written anew queued, makes the
// names live as far as the cell got (Commit), or takes all of it back (Rollback).
//
// Names of the session get a version (x becomes x__1), so that declaring a name again is nothing
// special. Functions name what they call directly, so that a function that is declared again has
// its callers written again, while literals and variables go by a variable that holds the newest
// version. Generic functions are type-checked once more for each instance, with their type
// parameters as aliases.
//
// Writing the code is left to the back ends: packages lower and emit.
//
// Wrong when a cell that fails leaves something behind, or a function goes on calling an older
// version.
package change
