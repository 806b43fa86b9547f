// Package emit writes the units of compiled cells: the user's own text as a package of its own,
// which for the compiler is one with those of earlier cells (package toolchain), with the names of
// other units' declarations qualified, and with guards that let it be stopped (guard*.go). Units
// can be seen in testdata/emission.
//
//   - Types, constants and functions are declared as they stand. What else must be compiled anew is
//     declared with them: functions that call a function which the cell declares again
//     (check/following.go), and where a type of an earlier cell gets a method, the type and all
//     that mentions it.
//   - Variables of the statements at the top are those of the package. A declaration becomes an
//     assignment, also to the variable of an earlier unit where one of that name and type is
//     declared again.
//   - Statements stand in one function. What they show, and errors that they leave out, go to
//     package cell.
//   - Function literals and methods call functions of the session by a variable that holds the
//     newest version; functions call them directly.
//
// Names that the emission writes end or begin with ˑ, which no user types.
//
// Building what it writes is left to package toolchain, and running it to package compiled.
//
// Wrong when a unit does not compile that the check let pass, a panic has the wrong column
// (sites.go), or a cell cannot be stopped.
package emit
