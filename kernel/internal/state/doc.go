// Package state holds what the cells so far have declared and shown: names,
// functions with their versions, types with their methods, and what each back
// end has been told of them. Functions here answer what a declaration is, what
// mentions it, and what became of it when a process died.
//
// A session is changed by package change only, which can take back what it did,
// and by the death of the process that held the variables.
//
// Wrong when a failed cell leaves something behind, or a name means what it no
// longer should.
package state
