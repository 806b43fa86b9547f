// Package module finds packages of other modules for the cells of a session, and those of the
// module or workspace that the cells' folder is in. It is an program.Modules.
//
// All is done by the go command in a module of the session's own, in a private folder. It requires
// this program's module, in place of which stands the folder that the program was built from, so
// that all packages the program consists of come out as they are in the program; what the go.mod or
// go.work beside the notebook says; and what the session has asked for. The module is written anew
// for each question, of what is asked for and of what earlier answers have settled, and `go list
// -export -deps` compiles the packages with the flags of the program.
//
// A process that has loaded a package cannot load another of that path. A package that has changed
// since, because the user has edited it or a module has another version now, is therefore compiled
// once more under a path of its own, as are those that import it (edition.go): to the cells that
// import it again it is a new package, and what others have of it stays what it is, as with a type
// that a cell declares again. In the same way a package that the program has in another version is
// loaded beside it; but not one that all cells can import, whose values they could not tell from
// each other, and not one with C in it.
package module
