// Package worker runs user code in a child process of the same program. If user code kills the Go
// process, the user's variables are lost, but the kernel survives. [Start] returns a
// program.Executor, which is the parent's side. Package child is the other side, and package pipe
// defines the messages between them and their order.
//
// A process that holds too many compiled cells is replaced by another (replace.go), which gets its
// folder, environment and arguments; package carry moves the variables. memory.go interrupts a cell
// that would exceed the memory limit, and death.go words how a process died.
//
// After Close nothing more is shown.
//
// Wrong when text comes after the end of its cell, or the death of a child is reported with the
// wrong cause.
package worker
