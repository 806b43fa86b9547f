// Package pipe defines the messages between a worker's parent, package worker, and its child,
// package child, and their encoding as frames with blobs.
//
// # The pipes
//
// Parent and child exchange frames (lengths, JSON and blobs) over two pipes, the child's
// descriptors 3 and 4. The child's text comes through three more:
//
//	1  standard output, of the child and of the processes it starts
//	5  standard error: os.Stderr of the child is this descriptor
//	2  what the Go run time writes by itself, such as its last words
//
// Descriptor 2 is separate so that the trace of a dying process does not fill the notebook; the
// parent reads the cause of death from it instead.
//
// # Cells
//
// Programs run concurrently, each identified by the number of its cell. The output and questions of
// a goroutine belong to the cell that started it, also after that cell has ended and while another
// runs: goroutines inherit a label from their starter, and the label identifies the cell.
//
// One cell is the main one: the newest of those that began while no main one ran. Messages of comms
// are never main. Text that processes, C and the methods of os.Stdout write to the descriptors
// themselves has no label and belongs to the main cell, as does the text of goroutines without a
// label. In cells, fmt.Print and similar functions, and os.Stdout as an io.Writer, do not write
// there: the interpreter's symbols and the text of compiled cells replace them. The main cell's own
// text also goes to the descriptors; text of other cells goes in frames. The child sends a frame
// when another cell becomes the main one.
//
// Both sides forget a cell when the last goroutine with its label is gone and the garbage collector
// has noticed.
//
// # Order
//
// The output of the main cell keeps its order across pipes. Before a writer in the child writes to
// one pipe, it waits until the parent has emptied the others. The parent reads all pipes in one
// goroutine, one piece at a time, frames before streams. Thus at most one pipe of an orderly writer
// holds data, and a frame that waits beside a stream was sent first. Before the main cell's last
// frame all pipes are empty, so all output is out before Run returns. A process started by the
// cell, or code that writes to os.Stdout itself, does not wait, but the child waits for its output.
// Other cells use only frames, which arrive in the order in which they are sent.
package pipe
