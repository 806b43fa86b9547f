// Package cells is what the code of cells meets in the process that runs it: which cell a goroutine
// belongs to, what takes the cell's output, its input, and the program as package host shows it.
//
// Whether what cells show goes to another process, as from package child, or stays in this one is
// the business of an [Outlet].
//
// Wrong when something is shown for another cell than the one that has shown it.
package cells
