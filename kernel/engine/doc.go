// Package engine turns the cells of a notebook into Go that runs: it parses a
// cell, checks its types against what the session has declared so far, lowers
// it to what the interpreter runs rightly, and hands it to an Executor.
//
// It knows Go and nothing of Jupyter, of processes or of yaegi.
package engine
