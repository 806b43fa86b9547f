// Package shape says what types are in the code that the interpreter runs, and writes the
// declarations that have to be there for them: structs without methods, dispatchers for interfaces,
// descriptions by which values show the type that they have, and stand-ins for generic functions
// and types of compiled packages (prelude). It writes constants.
//
// Methods are functions of their receiver, found by static types; the running types have methods
// only where compiled code needs them.
//
// How a value gets into an interface and to compiled code is for package conversion, statements and
// expressions are for package lower.
//
// Wrong when a value shows another type than its own, or a method is not found.
package shape
