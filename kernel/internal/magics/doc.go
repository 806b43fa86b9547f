// Package magics finds the lines of a cell that are not Go (%time, %%bash, !ls, name?) and writes
// them as calls of stdlib/magic, with places that lead back to those in the cell. For magics that
// the engine carries out itself, it has only the parsing and the descriptions.
//
// Wrong when Go is taken for a magic, or the other way round.
package magics
