// Package toolchain builds the compiled form of cells: plugins that the worker of this program can
// load. It knows the tool chain and the file system, and nothing of sessions.
//
// A notebook is one Go package that grows, but Go compiles packages whole. So each cell is compiled
// as a package of its own, whose import path begins with [Prefix] and whose name is main, by the
// user's compiler with a few lines changed (patches): for it, packages with that prefix are one
// package, in which all see each other's names, fields and methods, exported or not, and types that
// are identical in one package are identical across them. The linker keeps their names apart; what
// the run time says of types and functions is that they are of package main.
//
// What a build needs, a [Kit], is made once for a build of this program and then used without the
// go command: the changed compiler, a changed linker, and the archives of all packages that the
// program consists of, compiled for plugins (packages.go). A plugin imports from the program what
// the program has, symbol for symbol, and brings along the rest (patches/link/imports.diff); it has
// some ten kilobytes then. So a kit belongs to one build of the program, and to the settings it was
// built with (program.go). [Open] finds or makes the kit; a [Builder] builds with it.
//
// A build is what a user waits for. So each tool does only what the cell needs: the compiler leaves
// out functions that the program has, the linker loads of the program what the plugin refers to,
// and this package writes the plugin without the linker of the system (shared.go). Each has some
// ten milliseconds of work then, a quarter of which is to start: too little for processes that are
// started in advance.
package toolchain

// Prefix begins the import paths of the packages that cells are compiled as.
const Prefix = "cell/"

// A Unit is one package: a cell, or what is compiled with one.
type Unit struct {
	// Path is the import path, which begins with Prefix. It is used once in the life of a worker.
	Path string
	// Source is a Go file of package main. It may import units that were built before, or stand
	// before this one in the same build.
	Source string
	// Imports are the import paths of the source, without those of units.
	Imports []string
	// Embed is the files that the source embeds; nil if there are none.
	Embed *Embed
}

// An Embed is what the directives go:embed of a unit mean: the files that match each pattern, and
// where these are on disk.
type Embed struct {
	Patterns map[string][]string
	Files    map[string]string
}
