// Package state holds the declarations and values of the cells so far. A Session has the names, the
// functions with their versions, and the types with their methods. A Transcript has the texts of
// cells and the types of their values. Its functions answer what a declaration is, what mentions
// it, and what happened to it when a process died.
//
// Package change enters declarations, and can revert that. Each back end keeps its own record of
// what it was sent: package shape for the interpreter, package emit for compiled cells.
//
// Wrong when a look-up, a mention or a death gives the wrong answer for correct entries.
package state
