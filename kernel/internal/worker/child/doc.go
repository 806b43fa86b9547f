// Package child is the child's side of a worker. It runs user code in a separate process, and sends
// its output to the parent as package pipe describes. [Main] is its program.
//
// The child interprets programs, or loads and runs compiled ones (packages interpreted and
// compiled). A session does one of the two.
package child
