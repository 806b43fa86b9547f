// Package magics finds in a cell the lines that are no Go (%time, %%bash, !ls, name?) and writes
// them as calls of stdlib/magic, with places in that text that lead back to those in the cell.
// Those that the engine carries out itself are only found and described here.
//
// Wrong when Go is taken for a magic, or the other way round.
package magics
