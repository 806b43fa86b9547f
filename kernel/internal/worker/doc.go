// Package worker runs the user's code in a child process of the same program, so that what kills a
// Go process costs the user's variables and not the kernel. [Start] gives a program.Executor, which
// is the parent's side. Package child is the other side, and package pipe what goes between them,
// and in which order.
//
// A process that holds too many compiled cells is replaced by another (replace.go), which gets its
// folder, environment and arguments; package carry moves the variables. memory.go
// interrupts a cell that would exceed the memory limit, and death.go words how a process died.
//
// After Close nothing is shown any more.
//
// Wrong when text comes after the end of its cell, or the death of a child is told with another
// cause than its own.
package worker
