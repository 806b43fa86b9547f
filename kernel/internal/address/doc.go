// Package address ends a program with a sentence, before it begins, where it may use too little address space
// (ulimit -v): Go's run time would end it with a trace, sooner or later. It needs to be imported only. As
// nothing in Go runs before the run time has taken its memory, it is C, for a constructor; programs that are
// built without cgo, and are not for Linux, are left to Go.
package address
