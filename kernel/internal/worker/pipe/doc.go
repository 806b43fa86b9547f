// Package pipe has the messages between a worker's parent, package worker, and its child, package
// child, and how they cross: as frames with blobs.
//
// # The pipes
//
// Parent and child talk by frames (lengths, JSON and blobs) over two pipes, the child's descriptors
// 3 and 4. What the child writes comes through three more:
//
//	1  standard output, of the child and of the processes it starts
//	5  standard error: os.Stderr of the child is this descriptor
//	2  what the Go run time writes by itself, such as its last words
//
// Descriptor 2 is kept apart so that the trace of a dying process is not spilled into the notebook;
// the cause of death is read from it instead.
//
// # Cells
//
// Programs run at the same time, each known by the number of its cell. What a goroutine writes,
// shows and asks for belongs to the cell that started it, also after that cell has ended and while
// another runs: goroutines inherit a label from their starter, and the label tells the cell.
//
// One cell is the main one: the newest of those that began while no main one ran. Messages of comms
// are never main. What is written to the descriptors themselves, by processes, C and the methods of
// os.Stdout, bears no label and belongs to the main cell, as does the text of goroutines without a
// label. That fmt.Print and its like, and os.Stdout as an io.Writer, do not write there in cells is
// for the interpreter's symbols and the text of compiled cells to see to. The main cell's own text
// takes the same way; that of other cells travels in frames. The child says by a frame when another
// cell becomes the main one.
//
// A cell is forgotten on both sides when the last goroutine that bears its label is gone and the
// garbage collector has seen it.
//
// # Order
//
// What belongs to the main cell keeps its order between pipes. A writer in the child that is about
// to write to one pipe first waits until the parent has emptied the others. The parent reads all
// pipes in one goroutine, one piece at a time, frames before streams: while it follows, at most one
// pipe of an orderly writer holds data, and a frame that waits beside a stream was sent first.
// Before the main cell's last frame all pipes are empty, so all output is out before Run returns. A
// process started by the cell, or code that writes to os.Stdout itself, does not wait, but is
// waited for. Other cells have their frames only, which arrive as they are sent.
package pipe
