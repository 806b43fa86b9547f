// Package child is the child's side of a worker: it runs the user's code in a process of its own,
// and sends what that writes and shows to the parent as package pipe says. [Main] is its program.
//
// The child interprets programs, or loads and runs compiled ones (packages interpreted and
// compiled). Values that were interpreted can be carried over to compiled cells (package carry),
// and so the two never run side by side for long: a session goes from one to the other.
package child
