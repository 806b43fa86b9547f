// Package lower turns a checked cell into a program of plain Go that the interpreter runs as the
// compiler would. Each cell's text can be seen in testdata/lowering. The subjects have a file each:
// expressions, calls, statements, loops and their variables (loop.go), range over functions
// (branch.go), deferred calls, function versions and literals (func.go). convert.go is the one
// place that decides how a value becomes an interface, handover.go what compiled code may get, and
// frames.go how a panic finds its line.
//
// The principle: the result is what go run would give, or the cell is refused before it runs, with
// a sentence that names what the interpreter cannot do. Nothing is silently wrong.
//
// Names of types are left to package shape, and running to package interpreted.
//
// Wrong when the text does not say what the cell says.
package lower
