// Package compiled runs cells that the Go tool chain has compiled, in this process. Their code
// comes as plugins and is known by what it registers with package cell, whose functions call back
// here.
//
// A cell's statements run in a goroutine of their own. Goroutines that they start belong to the
// cell, for good: they bear its label, which Go hands on (task.go). So side by side cells are told
// apart: each is stopped for itself, shows its own values, and fails for its own goroutines.
//
// What ends a cell early, such as an interrupt, ends its goroutines by runtime.Goexit where they
// check for it or wait: deferred calls are made, recover sees nothing, and variables stay as they
// are. What a deferred call then has to wait for ends that call; its loops run to their end.
//
// A goroutine that waits in a send or a receive does so in a select statement with a case for the
// end of the cell, which takes up to twice the time of Go's own operation.
//
// Text of fmt.Print and its like, of package log and of the builtin functions is written by way of
// this package, as that of interpreted cells: it keeps its order and belongs to the cell of the
// goroutine. What compiled packages write to os.Stdout themselves goes to the descriptor, and so to
// the main cell.
//
// Wrong when the message or the line of a panic is not Go's, a stop does not end a goroutine, or
// text belongs to the wrong cell.
package compiled
