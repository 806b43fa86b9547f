package values

import "runtime"

// GoError is a run-time error in the words of compiled Go, for one that the interpreter words in
// terms of its own workings.
type GoError string

func (e GoError) Error() string { return "runtime error: " + string(e) }

// RuntimeError makes it a runtime.Error.
func (GoError) RuntimeError() {}

// PlainError is one that compiled Go words without "runtime error: ".
type PlainError string

func (e PlainError) Error() string { return string(e) }

// RuntimeError makes it a runtime.Error.
func (PlainError) RuntimeError() {}

var (
	_ runtime.Error = GoError("")
	_ runtime.Error = PlainError("")
)

const NilDereference = GoError("invalid memory address or nil pointer dereference")
