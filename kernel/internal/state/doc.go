// Package state holds what the cells so far have declared and shown. A Session has the names, the
// functions with their versions, and the types with their methods; a Transcript has the texts of
// cells and the types of what they showed. Functions here answer what a declaration is, what
// mentions it, and what became of it when a process died.
//
// Package change enters declarations, and can take back what it did. What a back end has been sent
// of them is its own: package shape has it for the interpreter, package emit for compiled cells.
//
// Wrong when a look-up, a mention or a death gives the wrong answer for what was entered rightly.
package state
