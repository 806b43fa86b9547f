//go:build cgo && linux && !debug

package main

// The linker leaves out the symbol table and what only debuggers read: a quarter of the program.
// Tracebacks and profiles do without, and plugins find the program's symbols in another table.

// #cgo LDFLAGS: -Wl,-s
import "C"
