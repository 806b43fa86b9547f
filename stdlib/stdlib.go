// Package stdlib holds what cells may import: the standard library, gonum, gonum/plot, hierml and
// package nb. For each of their packages it has a table of symbols, by which the interpreter calls
// the compiled code, export data, by which cells are type-checked without a Go tool chain, and the
// documentation. They are generated; after a change to the interface of hierml or to the comments
// on it, or an update of a dependency, run
//
//	go generate ./stdlib
//
// Importing the package costs nothing at start: tables are laid out by the linker, and export data
// and documentation are unpacked package by package when they are asked for.
package stdlib

//go:generate go run ./internal/generate

import (
	"io"
	"reflect"
	"slices"
	"sync"

	"github.com/hierml/notebook/stdlib/internal/gonum"
	"github.com/hierml/notebook/stdlib/internal/hierml"
	"github.com/hierml/notebook/stdlib/internal/std"
	"github.com/hierml/notebook/stdlib/internal/table"
)

// Exit is the value with which os.Exit and log.Fatal panic in a cell, where they end the cell and
// not the process: the exit status.
type Exit = std.Exit

// SetOutput has fmt.Fprint and its like, and io.WriteString, when called by a cell, write to out
// and err in place of the files that os.Stdout and os.Stderr are now, so that a worker can keep the
// order of what is written to both. Code that calls methods of these files, or hands them on to
// other functions, writes to the files.
func SetOutput(out, err io.Writer) { std.SetOutput(out, err) }

// tables returns all tables, those that come first in the choice of bare names first.
func tables() []*table.Package {
	return slices.Concat(hierml.Packages, std.Packages, std.Platform, gonum.Packages)
}

// Symbols returns what yaegi's Interpreter.Use takes: for each package, under its import path and
// name ("math/rand/v2/rand"), its exported symbols except those that are generic, and under "." the
// functions that treat values of some interfaces in a special way. The maps are built by the first
// call and shared by all; do not modify them.
func Symbols() map[string]map[string]reflect.Value { return symbols() }

var symbols = sync.OnceValue(func() map[string]map[string]reflect.Value {
	m := map[string]map[string]reflect.Value{
		".": {"MapTypes": reflect.ValueOf(std.MapTypes())},
	}
	for _, p := range tables() {
		m[p.Path+"/"+p.Name] = p.Symbols()
	}
	return m
})

// Paths returns the import paths of all packages a cell may import, sorted.
func Paths() []string {
	var paths []string
	for _, p := range tables() {
		paths = append(paths, p.Path)
	}
	slices.Sort(paths)
	return paths
}
