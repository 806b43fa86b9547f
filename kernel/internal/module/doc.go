// Package module finds packages of other modules for the cells of a session, and those of the
// module or workspace that contains the cells' folder. It implements program.Modules.
//
// The go command does all work in a private module of the session. That module requires this
// program's module, replaced by the folder from which the program was built, so that the program's
// packages come out identical. It also requires the modules in the go.mod or go.work beside the
// notebook, and those that the session has asked for. The module is written for each request, from
// the request and the results of earlier ones, and `go list -export -deps` compiles the packages
// with the flags of the program.
//
// A process that has loaded a package cannot load another one with the same path. A package may
// change, because the user has edited it or a module has another version now. Then it is compiled
// once more under a new path, as are those that import it (edition.go): to the cells that import it
// again it is a new package, while other cells keep the old one, as with a type that a cell
// declares again. In the same way a package that the program has in another version is loaded
// beside it. This is not done for packages that all cells can import, whose values could not be
// distinguished, nor for those with C code.
package module
