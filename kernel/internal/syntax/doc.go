// Package syntax reads the text of cells: it splits a cell into imports, declarations and
// statements, parses them, tells whether a cell is complete, repairs unfinished text, and words
// syntax errors with their places. Its files hold the texts of all cells of a session, and map
// positions in parsed trees to lines and columns of cells, also through the Go that magics become.
//
// repair.go completes text that ends at the cursor, and mend.go repairs broken text before it.
//
// It knows no types and no session: package check resolves names.
//
// Wrong when a cell is split in the wrong place, a syntax error has the wrong words or place, or a
// line and a column are not those of the cell.
package syntax
