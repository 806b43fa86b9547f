// Package worker runs the user's code in a child process of the same program,
// so that what kills a Go process costs the user's variables and not the
// kernel. [Start] is the parent's side and gives an engine.Executor; [Main] is
// the child's.
//
// # The pipes
//
// Parent and child talk by frames (a length and JSON) over two pipes, the
// child's descriptors 3 and 4. What the child writes comes through three more:
//
//	1  standard output, of the child and of the processes it starts
//	5  standard error: os.Stderr of the child is this descriptor
//	2  what the Go run time writes by itself, such as its last words
//
// Descriptor 2 is kept apart so that the trace of a dying process is not
// spilled into the notebook; the cause of death is read from it instead.
//
// # Order
//
// Order holds between pipes, too. A writer in the child that is about to write
// to one pipe first waits until the parent has emptied the others. The parent
// reads all pipes in one goroutine, one piece at a time, frames before
// streams: while it follows, at most one pipe of an orderly writer holds data,
// and a frame that waits beside a stream was sent first. Before a cell's last
// frame all pipes are empty, so all output is out before Run returns. A process
// started by the cell, or code that writes to os.Stdout itself, does not wait,
// but is waited for.
//
// What goroutines and processes write that outlive their cell goes to the
// Output of the cell that runs or, between cells, ran last. After Close nothing
// is shown any more.
package worker
