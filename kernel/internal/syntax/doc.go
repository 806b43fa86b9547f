// Package syntax reads the text of cells: it cuts a cell into imports, declarations and statements,
// parses them, tells whether a cell is complete, mends what is being written, and words what is
// wrong with a text at its place. The files it keeps hold the texts of all cells of a session, and
// lead from positions in parsed trees back to lines and columns of cells, also through the Go that
// magics were written as.
//
// What ends at the cursor is made whole in repair.go, and what was left broken before it in
// mend.go.
//
// It knows no types and no session: what names mean is left to package check.
//
// Wrong when a cell is cut in the wrong place, a syntax error is worded or placed badly, or a line
// and a column are not those of the cell.
package syntax
