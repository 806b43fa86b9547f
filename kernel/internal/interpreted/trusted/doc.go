// Package trusted has the list of what the interpreter is shown to carry out as Go does: by tens of
// thousands of generated programs that mix the constructs of the list, compared with what the Go
// compiler makes of them (TestTrustedPrograms of package engine). A session that may be compiled
// interprets cells of this list alone.
//
// On the list are values of basic types, of slices, arrays and maps of them, of structs that cells
// declare, by value and by pointer, and of types of compiled packages; functions and methods that
// take and return such values, called by name; assignments, conditions, loops and switches. Not on
// it, and so refused by [Outside], is what the interpreter has to be helped with: function literals
// and functions as values, types of cells in interfaces, generics, goroutines, channels, defer and
// recover, labels.
//
// What the interpreter is known to do otherwise than Go is refused elsewhere (package lower). What
// is neither refused there nor on this list is believed right, and tested less.
//
// Wrong when a cell of the list prints something else interpreted than compiled.
package trusted
