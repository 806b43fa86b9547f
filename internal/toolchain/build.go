// Package toolchain builds the compiled form of cells: plugins that the worker of this program can
// load. It knows the tool chain and the file system, but not sessions.
//
// A notebook is one Go package that grows, but Go compiles packages whole. So each cell is compiled
// as a separate package, whose import path begins with [Prefix] and whose name is main. The user's
// compiler does this with a few lines changed (patches). It treats packages with that prefix as
// one: they see each other's names, fields and methods, exported or not, and types that would be
// identical in one package are identical across them. The linker keeps their names apart; for the
// run time, types and functions belong to package main.
//
// A [Kit] has everything for builds. It is made once for a build of this program and then used
// without the go command: the changed compiler, a changed linker, and the archives of all packages
// that the program consists of, compiled for plugins (packages.go). A plugin imports symbols that
// the program has, and contains only the rest (patches/link/imports.diff); its size is then some
// ten kilobytes. So a kit belongs to one build of the program, and to the settings it was built
// with (program.go). [Open] finds or makes the kit; a [Builder] builds with it.
//
// The user waits for a build, so each tool does only what the cell needs. The compiler omits
// functions that the program has, the linker loads only those parts of the program that the plugin
// refers to, and this package writes the plugin without the system's linker (shared.go). Each step
// then takes some ten milliseconds, a quarter of which is its start: starting processes in advance
// would gain too little.
package toolchain

// Prefix begins the import paths of the packages that cells are compiled as.
const Prefix = "cell/"

// A Unit is one package: a cell, or code that is compiled with one.
type Unit struct {
	// Path is the import path, which begins with Prefix. It is used once in the life of a worker.
	Path string
	// Source is a Go file of package main. It may import units of earlier builds, or earlier ones
	// of the same build.
	Source string
	// Imports are the import paths of the source, without those of units.
	Imports []string
	// Embed is the files that the source embeds; nil if there are none.
	Embed *Embed
}

// An Embed describes the go:embed directives of a unit: the files that match each pattern, and
// their paths on disk.
type Embed struct {
	Patterns map[string][]string
	Files    map[string]string
}
