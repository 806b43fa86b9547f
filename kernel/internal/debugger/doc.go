// Package debugger stops cells at the hooks that package hooks has written into them, and reports
// that to a front end in messages of the Debug Adapter Protocol, with Jupyter's additions. It is in
// the process that runs the cells, whose goroutines wait in Stop.
//
// Front ends of notebooks know one thread, 1: the goroutine that is stopped. Other goroutines that
// reach a breakpoint meanwhile wait for their turn, and the rest goes on.
//
// Package worker transports the messages.
//
// Wrong when a program stops where it should not or does not stop where it should, a variable is
// shown that is not the one in the program, or a goroutine stays stopped and cannot be resumed.
package debugger
