// Package check type-checks the pieces of a cell against the session, by go/types: first what the
// cell declares without bodies, then its statements in order, then bodies. Functions of earlier
// cells that mention what the cell declares anew are checked again with it (following.go), and
// functions may wait for what no cell has declared yet (forward.go). An assignment that leaves out
// an error (forgotten.go) is found by that it does not compile, and checked again with a blank for
// it. What a cell mentions of values that others showed (_, Out[n]) becomes a call with the type
// that the value had (recall.go). Types and constants that would grow beyond time and memory are
// refused before go/types sees them (growth.go), and the work ends with the context of the cell where
// it can (heed.go). Its trees answer questions about typed Go that both back ends ask.
//
// It leaves the session as it was: methods that it gives to types of earlier cells are taken back
// by Checked.Rollback. What a cell that passed does to the session is left to package change.
//
// Wrong when a good cell does not compile, a bad one does, or a complaint has other words than the
// compiler's.
package check
