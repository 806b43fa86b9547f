// Package compiled runs cells that the Go tool chain has compiled, in this process. Their code
// comes in plugins that register themselves with package cell, whose functions call back here.
//
// A cell's statements run in their own goroutine. Goroutines that they start belong to the cell
// permanently: they have its label, which Go passes on (task.go). So concurrent cells are kept
// apart: each is stopped separately, shows its own values, and fails for its own goroutines.
//
// An interrupt, for example, ends the goroutines of a cell with runtime.Goexit at their checks and
// waits: deferred calls run, recover sees nothing, and variables stay as they are. If a deferred
// call then has to wait for something, that call ends; its loops run to their end.
//
// A goroutine that waits in a send or a receive does so in a select statement with a case for the
// end of the cell, which takes up to twice the time of Go's own operation.
//
// Text of fmt.Print and similar functions, of package log and of the builtin functions is written
// through this package, as in interpreted cells: it keeps its order and belongs to the cell of the
// goroutine. Text that compiled packages write to os.Stdout themselves goes to the descriptor, and
// so to the main cell.
//
// Wrong when the message or the line of a panic differs from Go's, a stop does not end a goroutine,
// or text belongs to the wrong cell.
package compiled
