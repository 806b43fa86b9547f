// Package state holds what the cells so far have declared and shown: names, functions with their
// versions, types with their methods, and what each back end has been told of them. Functions here
// answer what a declaration is, what mentions it, and what became of it when a process died.
//
// Declarations are entered by package change, which can take back what it did; what a back end was
// told of them is noted by that back end, with an undo of the change.
//
// Wrong when a look-up, a mention or a death gives the wrong answer for what was entered rightly.
package state
