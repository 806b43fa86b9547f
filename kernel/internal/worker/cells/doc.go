// Package cells is the environment of cell code in the process that runs it: which cell a goroutine
// belongs to, where the cell's output goes, its input, and the program as package host presents it.
//
// An [Outlet] decides whether the output of cells goes to another process, as in package child, or
// stays in this one.
//
// Wrong when output appears in another cell than the one that produced it.
package cells
