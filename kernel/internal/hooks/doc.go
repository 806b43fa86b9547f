// Package hooks writes the hooks of the debugger into a checked cell: before each statement a check
// whether to stop there, and at the entry of functions that call others a check whether to record
// that. The result is the text of a cell, which is checked again, so that both back ends get the
// same hooks.
//
// A hook copies the variables in scope only when the program stops, and passes pointers to the
// copies, so that variables stay where the compiler has put them. If the debugger has changed a
// copy, the hook copies the value back.
//
// The text has the lines of the cell, and its places lead back to those of the cell.
//
// Package debugger stops the hooks.
//
// Wrong when a cell with hooks behaves differently than without them, or does not compile.
package hooks
