// Package hooks writes the hooks of the debugger into a checked cell: before each statement a look
// at whether to stop there, and where a function is entered that calls others a look at whether to
// note that. What comes of it is the text of a cell, which is checked again, so that both back ends
// are given the same hooks.
//
// A hook copies the variables in scope only where the program stops, and hands pointers to the
// copies over, so that variables stay where the compiler has them. If the debugger has changed a
// copy, the hook takes the values back.
//
// The text has the lines of the cell, and its places lead back to those of the cell.
//
// What stops is left to package debugger.
//
// Wrong when a cell with hooks does anything else than it did without them, or does not compile.
package hooks
