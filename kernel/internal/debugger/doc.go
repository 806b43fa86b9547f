// Package debugger stops the hooks that package hooks has written into cells, and tells a front end
// of it in the messages of the Debug Adapter Protocol, with those that Jupyter adds. It is in the
// process that runs the cells, whose goroutines wait in Stop.
//
// Front ends of notebooks know one thread, 1: the goroutine that is stopped. Others that come to a
// breakpoint meanwhile wait for their turn, and goroutines that come to none go on.
//
// How messages get here is left to package worker.
//
// Wrong when a program stops where it should not or does not stop where it should, a variable is
// shown that is not the one in the program, or a goroutine stays stopped that nobody can resume.
package debugger
