// Package child is the child's side of a worker: it runs the user's code in a process of its own,
// and sends what that writes and shows to the parent as package pipe says. [Main] is its program.
//
// The child interprets programs, or loads and runs compiled ones (packages interpreted and
// compiled). A session does one of the two.
package child
