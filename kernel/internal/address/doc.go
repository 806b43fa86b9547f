// Package address says in a sentence that a process may use too little address space (ulimit -v),
// which Go's run time would end with a trace, sooner or later. A program that imports it ends
// before it begins where it has too little for any command. As nothing in Go runs before the run
// time has taken its memory, that is C, for a constructor; programs that are built without cgo, or
// are not for Linux, are left to Go.
package address
