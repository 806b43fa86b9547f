// Package build builds the compiled form of cells: plugins that the worker of
// this program can load. It knows the tool chain and the file system, and
// nothing of sessions.
//
// A notebook is one Go package that grows, but Go compiles packages whole. So
// each cell is compiled as a package of its own, whose import path begins with
// [Prefix] and whose name is main, by the user's compiler with a few lines
// changed (patch.go): for it, packages with that prefix are one package, in
// which all see each other's names, fields and methods, exported or not, and
// types that are identical in one package are identical across them. The
// types' names print as those of package main.
//
// What a build needs, a [Kit], is made once for a build of this program and a
// tool chain: the changed compiler, the export data and archives of all
// packages that the program consists of, a linker front, and a plugin that was
// loaded on trial.
package build

// Prefix begins the import paths of the packages that cells are compiled as.
const Prefix = "cell/"

// A Unit is one package: a cell, or what is compiled with one.
type Unit struct {
	// Path is the import path, which begins with Prefix. It is used once in
	// the life of a worker.
	Path string
	// Source is a Go file of package main. It may import units that were built
	// before, or stand before this one in the same build.
	Source string
	// Imports are the import paths of the source, without those of units.
	Imports []string
}
