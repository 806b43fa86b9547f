// Package change is the effect of one checked cell on the session, for both back ends. It enters
// the cell's declarations, queues the functions to write again, makes the names live as far as the
// cell got (Commit), or reverts everything (Rollback).
//
// Names of the session get a version (x becomes x__1), so that declaring a name again needs no
// special case. Functions call others by their direct names, so that callers of a function that is
// declared again are written again. Literals and variables use a variable that holds the newest
// version. Generic functions are type-checked once more for each instance, with their type
// parameters as aliases.
//
// Packages lower and emit, the back ends, write the code.
//
// Wrong when a failed cell leaves something behind, or a function goes on calling an older version.
package change
